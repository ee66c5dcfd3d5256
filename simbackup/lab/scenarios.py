"""Runs of the lab as ordinary scenarios: one host, one disk, one data set, and the job `run`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from simbackup import units
from simbackup.lab.components import DISK_LIKE, FILESYSTEM_LIKE, HOST_LIKE
from simbackup.lab.data import Content
from simbackup.lab.spec import LabProgramSpec, OperationSpec

SOURCE = "simbackup-lab"
"""The work that measured values cite, in models/sources.yaml."""
FREE = {"compress_cpu": "0 ns/B", "expand_cpu": "0 ns/B"}
"""A compressor without a cost of its own, where the steps of a program state it."""
EACH_CORE = "cores"
"""Workers of a group that has one for each core."""
PLACE = re.compile(r"\$(\w+)")

Mapped = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run works on."""

    content: Content
    """All of the data."""
    ratio: float
    """Bytes before over bytes after compression."""
    changed: float = 1.0
    """Share of the files that it works on."""
    changed_bytes: float = 1.0
    """Share of the bytes that it works on."""
    hard: float = 0.0
    """Share of these bytes that do not shrink."""


def core_speed(machine: Mapping[str, Any]) -> str:
    """The name of the one unknown behind all times of a core that were measured on a machine."""
    return f"core speed of lab machine {machine.get('id', 'here')}"


def _measured(value: float, low: float, high: float, unit: str, at: str) -> Mapped:
    """A measured value with its range."""
    ends = [units.show(float(f"{one:.4g}"), unit) for one in (value, low, high)]
    found: Mapped = {"value": ends[0], "basis": "measured", "source": SOURCE, "at": at}
    return {**found, "range": ends[1:]} if high > low else found


def host(machine: Mapping[str, Any]) -> Mapped:
    """The host that a machine is, with what was measured of it."""
    (low, best, high), (slow, rate, fast) = machine["speed"], machine["copy_rate"]
    speed = _measured(best, low, high, "1", f"{', '.join(machine['kernels'])}: their geometric mean")
    return {
        "model": HOST_LIKE,
        **{
            key: {"value": value, "basis": "measured", "source": SOURCE, "at": "as the system counts them"}
            for key, value in (("cores", machine["cores"]), ("memory", f"{machine['memory'] / 2**30:.0f} GiB"))
        },
        "speed": {**speed, "shared": core_speed(machine)},
        "copy_rate": _measured(rate, slow, fast, "B/s", "64 MiB written to the page cache and read"),
    }  # fmt: skip


def filesystem(machine: Mapping[str, Any]) -> Mapped:
    """The file system of a machine, with what files in the page cache take there, in time of the reference core."""
    speed = machine["speed"][1]
    costs = {
        name: _measured(best * speed, low * speed, high * speed, "s/file", "small files in the page cache")
        for name, (low, best, high) in machine["filesystem"].items()
    }
    return {"model": FILESYSTEM_LIKE, **costs}


def disk(machine: Mapping[str, Any]) -> Mapped:
    """The disk of a machine, with what was measured of it."""
    values = {
        name: {"value": best, "basis": "measured", "source": SOURCE, "at": "dd", "range": [low, high]}
        for name, (low, best, high) in machine["disk"].items()
    }
    return {"model": DISK_LIKE, **values}


def data(machine: Mapping[str, Any], asked: Asked, on: str, jobs: Collection[Mapped]) -> Mapped:
    """The data of a run, in the page cache, for some jobs."""
    given: Mapped = {
        "on": on, "size": f"{max(asked.content.bytes, 1)} B", "files": max(asked.content.files, 1),
        "filesystem": filesystem(machine), "layout": "together", "cached": "100 %",
    }  # fmt: skip
    if any("compressor" in job for job in jobs):
        ratio = round(max(asked.ratio, 1.0), 4)
        shrunk = {"value": ratio, "basis": "measured", "source": SOURCE, "at": "bytes before and after compression"}
        given |= {"compression": shrunk, "incompressible": round(min(asked.hard, 1.0 / ratio), 9)}
    if any("since" in job for job in jobs):
        given["change"] = {"daily": f"{asked.changed_bytes:.4%}", "daily_files": f"{asked.changed:.4%}"}
    return given


