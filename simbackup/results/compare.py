"""Measured beside simulated: where the documents are, errors, computed roles, and sums over a document."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from simbackup import shelf
from simbackup.errors import ResultError
from simbackup.files import whole
from simbackup.schema.measured import Measured, Measurement, read_measured
from simbackup.shelf import MEASURED

if TYPE_CHECKING:
    from simbackup.results.record import UsedValue
    from simbackup.results.result import Result


PUBLISHED = "published"
"""The collection that is meant where none is named."""
LAB = "lab"
"""The records of labs, a folder beside scenarios/ and no collection in it: they are no publications."""


def documents(collection: str = PUBLISHED, begins: str = "") -> list[Measured]:
    """All documents of a collection, of the records of labs, or of every collection for `*`, by their folders' names.

    Only those are read whose names begin with a text.

    >>> [document.folder.name[:3] for document in documents()][:2]
    ['000', '001']
    """
    found: dict[str, Measured] = {}
    for root in shelf.roots():
        within = root if collection == LAB else root / "scenarios"
        for path in sorted(within.glob(f"{collection}/*/{MEASURED}")):
            if path.parent.name.startswith(begins) and path.parent.name not in found:
                found[path.parent.name] = read_measured(path, shelf.shown(path))
    return [found[folder] for folder in sorted(found)]


def collections() -> list[str]:
    """The names of all collections.

    >>> collections()
    ['published', 'validation', 'without-figures']
    """
    found = (path for root in shelf.roots() for path in (root / "scenarios").glob(f"*/*/{MEASURED}"))
    return sorted({path.parent.parent.name for path in found})


def scenario_name(measurement: Measurement, file: str) -> str:
    """Name of the scenario that a measured row refers to, or its path where it is in no root."""
    path = measurement.home / file
    shown = shelf.shown(whole(path))
    known = shown.startswith("scenarios/")
    return shown.removeprefix("scenarios/").removesuffix(".yaml") if known else str(path)


TOLERANCE = 0.10
"""Relative error within which a row counts as reproduced, beside the interval that the document allows."""
IDENTIFIED = 0.25
"""Relative half width of the simulated interval beyond which a row proves little."""

Role = Literal["input", "duplicate", "projection", "structural", "fitted", "seen", "opened", "held-out"]

Interval = tuple[float, float]
ANY = (-math.inf, math.inf)
"""The bounds of a figure without bounds."""
NO_RESULT = frozenset({"input", "duplicate", "projection"})
"""Roles of rows that do not count: they are in no median, no model error and no coverage."""


@dataclass(frozen=True, slots=True)
class Row:
    """A measured figure and the simulated one, in the unit of the document."""

    measurement: Measurement
    """The measured figure."""
    simulated: float
    """The simulated figure."""
    role: Role
    """What the row proves."""
    interval: Interval | None = None
    """The figure over the assumed ranges of inputs; None if that was not computed."""
    bounds: Interval = ANY
    """Least and greatest possible value, given what links can carry."""
    cases: tuple[float, ...] = ()
    """The figure in the cases behind the interval."""
    moved: float = 0.0
    """Bytes that the job moved, if the row states the time or rate of a job; otherwise 0."""
    answer: Interval | None = None
    """The 90 % interval that the program states today, including model error."""

    @property
    def error(self) -> float:
        """Relative error with its sign: 0 within the range that the document allows; absolute if 0 was measured."""
        return error_of(self.measurement, self.simulated)

    @property
    def blind_error(self) -> float | None:
        """The error of the blind answer; None without one."""
        blind = self.measurement.blind
        return None if blind is None else error_of(self.measurement, blind.value)

    @property
    def blind_interval(self) -> Interval | None:
        """The 90 % interval of the blind answer; None without one."""
        blind = self.measurement.blind
        if blind is None or blind.low is None or blind.high is None:
            return None
        return blind.low, blind.high

    def holds(self, interval: Interval) -> bool:
        """Whether an interval contains the measured value, or overlaps the range that the document allows."""
        m = self.measurement
        low = m.value if m.low is None else m.low
        high = m.value if m.high is None else m.high
        return interval[0] <= high and low <= interval[1]

    @property
    def predicted(self) -> bool:
        """Whether a version predicted the row, and nothing is fitted to it today either."""
        m = self.measurement
        return m.blind is not None and self.is_result and not m.row.fit and self.role != "fitted"

    @property
    def within(self) -> bool:
        """Whether the row is reproduced."""
        return abs(self.error) <= TOLERANCE

    @property
    def adapted(self) -> bool:
        """Whether a value was fitted to its group, or chosen or changed after its figures were seen."""
        return self.role in {"fitted", "seen"}

    @property
    def is_result(self) -> bool:
        """Whether the row counts: it is no input, no duplicate and no projection."""
        return self.role not in NO_RESULT

    @property
    def is_moved(self) -> bool:
        """Whether the row counts and some value can move it."""
        return self.is_result and self.role != "structural"

    @property
    def identified(self) -> bool:
        """Whether the simulated figure stays within a quarter of itself over the assumed ranges."""
        if self.interval is None or self.simulated == 0:
            return True
        return max(self.interval[1] - self.simulated, self.simulated - self.interval[0]) <= IDENTIFIED * abs(
            self.simulated
        )

    @property
    def verdict(self) -> str:
        """The verdict on the row in a word or two."""
        off = self.measurement.row.off
        if off is not None:
            return "declared off" if not self.within else "declared off, but right"
        return "yes" if self.within else "NO"

    @property
    def good(self) -> bool:
        """Whether the row is reproduced, or rightly declared off."""
        return self.within == (self.measurement.row.off is None)

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        m = self.measurement
        blind = m.blind._asdict() if m.blind else {"value": None, "low": None, "high": None, "version": None}
        return {
            "document": m.document, "publication": m.folder, "id": m.id, "group": m.group, "operation": m.row.operation,
            "quantity": m.row.quantity, "unit": m.unit, "measured": m.value, "low": m.low, "high": m.high,
            "simulated": self.simulated, "error": self.error, "blind": blind["value"],
            "blind_low": blind["low"], "blind_high": blind["high"], "blind_version": blind["version"],
            "blind_error": self.blind_error, "predicted": self.predicted, "role": self.role, "within": self.within,
            "scenario": ", ".join(dict.fromkeys(scenario_name(m, file) for file, _ in m.addresses)),
            "kind": m.row.kind, "off": m.row.off, "interval": list(self.interval) if self.interval else None,
            "identified": self.identified, "answer": list(self.answer) if self.answer else None,
        }  # fmt: skip


def error_of(measurement: Measurement, answer: float) -> float:
    """Relative error of an answer, in the unit of the row: see `Row.error`."""
    m = measurement
    low = m.value if m.low is None else m.low
    high = m.value if m.high is None else m.high
    if low <= answer <= high:
        return 0.0
    return answer - m.value if m.value == 0 else answer / m.value - 1.0


def figure(measurement: Measurement, results: Mapping[str, Result]) -> float:
    """The simulated figure of a measured row, in the row's unit.

    Raises
    ------
    ResultError
        The second of two figures is 0.
    """
    values = [results[file].get(inner) for file, inner in measurement.addresses]
    if measurement.form == "value":
        si = values[0]
    elif values[1] == 0.0:
        address = "#".join(measurement.addresses[1])
        raise ResultError(f"{measurement.place}: {measurement.id}: {address} is 0, so there is no {measurement.form}")
    elif measurement.form in {"saved", "loss"}:
        si = 1.0 - values[0] / values[1]
    else:
        si = values[0] / values[1]
    return si / measurement.factor


def _moved(measurement: Measurement, results: Mapping[str, Result]) -> float:
    """Bytes of the job whose time or rate a row states; 0 if it states another figure."""
    if measurement.timed is None:
        return 0.0
    file, owner, _ = measurement.timed
    return next((float(row["bytes"]) for row in results[file].job_rows if f"jobs.{row['job']}" == owner), 0.0)


def role(
    measurement: Measurement, results: Mapping[str, Result], groups: Mapping[str, str], *, opened: bool = False
) -> Role:
    """What a row proves, from its kind and the origins of the values that it depends on.

    `fitted`: a constant was fitted to its group; `seen`: a value was chosen or changed after somebody had seen a row of
    its group. The rows of a document that was answered blindly were `opened` afterwards, so that mechanisms may have
    been made with them in view: they are never held-out.
    """
    if all(any(v.address == inner for v in results[file].values) for file, inner in measurement.addresses):
        return "input"
    kind = measurement.row.kind
    if kind != "result":
        return kind
    values = [value for file in dict(measurement.addresses) for value in results[file].values]

    def named(rows: Iterable[str]) -> bool:
        return any(groups.get(row) == measurement.group for row in rows)

    if any(named(value.fitted_to) for value in values):
        return "fitted"
    if any(named(value.seen) for value in values):
        return "seen"
    return "opened" if opened else "held-out"


def compared(measured: Measured, results: Mapping[str, Result]) -> list[Row]:
    """Every measured row of a document whose scenarios have been run."""
    groups = {m.id: m.group for m in measured.rows}
    opened = any(m.blind is not None for m in measured.rows)
    return [
        Row(m, figure(m, results), role(m, results, groups, opened=opened), moved=_moved(m, results))
        for m in measured.rows
        if all(file in results for file, _ in m.addresses)
    ]


def rows_of_scenario(result: Result) -> list[Row]:
    """The measured rows that the scenario of one result reproduces alone."""
    name = result.record.scenario
    for measured in documents("*"):
        files = {file for m in measured.rows for file, _ in m.addresses}
        for file in files:
            if name.endswith(f"{measured.folder.name}/{file.removesuffix('.yaml')}"):
                return compared(measured, {file: result})
    return []


def constants(results: Iterable[Result], measured: Measured) -> dict[str, UsedValue]:
    """The constants that were fitted to rows of a document or chosen after seeing them, by their place."""
    ids = {m.id for m in measured.rows}
    found: dict[str, UsedValue] = {}
    for result in results:
        for value in result.values:
            if not ids.isdisjoint((*value.fitted_to, *value.seen)):
                found.setdefault(value.place, value)
    return found


@dataclass(frozen=True, slots=True)
class GroupErrors:
    """Errors of groups of rows; that of a group is the median of its rows."""

    groups: int
    """Number of groups."""
    median: float | None
    """Median error; None without groups."""
    worst: float | None
    """Greatest error; None without groups."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> GroupErrors:
        """The errors of some rows, group by group."""
        groups: dict[str, list[float]] = {}
        for row in rows:
            groups.setdefault(row.measurement.group, []).append(abs(row.error))
        errors = [statistics.median(group) for group in groups.values()]
        return cls(len(errors), statistics.median(errors), max(errors)) if errors else cls(0, None, None)


