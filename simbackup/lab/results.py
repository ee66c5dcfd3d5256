"""What the runs of a lab say: constants of each operation, and how near they come to what was held out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simbackup import units
from simbackup.equations.intervals import student_quantile
from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.errors import ResultError
from simbackup.lab.components import FILE
from simbackup.lab.data import Content
from simbackup.lab.folder import Folder, Line
from simbackup.lab.measuring import is_quiet, measured_runs
from simbackup.lab.regression import Constants, Sample, Tested, checked, regressed, worst
from simbackup.lab.scenarios import Asked, scenario, with_constants
from simbackup.lab.spec import UNITS, DesignSpec, OperationSpec, Term, held_out, load_design, load_program
from simbackup.results.result import Result
from simbackup.run import ran

TICK = 0.01
"""Seconds of cores below which a time tells nothing."""


@dataclass(frozen=True, slots=True)
class Lab:
    """All that a lab has measured: of one machine, by one design."""

    id: str
    """What the lab is called in records: letters that say nothing about the machine's owner."""
    design: DesignSpec
    machine: Mapping[str, Any]
    lines: Sequence[Line]
    versions: Mapping[str, str]
    contents: Mapping[str, Content]

    @classmethod
    def of(cls, folder: Folder) -> Lab:
        """The lab of a folder.

        Raises
        ------
        ResultError
            It was not set up, or its components were not measured.
        """
        settings = folder.settings()
        machine = folder.read(FILE, "components")
        contents = {point: settings.content(point) for point in settings.contents}
        return cls(
            settings.id,
            load_design(settings.design),
            {**machine, "id": settings.id},
            measured_runs(folder),
            settings.programs,
            contents,
        )

    def operations(self) -> Iterator[tuple[str, str]]:
        """Each program with each of its operations that the design asks for."""
        for program in self.versions:
            for operation in load_program(program).operations:
                if operation in self.design.operations:
                    yield program, operation

    def runs(self, program: str, operation: str) -> list[Line]:
        """The runs of an operation, with its own number of workers and without a proxy."""
        return [one for one in self._all(program, operation) if not one["workers"] and one["round_trip"] is None]

    def _all(self, program: str, operation: str) -> list[Line]:
        return [one for one in self.lines if (one["program"], one["operation"]) == (program, operation)]

    def with_delays(self, program: str, operation: str) -> list[Line]:
        """The runs of an operation through a proxy."""
        return [one for one in self._all(program, operation) if one["round_trip"] is not None]

    def with_workers(self, program: str, operation: str) -> list[Line]:
        """The runs of an operation with a stated number of workers."""
        return [one for one in self._all(program, operation) if one["workers"]]

    def times_by_workers(self, program: str, operation: str) -> dict[int, float]:
        """Median elapsed times of a point of the design, of runs that nothing disturbed, by the number of workers."""
        found: dict[int, list[float]] = {}
        for line in self.with_workers(program, operation):
            if is_quiet(line) and line["point"] not in held_out(self.design):
                found.setdefault(line["workers"], []).append(line["elapsed"])
        return {number: statistics.median(times) for number, times in sorted(found.items())}


def facts(line: Line, terms: Sequence[str]) -> dict[str, float]:
    """What a run worked on, by term; bytes that do not shrink are apart if they have a term of their own."""
    hard = float(line["random"])
    apart = hard if "hard_byte" in terms else 0.0
    return {
        "start": 1.0, "byte": line["bytes"] - apart, "coded_byte": max(line["stored"] - apart, 0.0),
        "hard_byte": hard, "file": float(line["files"]), "unchanged": float(line["unchanged"]),
    }  # fmt: skip


def least(lines: Sequence[Line]) -> list[Line]:
    """The run of each point and day that took least: other work on the machine only adds to the time of a core."""
    found: dict[tuple[str, str], Line] = {}
    for line in lines:
        of = line["point"], line["day"]
        if of not in found or line["cpu"] < found[of]["cpu"]:
            found[of] = line
    return list(found.values())


