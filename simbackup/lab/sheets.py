"""Datasheets of programs from measured constants."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import stdev
from typing import Any, cast

import yaml

from simbackup import shelf, units
from simbackup.equations.uncertainty import SCORE
from simbackup.errors import InputError
from simbackup.lab.components import FILESYSTEM_LIKE, HOST_LIKE
from simbackup.lab.folder import Folder
from simbackup.lab.regression import Constants
from simbackup.lab.results import Found, Lab, every
from simbackup.lab.scenarios import SOURCE, Mapped, core_speed, filesystem, host, phases, share_of
from simbackup.lab.spec import UNITS, Term, held_out, load_program
from simbackup.output.whole import write_whole
from simbackup.schema.datasheet import check_datasheet
from simbackup.schema.yaml_file import parse


def constants(lab: Lab, found: Found, own: Constants) -> dict[str, Mapped]:
    """The constants of an operation as values of a datasheet, in time of the reference core.

    The range is that of the scatter of the runs, and of the speed of the core. They are correlated with each other, as
    the runs leave open which of them takes how much of a time, and with this speed, as all were measured on the core.

    Parameters
    ----------
    lab, found, own
        What was measured, what it says of the operation, and what a datasheet states.
    """
    low, speed, high = lab.machine["speed"]
    core = math.log(high / low) / 2.0 / SCORE
    scatter = {term: own.deviations[term] / value for term, value in own.values.items() if value > 0.0}
    rows = [row_id(lab, found, point) for point in found.computed if point not in held_out(lab.design)]
    given: dict[str, Mapped] = {}
    for term in UNITS:
        if term not in own.values:
            continue
        value, spread, goes = own.values[term], SCORE * own.deviations[term], dict[str, float]()
        if term in scatter:
            whole = math.hypot(scatter[term], core)
            goes = {core_speed(lab.machine): core / whole} | {
                _name(lab, found, other): (
                    own.correlations.get((term, other), 0.0) * scatter[term] * scatter[other] + core * core
                ) / whole / math.hypot(scatter[other], core)
                for other in given if other in scatter
            }  # fmt: skip
        faster, slower = (
            math.hypot(spread, value * (1.0 - low / speed)),
            math.hypot(spread, value * (high / speed - 1.0)),
        )
        ends = [max(value - faster, 0.0) * speed, value * speed, (value + slower) * speed]
        shown = [units.show(float(f"{one:.4g}"), UNITS[term]) for one in ends]
        days = f"on {own.days} days" if own.days > 1 else "on one day"
        at = (
            f"lab {lab.id}, {found.program} {lab.versions[found.program]} {found.operation}: {_amount(value, term)} +- "
            f"{_amount(own.deviations[term], term)} of its core {days}; "
            f"simbackup lab setup FOLDER --program {found.program}, design '{lab.design.title}'"
        )
        given[term] = {
            "value": shown[1], "basis": "measured", "range": [shown[0], shown[2]], "shared": _name(lab, found, term),
            "correlations": {name: round(share, 3) for name, share in goes.items() if share}, "source": SOURCE,
            "at": at, "fitted_to": rows, "scatter": float(f"{found.scatter:.2g}"),
        }  # fmt: skip
    if found.wait > 0.0:
        shown, many = f"{found.wait:.3g} s", len(found.waits)
        half = SCORE * stdev(found.waits) / math.sqrt(many) if many > 1 else 0.0
        given["wait"] = {
            "value": shown, "basis": "measured", "source": SOURCE,
            "range": [f"{max(found.wait - half, 0.0):.3g} s", f"{found.wait + half:.3g} s"],
            "at": f"lab {lab.id}, {found.program} {found.operation}: elapsed times of {many} points less simulated",
        }  # fmt: skip
    if found.serial is not None:
        times = lab.times_by_workers(found.program, found.operation)
        said = ", ".join(f"{seconds:.3g} s with {number}" for number, seconds in times.items())
        given["serial_share"] = {
            "value": f"{found.serial:g}", "basis": "measured", "source": SOURCE, "fitted_to": [
                workers_id(lab, found, *of) for of in found.scaled if of[0] not in held_out(lab.design)
            ],
            "at": f"lab {lab.id}, {found.program} {found.operation}: {said}; what the simulated workers save",
        }  # fmt: skip
    return given


def row_id(lab: Lab, found: Found, point: str) -> str:
    """What the row of a point is called in a record of the lab."""
    return f"lab-{lab.id}-{found.program}-{found.operation}-{point}"


def workers_run(operation: str, point: str, number: int) -> str:
    """The name of a run with a stated number of workers."""
    return f"{operation}-{point}-workers-{number}"


def workers_id(lab: Lab, found: Found, point: str, number: int) -> str:
    """What the row of a point with a stated number of workers is called in a record of the lab."""
    return f"lab-{lab.id}-{found.program}-{workers_run(found.operation, point, number)}-elapsed"


def _name(lab: Lab, found: Found, term: str) -> str:
    """What a constant is called at all its places."""
    return f"{term} of {found.program} {found.operation}, lab {lab.id}"


def _amount(value: float, term: Term) -> str:
    return units.show_short(value, UNITS[term], 3)


def write_sheets(folder: Folder) -> tuple[list[Path], list[Found]]:
    """Write datasheets of the machine and of each program of which constants are accepted, and give all that was found.

    A datasheet has the operations whose constants predict what was held out; others are left out.

    Parameters
    ----------
    folder
        The folder of the lab.

    Raises
    ------
    InputError
        The list of a program is wrong.
    """
    lab = Lab.of(folder)
    found = every(lab)
    sheets = {"host/lab-machine": _like(HOST_LIKE, host(lab.machine))}
    sheets["filesystem/lab-files"] = _like(FILESYSTEM_LIKE, filesystem(lab.machine))
    for program in lab.versions:
        good = [one for one in found if one.program == program and one.accepted]
        if good:
            sheets[f"program/lab-{program}"] = _program(lab, program, good)
        else:  # what earlier runs said is not borne out by these
            (folder.path / "models" / "program" / f"lab-{program}.yaml").unlink(missing_ok=True)
    written: list[Path] = []
    for name, given in sheets.items():
        path = folder.path / "models" / f"{name}.yaml"
        text = yaml.safe_dump(given, sort_keys=False, allow_unicode=True, width=110)
        _, problems = check_datasheet(parse(text, str(path)), shelf.sources())
        if problems:
            raise InputError(problems)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text, edited=True)
        written.append(path)
    return written, found


def _like(name: str, values: Mapped) -> Mapped:
    """A datasheet with measured values, and the others of one that comes along."""
    given = yaml.safe_load((shelf.roots()[-1] / "models" / f"{name}.yaml").read_text(encoding="utf-8"))
    own = {key: value for key, value in values.items() if key != "model"}
    title = f"{given['kind']} of the lab: the rest is that of {name}"
    return {
        **given,
        "title": title,
        "description": f"Measured: {', '.join(own)}.",
        "parameters": given["parameters"] | own,
    }


def _program(lab: Lab, program: str, found: Sequence[Found]) -> Mapped:
    """The datasheet of a program."""
    spec = load_program(program)
    operations: Mapped = {}
    for one in found:
        if one.own is not None:
            values = constants(lab, one, one.own)
            lists = based(phases(spec.operations[one.operation], values), f"lab/programs/{program}.yaml")
            operations[one.operation] = {**share_of(values), "phases": lists}
    return {
        "title": f"{spec.title} {lab.versions[program]}".strip(), "kind": "program",
        "description": f"Measured by simbackup lab on one machine: {', '.join(operations)}.",
        "parameters": {"options": spec.options, "operations": operations},
    }  # fmt: skip


def based(given: Mapped, file: str) -> Mapped:
    """The same phases, in which sizes of items and buffers say that they are those of the program's file."""
    found: Mapped = {}
    for key, value in given.items():
        if isinstance(value, dict) and "value" not in value:
            found[key] = based(cast("Mapped", value), file)
        elif key in {"items", "buffer", "buffer_size", "request", "trips", "every", "times"} and not isinstance(
            value, dict
        ):
            found[key] = {"value": value, "basis": "derived", "rule": f"as {file} has it"}
        else:
            found[key] = value
    return found


def as_json(found: Found) -> dict[str, Any]:
    """What was found of an operation, as plain data."""
    return json.loads(
        json.dumps({
            "program": found.program, "operation": found.operation, "accepted": found.accepted,
            "error": found.check.error if found.check else None,
            "missing": found.check.missing[0] if found.check and found.check.missing else None,
            "constants": found.constants.values, "deviations": found.constants.deviations,
            "negative": found.constants.negative, "days": found.constants.days, "serial_share": found.serial,
            "round_trips": found.delays.trips if found.delays else None,
        })
    )  # fmt: skip
