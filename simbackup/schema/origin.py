"""Where a value comes from (its basis, source and range), values that an error left unknown, errors in our words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NoReturn

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from simbackup.errors import choices

WRONG_TYPES = {
    "string_type": "text", "int_type": "whole number", "int_parsing": "whole number", "float_type": "number",
    "float_parsing": "a number", "bool_type": "true or false", "bool_parsing": "true or false",
}  # fmt: skip
WRONG_SHAPES = {
    "dict_type": ("mapping", "write its keys below it, indented"),
    "model_type": ("mapping", "write its keys below it, indented"),
    "mapping_type": ("mapping", "write its keys below it, indented"),
    "tuple_type": ("list", "write [a, b]"),
    "list_type": ("list", "write [a, b]"),
}
MISSING = "is missing"
EMPTY = "is empty"
WIDTH = 40
"""Characters of a wrong value that a message shows."""


def plain_message(error: Any) -> tuple[str, str]:
    """The message and the remedy for one error of pydantic."""
    kind, context = str(error["type"]), dict(error.get("ctx") or {})
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 3]}..."
    if error.get("input", "") is None and kind in {*WRONG_TYPES, *WRONG_SHAPES}:
        return EMPTY, f"write {WRONG_TYPES[kind]}" if kind in WRONG_TYPES else WRONG_SHAPES[kind][1]
    if kind in WRONG_TYPES:
        return f"{shown} is not {WRONG_TYPES[kind]}", f"write {WRONG_TYPES[kind]}"
    if kind in WRONG_SHAPES:
        return f"{shown} is not a {WRONG_SHAPES[kind][0]}", WRONG_SHAPES[kind][1]
    fixed = {
        "missing": (MISSING, "write it here"),
        "extra_forbidden": ("is not known here", ""),
        "literal_error": (f"{shown} is not one of the allowed words", f"choose from: {context.get('expected', '')}"),
        "string_too_short": ("is empty", "write a name"),
        "too_short": (_entries(context), f"write at least {context.get('min_length')}"),
        "less_than_equal": (f"{shown} is above {context.get('le')}", "write a smaller number"),
        "greater_than_equal": (f"{shown} is below {context.get('ge')}", "write a greater number"),
        "too_long": (_entries(context), f"write {context.get('max_length')}"),
    }
    return fixed.get(kind, (str(error["msg"]), ""))


def unknown_key(error: Any, legal: Iterable[str]) -> str:
    """The remedy for an unknown key; one without a value is what follows a comma in a text."""
    remedy = choices(error["loc"][-1], legal)
    if error["input"] is None and not remedy.startswith("did you mean"):
        return "put a text with a comma in quotes"
    return remedy


def _entries(context: Any) -> str:
    """How many entries a list or a mapping has."""
    return f"has {context['actual_length']} entries" if context.get("actual_length") else "is empty"


Basis = Literal["datasheet", "measured", "derived", "fitted", "assumed", "document", "user"]
NEEDS: dict[str, tuple[str, ...]] = {
    "datasheet": ("source", "at"),
    "measured": ("source", "at"),
    "derived": ("rule",),
    "fitted": ("fitted_to", "uncertainty", "plausible"),
    "assumed": ("range", "why"),
}
"""The keys that a value on each basis must also have."""


class Origin(BaseModel):
    """Where a value comes from."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    value: Any
    """The value with its unit, for example `5 MB/s`."""
    basis: Basis | None = None
    """The kind of evidence for the value."""
    source: str | None = None
    """The document that states it, a key of models/sources.yaml."""
    at: str | None = None
    """The place in that document."""
    why: str | None = None
    """Why an assumed value is reasonable."""
    rule: str | None = None
    """How a derived value follows from others."""
    range: tuple[Any, Any] | None = None
    """The lowest and the highest reasonable value."""
    alternatives: tuple[Any, ...] = ()
    """Other possibilities for an assumed value, such as another word or datasheet; each is as likely as the value."""
    shared: str | None = None
    """Name of an unknown that appears in several places; all of these values vary together."""
    plausible: tuple[Any, Any] | None = None
    """The physically plausible range of a fitted value."""
    fitted_to: tuple[str, ...] = ()
    """The measured rows that the value was fitted to."""
    seen: tuple[str, ...] = ()
    """The measured rows that the value was chosen or changed after seeing."""
    uncertainty: Any = None
    """Standard uncertainty of a fitted value, in its unit."""
    scatter: Annotated[float, Field(ge=0.0)] | None = None
    """By what share single runs differ from the fit, as a standard deviation: noise, and what the model leaves out."""
    narrowed: dict[str, Annotated[float, Field(ge=0.0, le=1.0)]] = Field(default_factory=dict[str, float])
    """How much of their standard deviation the same fit leaves to other uncertain values, by their names."""
    correlations: dict[str, Annotated[float, Field(ge=-1.0, le=1.0)]] = Field(default_factory=dict[str, float])
    """Correlations of a fitted value with other uncertain values, by their names: the fit compensates for errors in
    these.
    """


def read_origin(raw: object) -> Origin:
    """The origin in a mapping; all that is wrong with it is one error for pydantic."""
    try:
        return Origin.model_validate(raw)
    except ValidationError as error:
        details = [(tuple(e["loc"]), *_origin_message(e)) for e in error.errors()]
        raise PydanticCustomError("given", "{message}", {"problems": details, "message": details[0][1]}) from None


def _origin_message(error: Any) -> tuple[str, str]:
    message, remedy = plain_message(error)
    return message, unknown_key(error, Origin.model_fields) if error["type"] == "extra_forbidden" else remedy


class UnknownError(Exception):
    """A value is needed that is unknown until the value at an address is right."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


class Unknown:
    """Stands for a value that is wrong or missing, so that all else in its part can be checked.

    >>> size = Unknown("data.files.size")
    >>> size is None
    False
    >>> size.si > 3
    Traceback (most recent call last):
        ...
    simbackup.schema.origin.UnknownError: data.files.size
    """

    __slots__ = ("_address",)

    def __init__(self, address: str) -> None:
        self._address = address

    def _ask(self, *_: object) -> NoReturn:
        raise UnknownError(self._address)

    def __repr__(self) -> str:
        return f"Unknown({self._address!r})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # Python and pydantic look for methods of their own
            raise AttributeError(name)
        return self._ask()

    __eq__ = __hash__ = __bool__ = __str__ = __format__ = _ask  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    __iter__ = __len__ = __contains__ = __getitem__ = __float__ = __lt__ = __le__ = __gt__ = __ge__ = _ask


class UnknownPlace(Unknown):
    """Stands for an unknown device that something is on."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__
