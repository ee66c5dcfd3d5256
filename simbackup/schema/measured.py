"""What a file of measurements may say: measured rows, and where results hold their simulated values."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from simbackup import units
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema.origin import read_origin
from simbackup.schema.quantity import Frozen, Text
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import read

Form = Literal["value", "ratio", "saved", "loss", "share", "rate"]
FORMS: tuple[Form, ...] = ("ratio", "saved", "loss", "share", "rate")
RATES = frozenset({"rate", "transfer_rate"})
"""Figures of a job from which its time follows."""
_NUMBER = re.compile(r"\s*([-+0-9._eE]+)\s*(\S.*?)?\s*\Z")


class Figure:
    """Marks a text field for a figure: a bare number will do, and a mapping with its origin."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_figure, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": ["string", "number", "object"], "examples": ["16.088 s", "159 /s", "6.36"]}


def _figure(raw: object) -> object:
    """The text of a figure."""
    plain = read_origin(cast("object", raw)).value if isinstance(raw, dict) and "value" in raw else cast("object", raw)
    return str(plain) if isinstance(plain, int | float) and not isinstance(plain, bool) else plain


FigureText = Annotated[Text, Figure()]


class GivenAnswer(Frozen):
    """What a version of simbackup predicted before anybody had read the figure."""

    value: FigureText
    """The answer, in the unit of the figure."""
    low: FigureText | None = None
    """Lower end of its 90 % interval, if it had one."""
    high: FigureText | None = None
    """Upper end."""
    version: Text
    """The version that answered, such as `"0.2"`, in quotes."""


class MeasuredRow(Frozen):
    """One measured figure."""

    value: FigureText
    """The figure with its unit, as printed."""
    low: FigureText | None = None
    """Lowest value that the document's rounding or wording allows."""
    high: FigureText | None = None
    """Highest value that it allows."""
    blind: GivenAnswer | None = None
    """What a version of simbackup predicted before anybody had read the figure."""
    fit: bool = False
    """Whether a constant was fitted to the figure before the blind answers of its document were given."""
    at: Text
    """Where the document states it."""
    operation: Text
    """What was measured, in the words of the document, such as `restore of one file`."""
    quantity: Text = "elapsed"
    """The figure that was measured, such as `elapsed`, `throughput` or `size`."""
    group: Text | None = None
    """Name of a group of rows that depend on the same mechanism; by default, each row is its own group."""
    kind: Literal["result", "input", "duplicate", "structural", "projection"] = "result"
    """`result`; `input`: given to the scenario; `duplicate`: repeats a row; `structural`: no value moves it as far
    as the document rounds; `projection`: the author expects it and has not measured it."""
    result: Any
    """An address, `file.yaml#jobs.name.elapsed`, or `ratio`, `saved`, `loss`, `share` or `rate` of two addresses."""
    off: Text | None = None
    """Why the simulated figure is off, if it is."""


class MeasuredFile(Frozen):
    """The measured rows of a document (measured.yaml)."""

    document: Text
    """The document that was read."""
    publication: Text | None = None
    """The folder of the same publication, if another one describes it, too."""
    measurements: Annotated[dict[Text, MeasuredRow], Field(min_length=1)]
    """The measured rows, by id."""


class TimedJob(NamedTuple):
    """The job whose time, or a rate of which, a measured row states."""

    file: str
    """Its scenario."""
    address: str
    """Its address."""
    by_rate: bool
    """Whether the row states a rate."""


class BlindAnswer(NamedTuple):
    """What a version predicted before anybody had read the figure, in the unit of its row."""

    value: float
    """The answer."""
    low: float | None
    """Lower end of its 90 % interval; None without one."""
    high: float | None
    """Upper end; None without one."""
    version: str
    """The version of the program."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured figure of a document, and where results have its simulated value."""

    document: str
    """The title of the document."""
    folder: str
    """The folder of the document."""
    id: str
    """The name of the row."""
    value: float
    """The figure, in its own unit."""
    unit: str
    """Its unit as printed."""
    low: float | None
    """Lowest value that the document allows; None if it states no range."""
    high: float | None
    """Highest value that the document allows; None if it states no range."""
    row: MeasuredRow
    """The row as its file states it."""
    form: Form
    """How the simulated value follows from the addresses."""
    addresses: tuple[tuple[str, str], ...]
    """Scenario file and address in its result, for one or two simulated figures."""
    factor: float
    """SI value of one unit."""
    home: Path
    """The folder of its scenarios."""
    publication: str
    """The publication that states it: its folder, unless another folder describes the same publication, too."""
    blind: BlindAnswer | None = None
    """What a version predicted before anybody had read the figure."""
    place: Place = field(default=Place(""), compare=False)
    """Where its file names the simulated figure."""

    @property
    def described_anew(self) -> bool:
        """Whether its folder describes a publication that another folder describes, too."""
        return self.publication != self.folder

    @property
    def group(self) -> str:
        """The name of its group of rows, which depend on the same mechanism."""
        return self.row.group or self.id

    @property
    def subject(self) -> tuple[str, str]:
        """The scenario file and the address of what it says most about: of a rate, the time over which it is."""
        return self.addresses[1 if self.form == "rate" else 0]

    @property
    def timed(self) -> TimedJob | None:
        """The job whose time or rate it states; None if it states another figure."""
        legal = {"rate": {"elapsed"}, "value": {"elapsed", *RATES}}
        file, address = self.subject
        owner, _, figure = address.rpartition(".")
        by_rate = self.form == "rate" or figure in RATES
        return TimedJob(file, owner, by_rate) if figure in legal.get(self.form, ()) else None

    @property
    def resolution(self) -> float:
        """Half of the range that the document allows, or half of the last digit, in the row's unit."""
        if self.low is not None and self.high is not None:
            return (self.high - self.low) / 2.0
        digits = self.row.value.split()[0].partition(".")[2]
        return 0.5 * 10.0 ** -len(digits)


