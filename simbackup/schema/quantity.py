"""Quantities in files: a value with its unit and, where it came from the world, its origin."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.origin import EMPTY, NEEDS, Origin, Unknown, UnknownError, read_origin
from simbackup.units.reading import bits


class Declaring:
    """A class whose declarations of `ClassVar` are no texts any more: pydantic evaluates those for each class below.

    >>> class Part(Declaring):
    ...     shown: ClassVar[str] = "box"
    >>> Part.__annotations__
    {'shown': typing.ClassVar}
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls).get("__annotations__", {})
        own.update({name: ClassVar for name, kind in own.items() if str(kind).startswith("ClassVar[")})


LATEST = 36_500 * 86_400.0
"""Longest time, in seconds, at which a float still distinguishes microseconds: a hundred years."""
BOUNDS: dict[str, tuple[float, float]] = {
    "B": (1e-3, 1e18), "s": (1e-15, math.inf), "B/s": (1e-3, 1e15), "1/s": (1e-9, 1e12), "1": (1e-15, 1e9),
    "count": (1e-9, 1e15), "m": (1e-9, 1e6), "m/s": (1e-9, 3e8), "s/B": (1e-21, 1e3), "s/file": (1e-15, 1e6),
    "B/file": (1e-6, 1e15), "money": (1e-9, 1e12),
}  # fmt: skip
"""Least and greatest value above zero of each unit, in SI units: far beyond what can be built."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit, and its origin if the file states one."""

    si: float
    """The value in SI units."""
    unit: str
    """The dimension: a key of `BOUNDS`."""
    text: str
    """The value as the file writes it."""
    basis: str | None = None
    """The kind of evidence for it; None if the file states none."""
    source: str | None = None
    """The document that states it, a key of a list of sources."""
    at: str | None = None
    """The place in that document."""
    why: str | None = None
    """Why an assumed value is reasonable."""
    rule: str | None = None
    """How a derived value follows from others."""
    low: float | None = None
    """Lower end of its range, in SI units."""
    high: float | None = None
    """Upper end of its range, in SI units."""
    plausible: tuple[float, float] | None = None
    """The physically plausible range of a fitted value, in SI units."""
    fitted_to: tuple[str, ...] = ()
    """Ids of the measured rows that it was fitted to."""
    seen: tuple[str, ...] = ()
    """Ids of the measured rows after whose sight it was chosen or changed."""
    uncertainty: float | None = None
    """Standard uncertainty of a fitted value, in SI units."""
    scatter: float | None = None
    """Relative standard deviation of single runs from the fit."""
    shared: str | None = None
    """Name of an unknown that several values share; they vary together."""
    correlations: tuple[tuple[str, float], ...] = ()
    """Correlations (-1 to 1) of a fitted value with other uncertain values, by their names."""
    narrowed: tuple[tuple[str, float], ...] = ()
    """Share (0 to 1) of the standard deviation that the fit leaves to other uncertain values, by their names."""
    typical: bool = False
    """Whether its range is typical of its kind, as the file states none."""

    def __float__(self) -> float:
        return self.si

    def on(self, basis: str) -> Quantity:
        """The same value, with a basis where it stated none."""
        return self if self.basis else replace(self, basis=basis)

    def scaled(self, factor: float) -> Quantity:
        """The value multiplied by a factor, with its range and its uncertainty.

        >>> half = Quantity(8.0, "s", "8 s", low=6.0, high=10.0).scaled(0.5)
        >>> half.text, half.low, half.high
        ('4 s', 3.0, 5.0)
        """

        def times(given: float | None) -> float | None:
            return None if given is None else given * factor

        si = self.si * factor
        try:
            text = units.show(si, self.unit)
        except units.UnitError:  # such as half a drive
            text = units.show_short(si, self.unit)
        plausible = None if self.plausible is None else (self.plausible[0] * factor, self.plausible[1] * factor)
        return replace(
            self, si=si, text=text, low=times(self.low),
            high=times(self.high), plausible=plausible, uncertainty=times(self.uncertainty),
        )  # fmt: skip


def si_or(given: Quantity | None, otherwise: float) -> float:
    """The SI value of a quantity that a file may leave out."""
    return given.si if given is not None else otherwise