def asked_of(lab: Lab, lines: Sequence[Line], point: str) -> Asked:
    """What the runs of a point worked on."""
    runs = [line for line in lines if line["point"] == point]
    one, stored = runs[0], statistics.fmean(line["stored"] for line in runs)
    share = one["files"] / (one["files"] + one["unchanged"]) if one["unchanged"] else 1.0
    content = lab.contents[point]
    return Asked(
        content, one["bytes"] / max(stored, 1.0), share, one["bytes"] / content.bytes if content.bytes else 1.0,
        one["random"] / max(one["bytes"], 1),
    )  # fmt: skip


def cpu_of(result: Result, cores: int) -> float:
    """Seconds of cores that a run took in a simulation."""
    return result.get("hosts.machine.cores.busy_s") * cores


@dataclass(frozen=True, slots=True)
class Delays:
    """What an operation takes with the most small files over a line with several delays."""

    times: Mapping[float, float]
    """Seconds by seconds of delay; other work only makes runs longer, so that the shortest of each counts."""

    @property
    def trips(self) -> float:
        """Round trips that it waits for: the slope of its times."""
        return max(statistics.linear_regression(list(self.times), list(self.times.values())).slope, 0.0)

    @property
    def foretold(self) -> float | None:
        """What the times with all other delays say of the longest, in seconds; None with less than three."""
        *others, longest = sorted(self.times)
        if len(others) < 2:  # noqa: PLR2004 (a line has two points)
            return None
        slope, start = statistics.linear_regression(others, [self.times[one] for one in others])
        return start + slope * longest

    @property
    def said(self) -> str:
        """Both in words."""
        text = f"{self.trips:.0f} round trips with the most small files"
        if self.foretold is None:
            return text
        longest = max(self.times)
        measured = self.times[longest]
        return (
            f"{text}; with {1000.0 * longest:.0f} ms, shorter delays say {self.foretold:.2f} s, and it took "
            f"{measured:.2f} s ({self.foretold / measured - 1.0:+.0%})"
        )


def delays_of(lab: Lab, program: str, operation: str) -> Delays | None:
    """What an operation takes by delay; None unless it was measured with delays."""
    lines = lab.with_delays(program, operation)
    if all(line["round_trip"] for line in lines):
        points = {line["point"] for line in lines}
        lines += [{**line, "round_trip": 0.0} for line in lab.runs(program, operation) if line["point"] in points]
    times: dict[float, float] = {}
    for line in lines:
        delay = line["round_trip"]
        times[delay] = min(times.get(delay, line["elapsed"]), line["elapsed"])
    return Delays(times) if len(times) > 1 else None


@dataclass(frozen=True, slots=True)
class Found:
    """What the runs of an operation say of it."""

    program: str
    operation: str
    constants: Constants
    """Seconds of the machine's core, for all that the program takes."""
    check: Tested | None
    """How near they come to the runs that were held out, if there are any."""
    own: Constants | None
    """What the file system and copies of memory do not explain, so what a datasheet states; None without a list."""
    computed: Mapping[str, float]
    """Seconds of cores by the datasheet, point by point."""
    elapsed: Mapping[str, float]
    """The same of elapsed time."""

    sheet: Tested | None = None
    """How near the datasheet comes to them in a simulation."""
    serial: float | None = None
    """Share of the work of several workers that one of them does while the others wait; None unless it was measured."""
    delays: Delays | None = None
    """What it takes with the most small files, by delay; None unless it was measured with delays."""
    scaled: Mapping[tuple[str, int], float] = field(default_factory=dict[tuple[str, int], float])
    """Elapsed time by the datasheet for a point with a stated number of workers."""
    waits: Sequence[float] = ()
    """Seconds by which runs of each point take longer than is explained: they wait for no core and for no disk."""
    scatter: float = 0.0
    """Standard deviation of the logarithm by which runs differ from what the datasheet says of them."""

    @property
    def wait(self) -> float:
        """Seconds of each run in which it uses nothing."""
        return _wait(self.waits)

    @property
    def accepted(self) -> bool:
        """Whether they may be written into a datasheet."""
        return all(one is not None and one.accepted for one in (self.check, self.sheet))

    @property
    def verdict(self) -> str:
        """Whether the constants are accepted, and why not."""
        what = f"{self.program} {self.operation}"
        if self.check is None:
            return f"{what}: not accepted, as nothing was held out"
        missed = f"they miss {self.check.point} by {self.check.error:+.0%}"
        if not self.check.accepted and self.check.missing is not None:
            term, nearer = self.check.missing
            return f"{what}: not accepted; {missed}; with the missing term '{term}' it is {nearer:+.0%}"
        if not self.check.accepted:
            return f"{what}: not accepted; {missed}, and no further term brings them nearer"
        if self.sheet is None:
            return f"{what}: {missed}; its file has no phases, so no datasheet is written"
        if not self.sheet.accepted:
            error = f"as a simulation with them misses {self.sheet.point} by {self.sheet.error:+.0%}"
            return f"{what}: {missed}; not accepted, {error}{self._why}"
        return f"{what}: accepted; {missed}, a simulation by {self.sheet.error:+.0%}"

    @property
    def _why(self) -> str:
        """What is simulated of the operation without the program, if that is too much."""
        if self.own is not None and self.own.negative:
            return f"; what simbackup adds for file systems and copies alone exceeds '{', '.join(self.own.negative)}'"
        return ""


