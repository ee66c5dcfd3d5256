"""Readers: what a file of another program is, and the one function that reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from simbackup.errors import InputError, Place, Problem
from simbackup.schema.inventory import EXCEL, Inventory, read_any_text, read_bytes, read_inventory

if TYPE_CHECKING:
    from simbackup.foreign.histories.reports import MappingSpec

T = TypeVar("T")
MOST_HEAD = 1 << 17
"""Letters that the first two lines of a table take at most."""
MARKS = ",;\t"
SHEET = "vInfo"
"""The sheet of a workbook that is read if there is one; else the first."""


@dataclass(frozen=True)
class ForeignFile:
    """A file that another program wrote, and what the user said of it."""

    path: Path
    shown: str
    zone: tzinfo | None = None
    """The time zone for times without one; None if the user named none."""
    mapping: MappingSpec | None = None
    """The mapping of the columns of a table, if the user named one."""
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Headings that the user named, by column of a history."""
    idle: bool = False
    """Whether systems that are switched off count as well."""

    @property
    def excel(self) -> bool:
        """Whether it is a workbook."""
        return self.path.suffix.lower() == EXCEL

    @cached_property
    def text(self) -> str:
        """Its text; empty for a workbook."""
        if self.excel:
            read_bytes(self.path, self.shown)
            return ""
        return read_any_text(self.path, self.shown)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of its text."""
        return self.text.splitlines()

    @property
    def tabular(self) -> bool:
        """Whether it is a workbook, or its first two lines have the same mark between cells."""
        lines = self.text[:MOST_HEAD].splitlines()
        begin = [line for line in lines if line.strip() and not line.startswith("sep=")][:2]
        return self.excel or (len(begin) > 1 and any(mark in begin[0] and mark in begin[1] for mark in MARKS))

    @cached_property
    def table(self) -> Inventory | None:
        """Its table, in which columns without a name of their own are left out; None if it is none."""
        try:
            return read_inventory(self.path, self.shown, sheet=SHEET, strict=False)
        except InputError:
            return None

    @property
    def in_zone(self) -> tzinfo:
        """The time zone of its times that name none."""
        return self.zone or UTC

    def zone_note(self, program: str) -> str:
        """The note that a program states no time zone."""
        named = str(self.zone) if self.zone is not None else "UTC, because --zone names no other"
        return f"{program} states no time zone; its times were read as {named}"

    def problem(self, line: int, message: str, remedy: str = "") -> Problem:
        """What is wrong in a line."""
        return Problem(Place(self.shown, line, 1), "", message, remedy)


def matching(*patterns: str) -> Callable[[ForeignFile], bool]:
    """What tells whether a text has something for each of some patterns."""
    forms = [re.compile(pattern, re.MULTILINE) for pattern in patterns]
    return lambda source: all(form.search(source.text) for form in forms)


@dataclass(frozen=True, slots=True)
class FormatReader(Generic[T]):
    """One format: the program that writes it, the command that makes it do so, and how it is read."""

    program: str
    """The program and its versions, as in the documentation."""
    command: str
    """The command or action that writes the format."""
    recognises: Callable[[ForeignFile], bool]
    """Whether a file is of this format."""
    read: Callable[[ForeignFile], T] | None = None
    """What it holds; None if it lacks what every command needs."""
    lacks: str = ""
    """What a format without `read` lacks, and what has it."""