def usual(text: str, unit: str = "count") -> Quantity:
    """The value of a key that a file may leave out; `Frozen.states` says whether it does.

    >>> class Line(Frozen):
    ...     lines: Pieces = usual("1")
    >>> Line().lines.si, Line().states("lines"), Line(lines="1").states("lines")
    (1.0, False, True)
    """
    return Quantity(units.parse(text, unit), unit, text)


def problem(message: str, remedy: str = "", *path: str | int) -> PydanticCustomError:
    """An error for pydantic that carries what is wrong, what would be right, and where inside the value."""
    return PydanticCustomError("given", "{message}", {"problems": [(path, message, remedy)], "message": message})


def _readable(raw: object, unit: str) -> bool:
    """Whether a text or number is a quantity of a unit."""
    try:
        return isinstance(raw, str | int | float) and units.parse(raw, unit) >= 0.0
    except units.UnitError:
        return False


def _missing(value: object) -> bool:
    """Whether a key of an origin is empty; its value may be anything that a file can hold."""
    return value is None or value in ("", ())


@dataclass(frozen=True, slots=True)
class Unit:
    """Marks a field as a quantity with a unit, optionally within bounds, and with words for some values.

    A value may be of an `other` unit, such as a size instead of a share. Where `named`, it may be a name.
    """

    unit: str
    """The dimension: a key of `BOUNDS`."""
    least: float = 0.0
    """Least value, in SI units."""
    most: float = math.inf
    """Greatest value, in SI units."""
    positive: bool = False
    """Whether the value must be above zero."""
    words: tuple[tuple[str, float], ...] = ()
    """Words with their values in SI units."""
    other: Unit | None = None
    """Another unit that a value may have."""
    named: bool = False
    """Whether a value may be the name of something that has it."""

    @property
    def forms(self) -> tuple[Unit, ...]:
        """Itself, and the other unit, if there is one."""
        return (self,) if self.other is None else (self, self.other)

    def accepted(self, raw: object) -> Quantity | str:
        """The value, or the name of what has it."""
        return raw if self.named and isinstance(raw, str) and raw and not _readable(raw, self.unit) else self.read(raw)

    def read(self, raw: object) -> Quantity:
        """The quantity in a plain text or number, or in a mapping with an origin."""
        if isinstance(raw, Quantity | Unknown):
            return cast("Quantity", raw)
        if self.other is not None:
            value = cast("dict[str, object]", raw).get("value") if isinstance(raw, dict) else raw
            if not _readable(value, self.unit) and _readable(value, self.other.unit):
                return self.other.read(cast("object", raw))
        if not isinstance(raw, dict):
            return Quantity(self.number(raw), self.unit, str(raw))
        origin = read_origin(cast("object", raw))
        missing = [key for key in NEEDS.get(origin.basis or "", ()) if _missing(getattr(origin, key))]
        if missing:
            message = f"a value with basis '{origin.basis}' needs {' and '.join(missing)}"
            raise problem(message, f"write {', '.join(f'{key}: ...' for key in missing)} next to it")
        return self.originated(origin)

    def originated(self, origin: Origin) -> Quantity:
        """The quantity of a mapping with an origin; its range must contain it."""
        si = self.number(origin.value, "value")
        low, high = self.pair(origin.range, "range")
        plausible = self.pair(origin.plausible, "plausible")
        for name, (least, most) in (("range", (low, high)), ("plausible", plausible)):
            if least is not None and most is not None and not least <= si <= most:
                text = f"{units.show(least, self.unit)} to {units.show(most, self.unit)}"
                raise problem(
                    f"{origin.value} is outside its own {name}, {text}",
                    "widen the range or correct the value",
                    name,
                )
        least, most = plausible
        return Quantity(
            si=si,
            unit=self.unit,
            text=str(origin.value),
            **origin.model_dump(
                include={"basis", "source", "at", "why", "rule", "fitted_to", "seen", "shared", "scatter"}
            ),
            low=low,
            high=high,
            plausible=None if least is None or most is None else (least, most),
            # an uncertainty is not a value: the bounds of the value do not apply to it
            uncertainty=None
            if origin.uncertainty is None
            else Unit(self.unit).number(origin.uncertainty, "uncertainty"),
            correlations=tuple(origin.correlations.items()),
            narrowed=tuple(origin.narrowed.items()),
        )

    def pair(self, ends: tuple[object, object] | None, name: str) -> tuple[float | None, float | None]:
        """Both ends of a range in SI units."""
        if ends is None:
            return None, None
        low, high = (self.number(end, name) for end in ends)
        if low > high:
            raise problem(f"the {name} begins above its end", "write the lower value first", name)
        return low, high

    def number(self, raw: object, *path: str) -> float:
        """The SI value of a text or number within the bounds, or of a word."""
        named = dict(self.words)
        if isinstance(raw, str) and raw in named:
            return named[raw]
        if raw is None:
            raise problem(EMPTY, f"write for example '{EXAMPLES[self.unit]}'", *path)
        if not isinstance(raw, (str, int, float)) or isinstance(raw, bool):
            words = {"list": "a list", "bool": f"'{str(raw).lower()}'"}
            shown = words.get(type(raw).__name__, f"'{raw}'")
            raise problem(f"{shown} is not a quantity", f"write for example '{EXAMPLES[self.unit]}'", *path)
        try:
            si = units.parse(raw, self.unit)
        except units.UnitError as error:
            if named:
                raise problem(f"{error}, nor an allowed word", choices(raw, named), *path) from None
            if self.named:
                raise problem(f"'{raw}' is not a number", f"if it is a name, write '{raw}' alone", *path) from None
            raise problem(str(error), "", *path) from None
        in_bits, _, meant = bits(str(raw)).partition("; ") if self.unit == "B" else ("", "", "")
        if in_bits:
            raise problem(f"'{raw}' {in_bits}", meant, *path)
        if not self.within(si):
            raise problem(f"{raw} is out of bounds", self.remedy(si), *path)
        return si

    def within(self, si: float) -> bool:
        """Whether a value in SI units is within the bounds of the field and of its unit."""
        least, most = BOUNDS[self.unit]
        return self.least <= si <= min(self.most, most) and (si >= least if si else not self.positive)

    def remedy(self, si: float) -> str:
        """The remedy for a value that is out of bounds."""
        if si > self.most == LATEST:
            most = units.show_short(LATEST, "s")
            return f"write at most {most}, beyond which times lose their microseconds; write long times in days, '30 d'"
        least, most = BOUNDS[self.unit]
        least = least if 0.0 < si < least else self.least
        most = min(self.most, most) if si > most else self.most
        bounds = [f"at least {units.show_short(least, self.unit)}"] if least > 0 else []
        bounds += [f"at most {units.show_short(most, self.unit)}"] if most not in {LATEST, math.inf} else []
        bounds += ["more than 0"] if self.positive and least == 0 else []
        return f"write {' and '.join(bounds)}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.accepted)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": ["string", "number", "object"], "examples": [*dict(self.words), EXAMPLES[self.unit]]}