@dataclass(frozen=True, slots=True)
class _Measured:
    """An operation of a program, with what a lab measured of it."""

    lab: Lab
    program: str
    name: str
    of: OperationSpec

    @property
    def terms(self) -> list[Term]:
        """The terms of which its phases state the times."""
        return stated(self.of)

    def simulated(
        self, lines: Sequence[Line], constants: Mapping[str, object], workers: int = 0
    ) -> dict[str, tuple[float, float]]:
        """Seconds of cores and elapsed time of each point in a simulation with some constants."""
        jobs = with_constants(load_program(self.program), (self.name, self.of), constants, workers)
        found: dict[str, tuple[float, float]] = {}
        for point in dict.fromkeys(line["point"] for line in lines):
            result = ran(scenario(self.lab.machine, asked_of(self.lab, lines, point), self.name, jobs))
            found[point] = cpu_of(result, int(self.lab.machine["cores"])), result.get("jobs.run.elapsed")
        return found

    def serial_share(self, constants: Mapping[str, object]) -> float | None:
        """The serial share with which several workers save as much time in a simulation as was measured.

        With n workers a run takes s (T(1) - T(n)) longer than without a serial share. None unless runs with one worker
        and with several were measured.
        """
        times = self.lab.times_by_workers(self.program, self.name)
        if 1 not in times or len(times) == 1:
            return None
        most, lines = max(times), self.lab.with_workers(self.program, self.name)
        lines = [line for line in lines if line["point"] not in held_out(self.lab.design)]
        without = {**constants, "serial_share": 0.0}
        (_, one), (_, several) = (next(iter(self.simulated(lines, without, number).values())) for number in (1, most))
        if several >= one:
            return None
        return _as_written(min(max(1.0 - (times[1] - times[most]) / (one - several), 0.0), 1.0))

    def rest(self, design: Sequence[Line]) -> list[Sample]:
        """What is left of runs for the program, after what is simulated of file systems and copies without it."""
        without = self.simulated(design, {term: "0 s" if UNITS[term] == "s" else "0 ns/B" for term in UNITS})
        return [
            Sample(facts(line, self.terms), line["cpu"] - without[line["point"]][0], line["day"]) for line in design
        ]


def _as_written(value: float) -> float:
    """A value with the digits that a datasheet has."""
    return float(f"{value:.3g}")


def _wait(waits: Sequence[float]) -> float:
    """Seconds of each run in which it uses nothing, from what each point says of them."""
    return _as_written(max(statistics.fmean(waits), 0.0)) if waits else 0.0


def _waits(design: Sequence[Line], lines: Sequence[Line], figures: Mapping[str, tuple[float, float]]) -> list[float]:
    """By how much longer the runs of each point take than a simulation of them, where other work disturbed none."""
    quiet: dict[str, list[float]] = {}
    for line in lines:
        if is_quiet(line):
            quiet.setdefault(line["point"], []).append(line["synced"])
    points = dict.fromkeys(line["point"] for line in design)
    return [statistics.median(quiet[point]) - figures[point][1] for point in points if point in quiet]


