"""Figures that tools measured, and a datasheet with these figures and otherwise the values of a similar device."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema.datasheet import check_datasheet
from simbackup.schema.measurable import Measurable, measured_as
from simbackup.schema.registry import sheets
from simbackup.schema.yaml_file import parse
from simbackup.text import for_line

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""A key of YAML that needs no quotes."""
DIGITS = 4
MOST_NAMED = 3
"""Maximum number of files that `at` names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure that a tool measured, in SI units, with its place in the output."""

    what: Measurable
    value: float
    place: Place
    where: str
    """The place inside the file in words, such as `jobs.0.read.bw_bytes` or `line 3`."""


@dataclass(frozen=True, slots=True)
class Output:
    """What was read from one output file: the tool with its version, the date, the figures, and what was not used."""

    tool: str
    date: str
    """Day of the measurement, `2026-11-22`; empty if the output does not say."""
    findings: tuple[Finding, ...]
    unused: tuple[Problem, ...]
    """Warnings: figures that were not used, each with the reason."""


def unused(place: Place, where: str, why: str, remedy: str = "") -> Problem:
    """Return a warning that a figure was not used."""
    return Problem(place, where, f"was not used: {why}", remedy, severity="warning")


def refused(place: Place, where: str, message: str, remedy: str = "") -> InputError:
    """Return an InputError for output that cannot be read."""
    return InputError([Problem(place, where, message, remedy)])


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A parameter of a device that was measured, in SI units."""

    parameter: str
    """The key of the datasheet."""
    what: Measurable
    """What was measured."""
    value: float
    """The median of the runs."""
    low: float
    """The least value."""
    high: float
    """The greatest value."""
    runs: int
    """Number of runs."""
    tools: tuple[str, ...]
    """The tools that measured it."""
    at: str
    """Where their outputs state it."""

    @property
    def unit(self) -> str:
        """Its SI unit."""
        return self.what.unit


@dataclass(frozen=True, slots=True)
class MeasuredSheet:
    """A datasheet from measurements."""

    text: str
    """The datasheet."""
    values: tuple[MeasuredValue, ...]
    """The values in it that were measured."""
    unused: tuple[Problem, ...]
    """Warnings about measurements that were not used."""


def measured_sheet(outputs: Sequence[Output], like: str, path: Path) -> MeasuredSheet:
    """The datasheet of a device that was measured.

    A value is the median of all runs, its range that of the runs; what was not measured is that of another datasheet,
    with its origin.

    Parameters
    ----------
    outputs
        What the tools found.
    like
        The datasheet of a like device, `kind/name`.
    path
        The file that it is for; its name is that of the device, and begins the keys of its sources.

    Raises
    ------
    InputError
        There is no such datasheet, nothing measures one of its parameters, or the values contradict each other.
    """
    sheet = shelf.load_datasheet(like)
    parameters = measured_as(sheets()[sheet.kind])
    if not parameters:
        kinds = [kind for kind, each in sheets().items() if measured_as(each)]
        message = f"the tools measure no parameter of the kind '{sheet.kind}'"
        raise InputError([Problem(Place(f"--like {like}"), "", message, f"name a datasheet of {', '.join(kinds)}")])
    left = [problem for output in outputs for problem in output.unused]
    left += [
        unused(one.place, one.where, f"a datasheet of the kind '{sheet.kind}' has no {one.what}")
        for output in outputs
        for one in output.findings
        if one.what not in parameters
    ]
    values = tuple(_values(outputs, parameters))
    if not values:
        wanted = ", ".join(parameters)
        message = f"none of these files measures a parameter of the kind '{sheet.kind}'"
        problem = Problem(Place(f"--like {like}"), "", message, f"the tools can measure: {wanted}")
        raise InputError([*left, problem])
    text = _text(sheet, values, outputs, path)
    _, problems = check_datasheet(parse(text, str(path)), shelf.sources())
    if problems:
        raise InputError([*left, *problems])
    return MeasuredSheet(text, values, tuple(left))


def _values(outputs: Sequence[Output], parameters: Mapping[Measurable, str]) -> Iterator[MeasuredValue]:
    """The measured parameters, in the order of the datasheet."""
    for what, parameter in parameters.items():
        found = [(output, one) for output in outputs for one in output.findings if one.what is what]
        if found:
            numbers = [float(f"{one.value:.{DIGITS}g}") for _, one in found]
            tools = tuple(dict.fromkeys(output.tool for output, _ in found))
            yield MeasuredValue(
                parameter, what, float(f"{median(numbers):.{DIGITS}g}"),
                min(numbers), max(numbers), len(found), tools, _at([one for _, one in found]),
            )  # fmt: skip


def _at(found: Sequence[Finding]) -> str:
    """Where the figures of one parameter stand."""
    places = [for_line(f"{Path(one.place.file).name}, {one.where}") for one in found]
    if len(places) > MOST_NAMED:
        places = [places[0], f"{len(places) - 1} more"]
    return "; ".join(places) + (f"; the median of {len(found)}" if len(found) > 1 else "")


def _text(sheet: shelf.Datasheet, values: Sequence[MeasuredValue], outputs: Sequence[Output], path: Path) -> str:
    """The text of the datasheet."""
    named = {one.parameter: one for one in values}
    old = _written(sheet.name)
    lines = [
        f"title: {json.dumps(for_line(path.stem))}",
        f"kind: {sheet.kind}",
        "description: >-",
        f"  Measured: {', '.join(named)}. The rest is that of {sheet.name}.",
        "sources:",
    ]
    key = f"{for_line(path.stem)}-measured"
    key = key if _PLAIN.fullmatch(key) else json.dumps(key)
    tools = dict.fromkeys(tool for one in values for tool in one.tools)
    lines.append(f"  {key}: {{{_work([output for output in outputs if output.tool in tools])}}}")
    lines += [f"  {name}: {text}" for name, text in old["sources"].items()]
    lines.append("parameters:")
    for name in dict.fromkeys((*old["parameters"], *named)):
        new = _measured(named[name], key) if name in named else old["parameters"][name]
        lines.append(f"  {name}: {new}")
    return "\n".join(lines) + "\n"


def _work(used: Sequence[Output]) -> str:
    """The tools as one work: their versions, and the days of their runs."""
    versions = for_line(", ".join(dict.fromkeys(output.tool for output in used)))
    days = sorted({output.date for output in used if output.date})
    dated = f"{days[0]} to {days[-1]}" if len(days) > 1 else days[0] if days else "on a day that it does not state"
    year = f", year: {days[-1][:4]}" if days else ""
    return f"title: {json.dumps(f'{versions}, run {dated}')}, kind: measurement{year}"


def _measured(one: MeasuredValue, source: str) -> str:
    """A measured value with its origin."""
    shown = [units.show(value, one.unit) for value in (one.value, one.low, one.high)]
    spread = f", range: [{shown[1]}, {shown[2]}]" if one.high > one.low else ""
    return (
        f"{{value: {shown[0]}, basis: measured{spread},\n"
        f"    source: {source}, at: {json.dumps(one.at, ensure_ascii=False)}}}"
    )


def _written(name: str) -> dict[str, dict[str, str]]:
    """The parameters and the own sources of a datasheet as they are written."""
    from ruamel.yaml import YAML  # noqa: PLC0415

    inside = Path("models") / f"{name}.yaml"
    text = next(root / inside for root in shelf.roots() if (root / inside).is_file()).read_text(encoding="utf-8")
    root: Any = YAML(typ="safe", pure=True).compose(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    found: dict[str, dict[str, str]] = {"parameters": {}, "sources": {}}
    for key, value in root.value:
        if key.value in found:
            found[key.value] = {k.value: text[v.start_mark.index : v.end_mark.index].rstrip() for k, v in value.value}
    return found


def known_like(name: str) -> None:
    """Check the name of a like datasheet before anything is read.

    Raises
    ------
    InputError
        There is none of that name.
    """
    if not shelf.exists(name):
        problem = Problem(Place(f"--like {name}"), "", "there is no such datasheet", choices(name, shelf.names()))
        raise InputError([problem])
