"""Options of several commands, and notes on standard error. Heavy imports are inside, so that help is quick."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from simbackup.errors import InputError, Place, Problem
from simbackup.text import for_terminal

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Picture = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this .png, .svg or .pdf file.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say all about the intervals, and where the inputs come from.")
]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="ADDRESS=VALUE", help="Replace a value, such as devices.cow.chunk=16KiB."),
]


SiteSets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="ADDRESS=VALUE", help="Replace a value, such as targets.pool.device.disks=14."),
]
"""`Sets` of a site."""


class Intervals(StrEnum):
    """How much work goes into intervals."""

    NONE = "none"
    QUICK = "quick"
    THOROUGH = "thorough"


class TraceKept(StrEnum):
    """What a result keeps of a run."""

    NONE = "none"
    JOBS = "jobs"
    FULL = "full"


class HoldOut(StrEnum):
    """Which half of a history is predicted and not fitted to."""

    RANDOM = "random"
    LATER = "later"
    NONE = "none"


Wanted = Annotated[
    Intervals,
    typer.Option(
        "--intervals",
        help="Intervals: none, quick (none for very large scenarios) or thorough (slow).",
    ),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Worker processes; by default as many as there are processors.", min=1)
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the Dask cluster with this scheduler, such as tcp://10.0.0.1:8786."),
]
Into = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Save results in this folder, and run only what is missing there."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of all random streams.", min=0)]


def warn(warnings: Iterable[Problem] | Iterable[str]) -> None:
    """Print warnings on standard error; problems in the order of their places."""
    for warning in dict.fromkeys(sorted(warnings)):
        print(warning, file=sys.stderr)  # noqa: T201


def overrides(sets: list[str], option: str = "--set") -> dict[str, Any]:
    """The values of `--set` options, or of another one that takes the same, by address.

    Raises
    ------
    InputError
        An option is not of the form ADDRESS=VALUE.
    """
    from dataclasses import replace  # noqa: PLC0415

    from simbackup.schema.tree import Node  # noqa: PLC0415
    from simbackup.schema.yaml_file import parse  # noqa: PLC0415

    found: dict[str, Any] = {}
    problems: list[Problem] = []

    def at(node: Node, place: Place) -> Node:
        value = node.value
        if isinstance(value, dict):
            value = {name: at(child, place) for name, child in value.items()}
        elif isinstance(value, list):
            value = [at(child, place) for child in value]
        return replace(node, value=value, place=place, key=place)

    for text in sets:
        address, equals, value = text.partition("=")
        place = Place(f"{option} {text}")
        if not equals or not address:
            problems.append(Problem(place, "", "has no value", f"write {option} ADDRESS=VALUE"))
            continue
        if address in found:
            problems.append(Problem(place, "", f"'{address}' is set twice", "keep one of the two"))
            continue
        try:
            found[address] = at(parse(f"value: {value}", f"{option} {text}").mapping["value"], place)
        except InputError as error:
            problems.extend(Problem(place, p.address, p.message, p.remedy) for p in error.problems)
    if problems:
        raise InputError(problems)
    return found


def quantity(option: str, text: str, unit: str) -> float:
    """The SI value of an option, above 0.

    Raises
    ------
    InputError
        It is no quantity of this unit.
    """
    from simbackup import units  # noqa: PLC0415

    try:
        found = units.parse(text, unit)
    except units.UnitError as error:
        raise InputError([Problem(Place(option), "", str(error))]) from None
    if found <= 0.0:
        raise InputError([Problem(Place(option), "", f"{text} is out of bounds", "write more than 0")])
    return found


def note(text: str) -> None:
    """Print a note on standard error."""
    print(for_terminal(text), file=sys.stderr)  # noqa: T201 (a command line prints)