def _scatter(lines: Sequence[Line], figures: Mapping[str, tuple[float, float]], spare: int) -> float:
    """How far points are from what the constants that were fitted to them say: a standard deviation of the logarithm.

    It is that of elapsed times, or of the time of cores where these do not count. As few points tell it, it is as much
    greater as the quantile of Student's t is than that of the normal distribution.
    """
    errors: list[float] = []
    for point in dict.fromkeys(line["point"] for line in lines):
        runs, (cpu, elapsed) = [line for line in lines if line["point"] == point], figures[point]
        quiet = [line["synced"] for line in runs if is_quiet(line)]
        measured = statistics.median(quiet or [line["cpu"] for line in runs])
        errors.append(math.log((measured + TICK) / ((elapsed if quiet else cpu) + TICK)))
    return student_quantile(spare, LEVEL) / SCORE * math.sqrt(sum(error**2 for error in errors) / spare)


def found_in(lab: Lab, program: str, operation: str) -> Found | None:
    """The constants of an operation; None if too few runs were measured.

    Parameters
    ----------
    lab
        What was measured.
    program, operation
        Of which program, and what it did.
    """
    of = load_program(program).operations[operation]
    lines, held = lab.runs(program, operation), held_out(lab.design)
    design = [line for line in least(lines) if line["point"] not in held]
    others = [line for line in least(lines) if line["point"] in held]
    if len({line["point"] for line in design}) <= len(of.terms):
        return None
    samples = [Sample(facts(line, of.terms), line["cpu"], line["day"]) for line in design]
    constants = regressed(samples, of.terms)
    apart: dict[str, list[Sample]] = {}
    for one in others:
        apart.setdefault(one["point"], []).append(Sample(facts(one, of.terms), one["cpu"]))
    check = checked(constants, samples, apart) if apart else None
    delays = delays_of(lab, program, operation)
    if not of.phases:
        return Found(program, operation, constants, check, None, {}, {}, delays=delays)
    measured = _Measured(lab, program, operation, of)
    rest = measured.rest(design)
    own = regressed(rest, measured.terms)
    values: dict[str, object] = {**plain(own, lab.machine, of)}
    serial = measured.serial_share(values)
    if serial is not None:
        values["serial_share"] = serial
    figures = measured.simulated(lines, values)
    waits = _waits(design, lines, figures)
    wait = _wait(waits)
    figures = {point: (cpu, elapsed + wait) for point, (cpu, elapsed) in figures.items()}
    sheet = None
    if apart:
        seconds = {point: statistics.fmean(one.seconds for one in runs) for point, runs in apart.items()}
        sheet = worst([Tested(point, seconds[point], figures[point][0], None) for point in apart])
    scaled: dict[tuple[str, int], float] = {}
    by_workers = lab.with_workers(program, operation)
    for number in sorted({line["workers"] for line in by_workers}):
        times = measured.simulated([line for line in by_workers if line["workers"] == number], values, number)
        scaled |= {(point, number): seconds + wait for point, (_, seconds) in times.items()}
    spare = max(len({line["point"] for line in design}) - len(measured.terms) + len(own.negative), 1)
    scatter = _scatter([line for line in lines if line["point"] not in held], figures, spare)
    return Found(
        program, operation, constants, check, own, {point: cpu for point, (cpu, _) in figures.items()},
        {point: elapsed for point, (_, elapsed) in figures.items()}, sheet,
        serial, delays, scaled, waits, scatter,
    )  # fmt: skip


def stated(operation: OperationSpec) -> list[Term]:
    """The terms of which the phases of an operation state the times."""
    text = repr(operation.phases)
    return [term for term in UNITS if term == "start" or f"'${term}'" in text]


def plain(constants: Constants, machine: Mapping[str, Any], operation: OperationSpec) -> dict[str, str]:
    """Constants as a scenario says them, in time of the reference core."""
    speed = machine["speed"][1]
    return {term: units.show(float(f"{constants.values[term] * speed:.4g}"), UNITS[term]) for term in stated(operation)}


def every(lab: Lab) -> list[Found]:
    """What was found of each operation that was measured often enough.

    Raises
    ------
    ResultError
        Nothing was.
    """
    found = [one for one in (found_in(lab, *of) for of in lab.operations()) if one is not None]
    if not found:
        raise ResultError("too few runs were measured; run 'simbackup lab measure' first")
    return found
