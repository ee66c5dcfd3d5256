"""All runs of a design, interleaved at random; what was disturbed is run again."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

from simbackup.errors import ResultError
from simbackup.lab import data
from simbackup.lab.folder import Folder, Line, Settings, full_disk, today
from simbackup.lab.runs import SHORTEST, FailedError, Shell, free_port
from simbackup.lab.setup import delayed, effort, installed
from simbackup.lab.spec import DesignSpec, LabProgramSpec, OperationSpec, load_design, load_program
from simbackup.schema.quantity import si_or

RUNS = "runs.jsonl"
LEAST_FREE = 1 << 20
"""Bytes free below which a program that fails has filled the disk."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a design."""

    program: str
    operation: str
    point: str
    repeat: int
    workers: int = 0
    """Workers that the program uses, to find its serial share; 0 for its default."""
    round_trip: float | None = None
    """Seconds of a round trip through a proxy to its server, to find how many it makes; None without a proxy."""

    @classmethod
    def of(cls, line: Line) -> Run:
        """The run that a line of the record describes."""
        return cls(**{key: line[key] for key in cls.__slots__ if key in line})


def runs_of(design: DesignSpec, programs: Sequence[str], seed: int) -> list[Run]:
    """The runs of a design, in an order drawn from the seed, so that slow changes of the machine meet all alike."""
    found = [
        Run(name, operation, point, repeat)
        for name in programs
        for operation in design.operations
        if operation in load_program(name).operations
        for point in design.points
        for repeat in range(int(design.repeats.si))
    ]
    found += [*_with_workers(design, programs), *_with_delays(design, programs)]
    random.Random(seed).shuffle(found)  # noqa: S311 (an order, no secret)
    return found


def _with_workers(design: DesignSpec, programs: Sequence[str]) -> Iterator[Run]:
    """Runs on two points with each number of workers, for programs that have an option for it."""
    text = {point: si_or(spec.text, 0.0) for point, spec in design.points.items()}
    held = [point for point in text if design.points[point].held_out]
    points = dict.fromkeys([max(text, key=text.__getitem__), *sorted(held, key=text.__getitem__)[-1:]])
    for name in programs:
        for operation, spec in load_program(name).operations.items():
            if operation in design.operations and "{workers}" in spec.run:
                for point, number in itertools.product(points, design.workers):
                    for repeat in range(int(design.repeats.si)):
                        yield Run(name, operation, point, repeat, int(number.si))


def _with_delays(design: DesignSpec, programs: Sequence[str]) -> Iterator[Run]:
    """Runs on the most small files with each delay, for programs that have a server."""
    most = max(design.points, key=lambda point: si_or(design.points[point].small, 0.0))
    for name in programs:
        program = load_program(name)
        for operation in (one for one in design.operations if program.server and one in program.operations):
            for delay in design.delays:
                for repeat in range(int(design.repeats.si)):
                    yield Run(name, operation, most, repeat, round_trip=delay.si)


def measured_runs(folder: Folder) -> list[Line]:
    """The runs that a folder holds.

    Older lines state a `delay`, which is 0 for a run without a proxy, in place of a round trip.
    """
    lines = folder.lines(RUNS)
    return [line if "round_trip" in line else {**line, "round_trip": line.get("delay") or None} for line in lines]


def is_quiet(line: Line) -> bool:
    """Whether the elapsed time of a run counts: nothing disturbed it, and it was long enough to tell."""
    return not line["disturbed"] and line["elapsed"] >= SHORTEST


@dataclass(frozen=True, slots=True)
class Measured:
    """What a call has measured: how many runs, and how many of them remain disturbed."""

    new: int
    disturbed: int
    total: int
    failed: dict[str, str]
    """What programs said that failed, by program and operation; their other runs of it were left out."""