EXAMPLES = {
    "B": "2 GiB", "s": "1.5 s", "B/s": "80 MB/s", "1/s": "120 /s", "1": "40 %", "count": "8", "m": "541 m",
    "m/s": "4.06 m/s", "s/B": "4 ns/B", "s/file": "0.2 ms/file", "B/file": "160 B/file",
    "money": "120",
}  # fmt: skip
Size = Annotated[Quantity, Unit("B")]
PositiveSize = Annotated[Quantity, Unit("B", positive=True)]
DURATION = Unit("s", most=LATEST)
Duration = Annotated[Quantity, DURATION]
PositiveDuration = Annotated[Quantity, Unit("s", most=LATEST, positive=True)]
Rate = Annotated[Quantity, Unit("B/s", positive=True)]
Frequency = Annotated[Quantity, Unit("1/s", positive=True)]
Share = Annotated[Quantity, Unit("1", most=1.0)]
PositiveShare = Annotated[Quantity, Unit("1", most=1.0, positive=True)]
Ratio = Annotated[Quantity, Unit("1", positive=True)]
Reduction = Annotated[Quantity, Unit("1", least=0.01, positive=True)]
"""Bytes before over bytes after; below one it expands them."""
Multiple = Annotated[Quantity, Unit("1")]
"""How often something happens for each of something else; may be zero."""


