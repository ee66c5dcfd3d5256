"""`Point`: one run of a study, its key in the store, its result, and means of figures over several seeds."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from simbackup import shelf
from simbackup.equations.intervals import Interval, mean_interval, unpaired_difference
from simbackup.errors import InputError, Place, Problem, ResultError
from simbackup.results.causes import by_address, split
from simbackup.results.declared_waits import declared_shares
from simbackup.results.record import program_version
from simbackup.results.result import Result
from simbackup.run import Progress, ran
from simbackup.scenario import Scenario, load, nothing_to_do
from simbackup.schema import registry
from simbackup.uncertainty.fitted import GivenRows
from simbackup.uncertainty.whole import bounds_at

Figure = float | str | None

HALF = " ±"
"""Ending of the column with half the width of a figure's interval of confidence, 95 %."""


def together(address: str, figures: Sequence[Figure]) -> dict[str, Figure]:
    """The columns of a figure over all seeds: its mean and half its interval; for words, each with its count.

    A figure that is missing for any seed, as its job failed, has no mean.

    >>> together("jobs.full.elapsed", [9.0, 11.0])["jobs.full.elapsed"]
    10.0
    >>> together("jobs.full.cause", ["links.lan", "links.lan"])
    {'jobs.full.cause': 'links.lan'}
    """
    numbers = [figure for figure in figures if isinstance(figure, int | float)]
    words = Counter(figure for figure in figures if isinstance(figure, str))
    if words:
        often = words.most_common()
        return {address: often[0][0] if len(often) == 1 else ", ".join(f"{word} {count}" for word, count in often)}
    if len(numbers) < len(figures):
        return {address: None, address + HALF: None}
    return {address: (found := mean_interval(numbers)).mean, address + HALF: found.half}


def difference(address: str, figures: Sequence[Figure], others: Sequence[Figure], *, paired: bool = True) -> Interval:
    """The difference of two figures over all seeds; figures with the same seed share their draws, unless not `paired`.

    Raises
    ------
    ResultError
        A figure is missing, or is not a number.

    >>> difference("jobs.full.elapsed", [9.0, 11.0, 10.0], [8.0, 10.0, 9.0])
    Interval(mean=1.0, half=0.0)
    """
    pairs: list[tuple[float, float]] = []
    for one, other in zip(figures, others, strict=True):
        if not isinstance(one, int | float) or not isinstance(other, int | float):
            raise ResultError(f"{address}: {one!r} and {other!r} cannot be subtracted")
        pairs.append((one, other))
    if not paired:
        return unpaired_difference([one for one, _ in pairs], [other for _, other in pairs])
    return mean_interval([one - other for one, other in pairs])


CASE = "case"
"""Column of the names of cases."""
REFUSED = "refused: "
"""Prefix of the reason why a point could not be run."""
KEPT = 16
"""Number of unvaried scenarios that a process keeps."""

