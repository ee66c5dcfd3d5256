"""Runs of the lab as ordinary scenarios: one host, one disk, one data set and its jobs for each point."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from simbackup import units
from simbackup.lab.components import DISK_LIKE, HOST_LIKE
from simbackup.lab.data import Content
from simbackup.lab.spec import LabProgramSpec, OperationSpec

SOURCE = "simbackup-lab"
"""The work that measured values cite, in models/sources.yaml."""
FREE = {"compress_cpu": "0 ns/B", "expand_cpu": "0 ns/B"}
"""A compressor without a cost of its own, where the steps of a program state it."""
PER_EVENT = re.compile(r"\$(\w+)")

Mapped = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a scenario is to be of: a machine by its components, and what runs worked on."""

    machine: Mapping[str, Any]
    contents: Mapping[str, Content]
    ratios: Mapping[str, float]
    """Bytes before over bytes after compression, by point."""
    changed: Mapping[str, float]
    """Share of the files that the operation works on, by point."""


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
    speed = _measured(best, low, high, "1", f"{', '.join(machine['kernels'])}: least, median and greatest")
    return {
        "model": HOST_LIKE, "cores": machine["cores"], "memory": f"{machine['memory'] / 2**30:.0f} GiB",
        "speed": {**speed, "shared": core_speed(machine)},
        "copy_rate": _measured(rate, slow, fast, "B/s", "copies of 64 MiB"),
    }  # fmt: skip


def disk(machine: Mapping[str, Any]) -> Mapped:
    """The disk of a machine, with what was measured of it."""
    values = {
        name: {"value": best, "basis": "measured", "source": SOURCE, "at": "dd", "range": [low, high]}
        for name, (low, best, high) in machine["disk"].items()
    }
    return {"model": DISK_LIKE, **values}


def scenario(asked: Asked, title: str, jobs: Callable[[str], Mapped]) -> Mapped:
    """A scenario in which each point has a machine of its own, so that none disturbs another.

    Parameters
    ----------
    asked
        The machine and the points.
    title
        Of the scenario.
    jobs
        The jobs of a point, by their names.
    """
    found: Mapped = {"title": title, "hosts": {}, "devices": {}, "data": {}, "jobs": {}}
    for point, content in asked.contents.items():
        found["hosts"][point] = {**host(asked.machine), "owns": [f"{point}-disk"]}
        found["devices"][f"{point}-disk"] = disk(asked.machine)
        data = {
            "on": f"{point}-disk", "size": f"{max(content.bytes, 1)} B", "files": max(content.files, 1),
            "directories": content.directories, "filesystem": "filesystem/ext4", "layout": "together",
            "compression": round(max(asked.ratios[point], 1.0), 4), "cached": "100 %",
        }  # fmt: skip
        share = asked.changed[point]
        if share < 1.0:
            data["change"] = {"daily": f"{share:.4%}", "daily_files": f"{share:.4%}"}
        found["data"][point] = data
        found["jobs"] |= jobs(point)
    return found


def shipped(operation: OperationSpec) -> Callable[[str], Mapped]:
    """The jobs of a point with the datasheets that come along."""

    def jobs(point: str) -> Mapped:
        return cast("Mapped", _put(operation.shipped, lambda text: text.replace("{point}", point)))

    return jobs


def with_constants(
    program: LabProgramSpec, operation: tuple[str, OperationSpec], constants: Mapping[str, object]
) -> Callable[[str], Mapped]:
    """The job of a point with measured constants.

    Parameters
    ----------
    program
        The program.
    operation
        One of its operations, with its name.
    constants
        What replaces $term in its phases, by term.
    """
    name, spec = operation
    inside = {"phases": phases(spec, constants)}

    def jobs(point: str) -> Mapped:
        job = {
            "method": "program", "operation": name, "data": point, "target": f"{point}-disk",
            "program": {"options": program.options, "operations": {name: inside}}, "compressor": FREE,
        }  # fmt: skip
        return {point: {**job, "since": "24 h"} if spec.changes else job}

    return jobs


def phases(operation: OperationSpec, constants: Mapping[str, object]) -> Mapped:
    """The phases of an operation, with values in the places of $term; it begins with what each run takes."""
    begin = {
        "begin": {"begin": {"items": "1 PB", "of": "all", "steps": {"start": {"at": "cpu", "item": constants["start"]}}}}
    }
    return {**begin, **cast("Mapped", _put(operation.phases, lambda text: _constant(text, constants)))}


def _constant(text: str, constants: Mapping[str, object]) -> object:
    found = PER_EVENT.fullmatch(text)
    return constants[found[1]] if found else text


def _put(given: object, change: Callable[[str], object]) -> object:
    """A tree of plain data, with all texts changed, keys too."""
    if isinstance(given, str):
        return change(given)
    if isinstance(given, Mapping):
        every = cast("Mapping[str, object]", given)
        return {str(change(key)): _put(value, change) for key, value in every.items()}
    if isinstance(given, Sequence):
        return [_put(each, change) for each in cast("Sequence[object]", given)]
    return given
