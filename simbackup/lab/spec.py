"""What files under lab/ say: designs of measurements, and programs with their command lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import Field

from simbackup import shelf
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Multiple,
    PositiveCount,
    PositiveSize,
    Ratio,
    Text,
)
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import read

Term = Literal["start", "byte", "coded_byte", "hard_byte", "file", "unchanged"]
"""What time of a core is spent on: a start, each byte, each byte after compression, each byte that does not shrink,
each file, and each file that has not changed.
"""
UNITS: dict[Term, str] = {
    "start": "s", "byte": "s/B", "coded_byte": "s/B", "hard_byte": "s/B", "file": "s", "unchanged": "s",
}  # fmt: skip
"""The SI unit of the time of each term."""


class PointSpec(Frozen):
    """One point of a design: how much of each kind of data a program is given."""

    text: Multiple | None = None
    """Text in large files, in units of the design."""
    ratio: Ratio | None = None
    """How many times smaller zlib at level 1 makes that text; 2.2 by default."""
    random: Multiple | None = None
    """Random bytes in large files, in units of the design."""
    small: Multiple | None = None
    """Small files, in multiples of the number that the design states."""
    held_out: bool = False
    """Whether nothing is fitted to it, so that it tests what is fitted to the others."""


class DesignSpec(Frozen):
    """Which runs are measured of each program."""

    title: Text
    unit: PositiveSize
    """Bytes of one unit of text or of random bytes."""
    small_files: PositiveCount
    """Number of files, of 4 KiB each, in one portion of small files."""
    repeats: PositiveCount
    """How often each run is measured."""
    operations: tuple[Text, ...]
    """The operations that are measured, of programs that have them."""
    workers: tuple[PositiveCount, ...] = ()
    """Numbers of workers with which programs that have an option for it also work on the largest text, and on the
    largest point that is held out; none by default."""
    delays: tuple[Duration, ...] = ()
    """Times of a round trip through a proxy to the server with which programs that have one also work on the most small
    files; none by default. With 0 s, only the proxy is in the way.
    """
    points: dict[str, PointSpec]


class OperationSpec(Frozen):
    """One operation of a program: its command lines, and what its time is spent on."""

    prepare: tuple[Text, ...] = ()
    """Commands that run before, and are not measured."""
    changes: bool = False
    """Whether a tenth of the files is written anew before it runs, and only these are its files and bytes."""
    run: Text
    """The command that is measured. {workers} stands for how many it may use, one for each core by default."""
    terms: tuple[Term, ...]
    """The terms of its processor time that are fitted."""
    reads_target: bool = False
    """Whether it reads what is in the target, which is taken out of the page cache before."""
    shipped: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Jobs that simulate it with the datasheets that come along, the last of which is `run`."""
    phases: dict[str, Any] = Field(default_factory=dict)
    """The operation as a datasheet of a program says it, with $term for each time that is measured."""


class VersionSpec(Frozen):
    """How a program states its version."""

    run: Text
    pattern: Text
    """A regular expression whose first group is the version."""


class LabProgramSpec(Frozen):
    """A program that the lab can measure."""

    title: Text
    needs: tuple[Text, ...]
    """The commands that have to be installed."""
    install: Text
    """How they are installed, in words."""
    version: VersionSpec
    environment: dict[str, str] = Field(default_factory=dict)
    server: Text | None = None
    """The command of a server that listens on {port} while the program runs; its time of a core is counted apart."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options as a datasheet of a program has them."""
    operations: dict[str, OperationSpec]


Kind = TypeVar("Kind", bound=Frozen)


def _files(folder: str) -> dict[str, Path]:
    """The files of a folder of lab/, by name; the user's own first."""
    found: dict[str, Path] = {}
    for root in shelf.roots():
        for path in sorted((root / "lab" / folder).glob("*.yaml")):
            found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def _load(folder: str, name: str, kind: type[Kind]) -> Kind:
    files = _files(folder)
    path = Path(name) if name.endswith(".yaml") else files.get(name)
    if path is None:
        raise InputError([Problem(Place(f"lab/{folder}"), "", f"there is no '{name}'", choices(name, files))])
    problems: list[Problem] = []
    tree = read(path, f"lab/{folder}/{path.name}" if path in files.values() else str(path))
    found = validate(kind, tree, "", problems)
    if found is None or problems:
        raise InputError(problems)
    return found


def designs() -> list[str]:
    """The names of all designs.

    >>> "quick" in designs()
    True
    """
    return [*_files("designs")]


def load_design(name: str) -> DesignSpec:
    """The design of a name, or of a file.

    Raises
    ------
    InputError
        There is none, or something in it is wrong.
    """
    return _load("designs", name, DesignSpec)


def programs() -> list[str]:
    """The names of all programs that can be measured.

    >>> "tar" in programs()
    True
    """
    return [*_files("programs")]


def load_program(name: str) -> LabProgramSpec:
    """The program of a name.

    Raises
    ------
    InputError
        There is none, or something in its file is wrong.
    """
    return _load("programs", name, LabProgramSpec)


def held_out(design: DesignSpec) -> frozenset[str]:
    """The points of a design to which nothing is fitted."""
    return frozenset(name for name, point in design.points.items() if point.held_out)