GROWTH = Unit("1", other=Unit("B/s"))
Growth = Annotated[Quantity, GROWTH]
"""Growth in a year: a share, compounded; or a size that is added."""
Count = Annotated[Quantity, Unit("count")]
PositiveCount = Annotated[Quantity, Unit("count", least=1.0)]
ShareOrSize = Annotated[Quantity, Unit("1", most=1.0, positive=True, other=Unit("B", positive=True))]
"""A share, or a size."""
NumberOrName = Annotated[Quantity | str, Unit("count", least=1.0, named=True)]
"""A number, or the name of one that is stated elsewhere."""
Pieces = Annotated[Quantity, Unit("count", least=1.0, most=1e5)]
"""A number of things that are simulated one by one."""
Money = Annotated[Quantity, Unit("money")]
"""An amount in the currency of the prices."""
Length = Annotated[Quantity, Unit("m", positive=True)]
Speed = Annotated[Quantity, Unit("m/s", positive=True)]
TimePerByte = Annotated[Quantity, Unit("s/B")]
PositiveTimePerByte = Annotated[Quantity, Unit("s/B", positive=True)]
TimePerFile = Annotated[Quantity, Unit("s/file")]
SizePerFile = Annotated[Quantity, Unit("B/file")]


def _word(raw: object) -> object:
    """A word that may be written with its origin, `{value: "5", basis: ...}`, or as a whole number."""
    plain = read_origin(cast("object", raw)).value if isinstance(raw, dict) and "value" in raw else cast("object", raw)
    return str(plain) if isinstance(plain, int) and not isinstance(plain, bool) else plain


NOTED = "[noted]"
"""Under which name a copy of a part that notes its reads keeps what notes them; no key has such a name."""


class Frozen(Declaring, BaseModel):
    """A part of a file: frozen, and no key that it does not know; `null` is the same as leaving a key out."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    instead: ClassVar[Mapping[str, str]] = {}
    """Keys of a part, each with the value of its datasheet that counts no longer where the part has this key."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A value that is not there yet, in a copy that notes what is read of it."""
            noted = self.__dict__.get(NOTED)
            if noted is None or name not in noted.part.__dict__:
                return super().__getattr__(name)
            value = self.__dict__[name] = noted(name)
            return value

        def __iter__(self) -> Iterator[tuple[str, Any]]:
            """All keys with their values."""
            fields = type(self).model_fields
            if NOTED in self.__dict__ or len(fields) != len(self.__dict__):  # it may also keep what it has computed
                return ((name, getattr(self, name)) for name in fields)
            return iter(self.__dict__.items())

    def stated(self) -> Iterator[tuple[str, Any]]:
        """The keys that a file states of it, with their values, in the order of the reference."""
        noted = self.__dict__.get(NOTED)
        stated = (self if noted is None else noted.part).model_fields_set
        return ((name, value) for name, value in self if name in stated)

    def states(self, name: str) -> bool:
        """Whether a file states a key of it; if not, its value is the default."""
        noted = self.__dict__.get(NOTED)
        return name in (self if noted is None else noted.part).model_fields_set

    def rules(self) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Values of the part that conflict: their keys, what is wrong, what would be right."""
        yield from ()

    @classmethod
    def unstated(cls, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """What is assumed of keys that a file does not state, as the file would say it; nothing unless overridden."""
        del said
        return {}

    @model_validator(mode="before")
    @classmethod
    def _as_stated(cls, raw: Any) -> Any:
        if not isinstance(raw, dict):
            return raw
        plain, fields = cast("dict[str, Any]", raw), cls.model_fields
        needed = {k for k, field in fields.items() if field.is_required()}
        said = {k: v for k, v in plain.items() if v is not None or k not in fields or k in needed}
        try:
            return {**cls.unstated(said), **said}
        except UnknownError:  # what it depends on is wrong, which is reported
            return said

    @field_validator("*", mode="wrap")
    @classmethod
    def _unknown(cls, raw: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        return raw if isinstance(raw, Unknown) else handler(raw)


class Word:
    """Marks a text field (a level, a method) whose value may have an origin like a quantity."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_word, handler(source))


Text = Annotated[str, Field(min_length=1)]
