"""Predictions of runs, written before they are measured, and never changed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from simbackup.experiments.intervals import intervals_of
from simbackup.experiments.processes import worker_processes
from simbackup.lab.folder import Folder, Line
from simbackup.lab.measuring import is_quiet
from simbackup.lab.results import Lab, asked_of, cpu_of, found_in
from simbackup.lab.scenarios import Asked, Mapped, scenario, with_constants
from simbackup.lab.sheets import constants
from simbackup.lab.spec import held_out, load_program
from simbackup.results.record import program_version
from simbackup.run import IdleKeyWarning, simulate

FILE = "predictions.jsonl"
RATIO = 2.0
"""Compression ratio of text that predictions assume before anything was measured."""


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of `predict`."""

    new: int
    """Number of new predictions."""
    before: int
    """Number of predictions that existed before."""
    without: tuple[str, ...]
    """Operations that no shipped datasheet describes."""


def predict(folder: Folder, note: Callable[[str], None]) -> Written:
    """Predict every run of a lab, by the datasheets that come along and by those that it has measured so far.

    A prediction that was written stays as it is. One from other inputs is written beside it.

    Parameters
    ----------
    folder
        The folder of the lab, whose components were measured.
    note
        Is called with what is done.
    """
    lab = Lab.of(folder)
    with folder.locked():
        known = {(line["program"], line["operation"], line["inputs"]) for line in folder.lines(FILE)}
        before, new, without = len(folder.lines(FILE)), 0, list[str]()
        todo: list[tuple[Line, Mapped]] = []
        for program, operation in lab.operations():
            asked = list(_scenarios(lab, program, operation))
            without += [] if asked else [f"{program} {operation}"]
            for basis, point, given in asked:
                inputs = hashlib.sha256(json.dumps([given, program_version()], sort_keys=True).encode()).hexdigest()
                what = {"program": program, "operation": operation, "point": point, "basis": basis}
                if (program, operation, inputs) not in known:
                    todo.append(({**what, "inputs": inputs, "runs": len(lab.runs(program, operation))}, given))
        if todo:
            note(f"{len(todo)} predictions, each of which takes some seconds")
        with worker_processes(min(os.cpu_count() or 1, max(len(todo), 1))) as executor:
            predicted = partial(_predicted, cores=int(lab.machine["cores"]))
            scenarios = [given for _, given in todo]
            each = map(predicted, scenarios) if executor is None else executor.map(predicted, scenarios)
            for (line, _), figures in zip(todo, each, strict=True):
                folder.add(FILE, {**line, **figures})
                new += 1
    return Written(new, before, tuple(without))


def _scenarios(lab: Lab, program: str, operation: str) -> Iterator[tuple[str, str, Mapped]]:
    """The scenarios of an operation, each with the basis of its constants and its point."""
    spec = load_program(program)
    of, lines = spec.operations[operation], lab.runs(program, operation)
    title = f"{spec.title}: {operation}"
    if of.shipped:
        for point in lab.contents:
            yield "shipped", point, scenario(lab.machine, _supposed(lab, point), title, of.shipped)
    found = found_in(lab, program, operation) if lines else None
    if found is not None and found.own is not None:
        jobs = with_constants(spec, (operation, of), constants(lab, found, found.own))
        for point in dict.fromkeys(line["point"] for line in lines if line["point"] in held_out(lab.design)):
            yield "measured", point, scenario(lab.machine, asked_of(lab, lines, point), title, jobs)


def _supposed(lab: Lab, point: str) -> Asked:
    """A point before anything was measured: text shrinks as the design says, and random bytes do not."""
    content, ratio = lab.contents[point], lab.design.points[point].ratio
    text = ratio.si if ratio is not None else RATIO
    stored = (content.bytes - content.random) / text + content.random
    return Asked(content, content.bytes / max(stored, 1.0), hard=content.random / max(content.bytes, 1))


def _predicted(given: Mapped, cores: int) -> Line:
    """What a scenario predicts: the elapsed time with its interval, and the time of cores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdleKeyWarning)
        result = simulate(given)
    one = intervals_of(result)["run"].as_dict()
    return {
        **{key: _digits(one[key]) for key in ("elapsed", "low", "high")}, "cpu": _digits(cpu_of(result, cores)),
        "version": program_version(), "at": round(time.time(), 3),
    }  # fmt: skip


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


@dataclass(frozen=True, slots=True)
class Compared:
    """A prediction and the runs that were measured; times are in seconds, and medians of the runs."""

    program: str
    """The program."""
    operation: str
    """The operation."""
    point: str
    """The point of the design."""
    basis: str
    """Where constants come from: `shipped` or `measured`."""
    blind: bool
    """Whether no run of the operation had been measured when the prediction was written."""
    runs: int
    """Number of runs."""
    cpu: float
    """Measured seconds of cores."""
    predicted_cpu: float
    """Predicted seconds of cores."""
    elapsed: float | None
    """Measured elapsed time, of undisturbed runs; None if all were disturbed."""
    predicted: float
    """Predicted elapsed time."""
    low: float
    """Lower end of its 90 % interval."""
    high: float
    """Upper end of its 90 % interval."""

    @property
    def error(self) -> float:
        """Relative error of the seconds of cores."""
        return self.predicted_cpu / self.cpu - 1.0 if self.cpu else math.nan

    @property
    def holds(self) -> bool | None:
        """Whether the interval contains the elapsed time; None if every run was disturbed."""
        return None if self.elapsed is None else self.low <= self.elapsed <= self.high

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "error": self.error, "holds": self.holds}


def compare(folder: Folder) -> list[Compared]:
    """The predictions of a lab beside its runs; of several on the same basis, the first one."""
    from statistics import median  # noqa: PLC0415

    lab = Lab.of(folder)
    first: dict[tuple[str, str, str, str], Mapping[str, Any]] = {}
    for line in folder.lines(FILE):
        first.setdefault((line["program"], line["operation"], line["point"], line["basis"]), line)
    found: list[Compared] = []
    for (program, operation, point, basis), line in first.items():
        runs = [one for one in lab.runs(program, operation) if one["point"] == point]
        if runs:
            quiet = [one["synced"] for one in runs if is_quiet(one)]
            found.append(
                Compared(
                    program, operation, point, basis, line["runs"] == 0, len(runs),
                    median(one["cpu"] for one in runs), line["cpu"], median(quiet) if quiet else None,
                    line["elapsed"], line["low"], line["high"],
                )
            )  # fmt: skip
    return found