@dataclass(frozen=True, slots=True)
class Measured:
    """All measured rows of one document."""

    folder: Path
    """Its folder."""
    document: str
    """Its title."""
    rows: tuple[Measurement, ...]
    """The rows."""
    publication: str
    """The publication: the folder's name, unless another folder describes the same one, too."""


def read_measured(path: Path, shown: str) -> Measured:
    """The measured rows of a file.

    Raises
    ------
    InputError
        Everything that is wrong with the file.
    """
    tree, problems = read(path, shown), list[Problem]()
    file = validate(MeasuredFile, tree, "", problems)
    if file is None:
        raise InputError(problems)
    of = Measured(path.parent, file.document, (), file.publication or path.parent.name)
    nodes = tree.mapping["measurements"].mapping
    found = [_measurement(of, name, row, nodes[name], problems) for name, row in file.measurements.items()]
    if problems:
        raise InputError(problems)
    return replace(of, rows=tuple(row for row in found if row is not None))


def _measurement(of: Measured, name: str, row: MeasuredRow, node: Node, problems: list[Problem]) -> Measurement | None:
    """A row, None after what is wrong with its figures and addresses was added to `problems`."""
    folder, address = of.folder, f"measurements.{name}"
    result = node.mapping["result"]
    form, texts = _form(result.plain())
    addresses: list[tuple[str, str]] = []
    for text in texts:
        file, _, inner = text.partition("#")
        if not os.path.isfile(folder / file) or not inner:  # noqa: PTH113 (no error for a name that none can have)
            remedy = choices(file, [p.name for p in folder.glob("*.yaml")])
            problems.append(
                Problem(result.place, f"{address}.result", f"'{text}' is not an address in a result", remedy)
            )
        addresses.append((file, inner))
    if not addresses:
        message = "is neither an address nor a form of two addresses"
        remedy = f"write file.yaml#jobs.name.elapsed, or one of {', '.join(FORMS)}: [a, b]"
        problems.append(Problem(result.place, f"{address}.result", message, remedy))
        return None
    value = _number(row.value)
    unit = value[1] if value else ""
    factor = unit_factor(unit)
    if value is None or factor is None:
        message = f"'{row.value}' is not a figure with a unit"
        problems.append(
            Problem(node.mapping["value"].place, f"{address}.value", message, "write for example '16.088 s'")
        )
        return None
    low, high = _ends(row, node, address, unit, problems)
    blind = None
    if row.blind is not None:
        given = node.mapping["blind"]
        answer = _number_in(row.blind.value, given, f"{address}.blind.value", unit, problems)
        ends = _ends(row.blind, given, f"{address}.blind", unit, problems)
        blind = None if answer is None else BlindAnswer(answer, *ends, row.blind.version)
    return Measurement(
        of.document,
        folder.name,
        name,
        value[0],
        unit,
        low,
        high,
        row,
        form,
        tuple(addresses),
        factor,
        folder,
        of.publication,
        blind,
        result.place,
    )


def _ends(
    given: MeasuredRow | GivenAnswer, node: Node, address: str, unit: str, problems: list[Problem]
) -> tuple[float | None, float | None]:
    """The lowest and the highest value of a figure, in its unit."""
    low, high = (
        _number_in(text, node, f"{address}.{key}", unit, problems)
        for key, text in (("low", given.low), ("high", given.high))
    )
    if low is not None and high is not None and low > high:
        problems.append(Problem(node.mapping["low"].place, f"{address}.low", "is above high", "write the lower first"))
    return low, high


def _number_in(text: str | None, node: Node, address: str, unit: str, problems: list[Problem]) -> float | None:
    """A figure that has to be in the unit of its row."""
    found = _number(text)
    if text is not None and (found is None or found[1] != unit):
        message = f"'{text}' is not a figure in {unit or 'no unit'}, the unit of the value"
        place = node.mapping[address.rpartition(".")[2]].place
        problems.append(Problem(place, address, message, f"write it in {unit}"))
    return found[0] if found else None


def _form(raw: object) -> tuple[Form, list[str]]:
    """The form of a result and its addresses; none where it has no legal form."""
    if isinstance(raw, str):
        return "value", [raw]
    if isinstance(raw, dict):
        for form in FORMS:
            pair: object = raw.get(form)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            if isinstance(pair, list) and len(pair) == 2 and len(raw) == 1:  # noqa: PLR2004 (a form has two sides)  # pyright: ignore[reportUnknownArgumentType]
                return form, [str(text) for text in pair]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return "value", []


def _number(text: str | None) -> tuple[float, str] | None:
    """A figure and its unit."""
    match = _NUMBER.match(text or "")
    if match is None:
        return None
    try:
        return float(match[1]), match[2] or ""
    except ValueError:
        return None


@cache
def unit_factor(unit: str) -> float | None:
    """SI value of one of a unit, None if it is no unit of time, size, rate, frequency, share or count.

    >>> unit_factor("min"), unit_factor("%"), unit_factor("KiB/s"), unit_factor("buffers")
    (60.0, 0.01, 1024.0, 1.0)
    """
    for dimension in ("s", "B", "B/s", "1/s", "1", "count"):
        try:
            return units.parse(f"1 {unit}", dimension)
        except units.UnitError:
            continue
    return None