Values = dict[str, str | list[str] | dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a study."""

    scenario: str
    """The name of the scenario in the study."""
    file: str
    """Its file."""
    case: str | None
    """The name of its case; None without cases."""
    together: Values
    """Values of the case, by address."""
    varied: Values
    """Values that the study varies, by address."""
    show: tuple[str, ...]
    """The figures that are wanted."""
    seed: int
    """The seed of random numbers."""

    @property
    def values(self) -> Values:
        """All values that replace those of the file, by address."""
        return self.together | self.varied

    def moved(self, values: Mapping[str, object]) -> Point:
        """The same point with other values at some addresses."""
        return replace(self, varied={**self.varied, **values})

    @property
    def names(self) -> dict[str, str]:
        """The columns that identify its row."""
        case = {} if self.case is None else {CASE: self.case}
        return {"scenario": self.scenario, **case, **{name: _shown(value) for name, value in self.varied.items()}}

    def __str__(self) -> str:
        named = ", ".join(text if name in {"scenario", CASE} else f"{name}={text}" for name, text in self.names.items())
        return f"{named}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class PointResult:
    """The outcome of one run of a study.

    If the point could not be run, `problems` or `lost` say why.
    """

    key: str
    """Digest of everything that the figures depend on; empty if no store needs it."""
    figures: Mapping[str, Figure] = field(default_factory=dict[str, Figure])
    """The figures, by name; None for those of a failed job."""
    failed: str | None = None
    """Why jobs failed; None if none failed."""
    records: int = 0
    """Number of records in the trace."""
    bounds: Mapping[str, float] = field(default_factory=dict[str, float])
    """Lower bounds of times, by figure."""
    declared: Mapping[str, float] = field(default_factory=dict[str, float])
    """Share (0 to 1) of each figure that consists of declared waits."""
    given: Mapping[str, float] = field(default_factory=dict[str, float])
    """Simulated figures of the measured rows to which constants of its file were fitted."""
    problems: tuple[Problem, ...] = ()
    """Why the scenario was refused; empty if it was not."""
    lost: str = ""
    """Why the run was lost; empty if it was not."""

    @property
    def refused(self) -> bool:
        """Whether the point could not be run."""
        return bool(self.problems or self.lost)

    @property
    def why(self) -> str | None:
        """Why figures are missing: the reasons of failed jobs, or why the point could not be run."""
        if self.problems:
            return REFUSED + "; ".join(f"{each.address}: {each.message}".removeprefix(": ") for each in self.problems)
        return self.lost or self.failed


class Batch(NamedTuple):
    """The points of one study in a process: files are read once for a batch, and again for the next."""

    name: str
    """Its name, which no other batch has."""
    keyed: bool = False
    """Whether outcomes need their keys."""

    def key(self, point: Point) -> str | None:
        """The key of a point; None if its values are refused."""
        try:
            return key_of(_resolved(self, point), point.seed)
        except InputError:
            return None

    def run(self, point: Point) -> PointResult:
        """The outcome of a point, including whatever goes wrong."""
        try:
            scenario = _resolved(self, point)
            found = outcome_of(point, scenario)
            return replace(found, key=key_of(scenario, point.seed)) if self.keyed else found
        except InputError as error:
            return PointResult("", problems=error.problems)
        except Exception as error:  # noqa: BLE001 (a defect at one point must not stop the others)
            return PointResult("", lost=f"{type(error).__name__}: {error}")


def _shown(value: str | list[str] | dict[str, Any] | None) -> str:
    """A value as the table names it."""
    if isinstance(value, dict):
        return str(value.get("value", value))
    return "none" if value is None else value if isinstance(value, str) else ", ".join(value)


def resolved(point: Point) -> Scenario:
    """The scenario of a point, with its values.

    Raises
    ------
    InputError
        Something is wrong with it.
    """
    return _with_jobs(load(point.file, point.values))


def _resolved(batch: Batch, point: Point) -> Scenario:
    """The same; its file is read once for a batch."""
    base = _base(batch, point.file)
    if base is None:  # the values may make right what is wrong
        return resolved(point)
    return _with_jobs(base.with_(point.values) if point.values else base)


@lru_cache(maxsize=KEPT)
def _base(batch: Batch, file: str) -> Scenario | None:
    del batch
    try:
        return load(file)
    except InputError:
        return None


def _with_jobs(scenario: Scenario) -> Scenario:
    if not scenario.spec.jobs:
        raise InputError([nothing_to_do(scenario)])
    return scenario


def key_of(scenario: Scenario, seed: int) -> str:
    """Thirty-two digits that change with everything a run depends on: scenario, datasheets, seed, and program."""
    return hashlib.sha256(json.dumps([scenario.hash, seed, code_version()]).encode()).hexdigest()[:32]


@cache
def code_version() -> str:
    """The version of the program and of installed rooms, with a digest of the program's own source.

    Between two releases only the digest changes.
    """
    folder = Path(shelf.__file__).parent
    source = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        source.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    rooms = {
        f"{point.dist.name} {point.dist.version}"
        for group in (*registry.FAMILIES, shelf.DATA)
        for point in registry.offered(group)
        if point.dist is not None
    }
    return " ".join((program_version(), source.hexdigest()[:16], *sorted(rooms)))


def outcome_of(point: Point, scenario: Scenario, progress: Progress | None = None) -> PointResult:
    """What a point gives in its scenario; figures of a job that failed are None, as its times mean nothing."""
    result = ran(scenario, seed=point.seed, progress=progress)
    status = {row["job"]: row["status"] for row in result.job_rows}
    reported = "; ".join(f"{row['job']}: {row['reason']}" for row in result.job_rows if row["status"] == "failed")
    try:
        figures = {address: _figure(result, address, status) for address in point.show}
    except ResultError as error:
        raise InputError([Problem(Place(point.file), point.scenario, str(error))]) from None
    bounds = bounds_at(result, point.show)
    declared, given = declared_shares(result, point.show), GivenRows.of_case(scenario)({scenario.name: result})
    return PointResult("", figures, reported or None, result.trace.length, bounds, declared, given)


def _figure(result: Result, address: str, status: Mapping[str, str]) -> Figure:
    """One figure of a result, or a word about one of its jobs."""
    owner, _, column = address.rpartition(".")
    section, _, job = owner.partition(".")
    if section != "jobs" or job not in status:
        return result.get(address)
    if column in {"status", "reason"}:
        return next(str(row[column]) for row in result.job_rows if row["job"] == job)
    if status[job] in {"failed", "skipped"}:
        return None
    return _cause(result, job) if column == "cause" else result.get(address)


def _cause(result: Result, job: str) -> str:
    """The address that takes most of a job's time, the first among equals; empty where it took none."""
    spent = by_address(split(result, job))
    return max(spent, key=lambda address: spent[address], default="")