def scenario(machine: Mapping[str, Any], asked: Asked, title: str, jobs: Mapped) -> Mapped:
    """The scenario of one run: the data are on the disk of the machine, and so is what is written.

    Parameters
    ----------
    machine
        What was measured of its components.
    asked
        The data.
    title
        Of the scenario.
    jobs
        The jobs, of which `run` is the one that was measured.
    """
    return {
        "title": title, "hosts": {"machine": {**host(machine), "owns": ["disk"]}}, "devices": {"disk": disk(machine)},
        "data": {"data": data(machine, asked, "disk", jobs.values())}, "jobs": jobs,
    }  # fmt: skip


def together(machine: Mapping[str, Any], title: str, runs: Mapping[str, tuple[Asked, Mapped]]) -> Mapped:
    """The scenario of many runs, each a job on a machine of its own, so that none waits for another.

    Parameters
    ----------
    machine
        What was measured of its components.
    title
        Of the scenario.
    runs
        The data and the job of each run, by name.
    """
    own_host, own_disk, files = host(machine), disk(machine), filesystem(machine)
    return {
        "title": title,
        "hosts": {machine_of(name): {**own_host, "owns": [f"{name}-disk"]} for name in runs},
        "devices": {f"{name}-disk": own_disk for name in runs},
        "data": {
            f"{name}-data": {**data(machine, asked, f"{name}-disk", [job]), "filesystem": files}
            for name, (asked, job) in runs.items()
        },
        "jobs": {name: {**job, "data": f"{name}-data", "target": f"{name}-disk"} for name, (_, job) in runs.items()},
    }


def machine_of(name: str) -> str:
    """The machine of a run among others."""
    return f"{name}-machine"


def with_constants(
    program: LabProgramSpec, operation: tuple[str, OperationSpec], constants: Mapping[str, object], workers: int = 0
) -> Mapped:
    """The job of a run with measured constants.

    Parameters
    ----------
    program
        The program.
    operation
        One of its operations, with its name.
    constants
        What replaces $term in its phases, by term; and its `wait` and its `serial_share`, if they are known.
    workers
        Workers of the groups that otherwise have one for each core; 0 for these.
    """
    name, spec = operation
    found = phases(spec, constants)
    for groups in found.values():
        for group in groups.values():
            if workers and group.get("workers") == EACH_CORE:
                group["workers"] = workers
    used = {group.get("workers") for groups in found.values() for group in groups.values()}
    job = {
        "method": "program", "operation": name, "data": "data", "target": "disk",
        "program": {
            "options": {option: number for option, number in program.options.items() if option in used},
            "operations": {name: {**share_of(constants), "phases": found}},
        },
    }  # fmt: skip
    shrinks = {"compressor": FREE} if "coded_byte" in spec.terms else {}
    return {"run": {**job, **shrinks, **({"since": "24 h"} if spec.changes else {})}}


def share_of(constants: Mapping[str, object]) -> Mapped:
    """The serial share of an operation, if it is known."""
    return {"serial_share": constants["serial_share"]} if "serial_share" in constants else {}


def phases(operation: OperationSpec, constants: Mapping[str, object]) -> Mapped:
    """The phases of an operation, with values in the places of $term; it begins with what each run takes."""
    steps: Mapped = {"start": {"at": "cpu", "item": constants["start"]}}
    if "wait" in constants:
        steps["wait"] = {"wait": constants["wait"]}
    begin = {"begin": {"begin": {"items": "1 PB", "of": "all", "steps": steps}}}
    return {**begin, **cast("Mapped", _put(operation.phases, constants))}


def _put(given: object, constants: Mapping[str, object]) -> object:
    """A tree of plain data with values in the places of $term."""
    if isinstance(given, str):
        found = PLACE.fullmatch(given)
        return constants[found[1]] if found else given
    if isinstance(given, Mapping):
        every = cast("Mapping[str, object]", given)
        return {key: _put(value, constants) for key, value in every.items()}
    return given