def measure(folder: Folder, programs: Sequence[str], attempts: int, note: Callable[[str], None]) -> Measured:
    """Measure the runs that are missing.

    Parameters
    ----------
    folder
        The folder of the lab, which was set up.
    programs
        Some of its programs; all unless given.
    attempts
        How often a run is measured at most if other work disturbs it.
    note
        Is called with what is done.

    Raises
    ------
    ResultError
        A program has another version now, or the disk is full.
    """
    settings = folder.settings()
    design = load_design(settings.design)
    names = [name for name in settings.programs if name in programs or not programs]
    _check_versions(settings, names)
    with folder.locked():
        done = {Run.of(line) for line in measured_runs(folder)}
        todo = [run for run in runs_of(design, names, settings.seed) if run not in done]
        folder.check_room(effort(design, names)[0] - data.room(design))
        new = disturbed = 0
        failed: dict[str, str] = {}
        started = time.monotonic()
        for number, run in enumerate(todo):
            what = f"{run.program} {run.operation}"
            if what in failed:
                continue
            try:
                line = _measured(folder, settings, run, attempts)
            except FailedError as error:
                failed[what] = str(error)
                continue
            folder.add(RUNS, line)
            new, disturbed = new + 1, disturbed + line["disturbed"]
            left = (time.monotonic() - started) / (number + 1) * (len(todo) - number - 1)
            note(
                f"{number + 1} of {len(todo)}: {what} {run.point}, {line['cpu']:.2f} s of cores, "
                f"{line['elapsed']:.2f} s{', disturbed' * line['disturbed']}; {left / 60.0:.0f} min left"
            )
    return Measured(new, disturbed, len(done) + new, failed)


def _check_versions(settings: Settings, names: Sequence[str]) -> None:
    """Refuse a program whose version has changed since the lab was set up."""
    for name in names:
        now = installed(name)
        if now.missing:
            raise ResultError(f"{now.title}: {now.missing} is not there any more")
        if now.version != settings.programs[name]:
            raise ResultError(
                f"{now.title}: the lab was set up with version {settings.programs[name]}, and {now.version} is "
                "installed; set up a new folder"
            )


def _measured(folder: Folder, settings: Settings, run: Run, attempts: int) -> Line:
    """A run as a line of the record; it is repeated as long as it is disturbed."""
    program = load_program(run.program)
    of = program, program.operations[run.operation]
    for attempt in range(attempts):
        folder.put_aside()
        try:
            with full_disk(folder.path):
                line = _once(folder, settings, run, of)
        except FailedError as error:
            if "No space left" in str(error) or shutil.disk_usage(folder.path).free < LEAST_FREE:
                raise ResultError(f"{folder.path}: the disk is full; what was measured so far is kept") from None
            raise
        finally:
            folder.put_aside()
        if not line["disturbed"] or attempt + 1 == attempts:
            return {**line, "attempts": attempt + 1}
    raise AssertionError


def _once(folder: Folder, settings: Settings, run: Run, of: tuple[LabProgramSpec, OperationSpec]) -> Line:
    """A run, measured once."""
    program, operation = of
    scratch, source = folder.scratch, folder.path / "data" / run.point
    target, out = scratch / "target", scratch / "out"
    for path in (scratch, scratch / "home", target, out):
        path.mkdir()
    content = settings.content(run.point)
    unchanged = 0
    if operation.changes:
        shutil.copytree(source, scratch / "data", copy_function=shutil.copy2)
        source = scratch / "data"
    port = free_port()
    places = {
        "data": source, "target": target, "out": out, "home": scratch / "home", "port": port,
        "workers": run.workers or os.cpu_count() or 1,
    }  # fmt: skip
    with ExitStack() as stack:
        servers: list[int] = []
        shell = Shell(scratch, {key: _filled(value, places) for key, value in program.environment.items()})
        if program.server:
            servers = stack.enter_context(shell.serving(_filled(program.server, places), port))
        if run.round_trip is not None:
            places["port"] = stack.enter_context(delayed(port, run.round_trip))
            shell = Shell(scratch, {key: _filled(value, places) for key, value in program.environment.items()})
        for command in operation.prepare:
            shell.call(_filled(command, places))
        before = data.size_of(target)
        if operation.changes:
            time.sleep(1.1)  # programs that compare times in whole seconds see the change
            changed = data.change(source, settings.seed)
            unchanged, content = content.files - changed.files, changed
        data.into_cache(source)
        if operation.reads_target:
            data.out_of_cache(target)
        ran = shell.measure(_filled(operation.run, places), target, servers)
        stored = max(data.size_of(target) - before, 0) if not operation.reads_target else before
    return {
        **asdict(run), "bytes": content.bytes, "files": content.files, "random": content.random,
        "unchanged": unchanged, "stored": stored, **{key: round(value, 6) for key, value in asdict(ran).items()},
        "disturbed": ran.disturbed, "day": today(), "at": round(time.time(), 3),
    }  # fmt: skip


def _filled(command: str, places: dict[str, Any]) -> str:
    """A command with its places; all other braces stay."""
    for name, place in places.items():
        command = command.replace(f"{{{name}}}", str(place))
    return command