@dataclass(frozen=True, slots=True)
class Summary:
    """How well a document is reproduced.

    Errors are those of groups, without structural rows, which no value can move.
    """

    document: str
    """The document."""
    rows: int
    """All rows."""
    results: int
    """Rows that count: no inputs, duplicates or projections."""
    within: int
    """Results that are reproduced."""
    off: int
    """Results that are declared off."""
    roles: Counter[Role]
    """Results by what they prove."""
    errors: GroupErrors
    """Errors of all results."""
    held_out: GroupErrors
    """Errors of held-out results."""
    constants: int
    """Constants that were fitted to rows of the document, or chosen after they were seen."""
    one_row: int
    """Those of them for which this was a single row."""


def summary(document: str, rows: Sequence[Row], constants: Sequence[UsedValue]) -> Summary:
    """The summary of one document, from its rows and the constants behind them."""
    results = [row for row in rows if row.is_result]
    moving = [row for row in results if row.role != "structural"]
    return Summary(
        document, len(rows), len(results), sum(row.within for row in results),
        sum(row.measurement.row.off is not None for row in results), Counter(row.role for row in results),
        GroupErrors.of(moving), GroupErrors.of([row for row in moving if row.role == "held-out"]), len(constants),
        sum(len({*one.fitted_to, *one.seen}) == 1 for one in constants),
    )  # fmt: skip
