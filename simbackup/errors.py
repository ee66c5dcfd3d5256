"""One family of errors that speak to the person who wrote the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from simbackup.text import for_line

_LONG = re.compile(r"\S{200,}")
"""A word too long to show in full."""
LONGEST_LIST = 32
"""Legal words that a message lists; of more it names a few."""


def _shortened(found: re.Match[str]) -> str:
    return f"{found.group()[:60]}...{found.group()[-20:]}"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something was written: a file (or the command line), a line and a column, both from 1."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem: where it is, at which address, what is wrong, and what would be right.

    A warning does not stop a run.

    >>> print(Problem(Place("a.yaml", 3, 5), "jobs.full.tool.request", "has no effect here", severity="warning"))
    a.yaml:3:5: warning: jobs.full.tool.request: has no effect here
    """

    place: Place
    address: str
    message: str
    remedy: str = ""
    severity: Literal["error", "warning"] = "error"
    closing: bool = False
    """Whether it closes the list: it names what was not checked because of the other problems."""
    retired: Any = field(default=None, compare=False, repr=False)
    """What replaces the key, the method or the datasheet, if it is about one of an earlier version."""

    def __str__(self) -> str:
        place = f"{self.place}: warning" if self.severity == "warning" else str(self.place)
        reported = f"{self.address}: {self.message}" if self.address else self.message
        reported = f"{reported}; {self.remedy}" if self.remedy else reported
        return for_line(f"{place}: {_LONG.sub(_shortened, reported)}")


class SimbackupError(Exception):
    """Any error that simbackup reports to its user, without a traceback."""


class InputError(SimbackupError):
    """All problems of an input; `notes` lists what was not checked because of them.

    >>> print(InputError([Problem(Place("a.yaml", 3, 5), "jobs.full.to", "no device 'tpae'", "did you mean 'tape'?")]))
    a.yaml:3:5: jobs.full.to: no device 'tpae'; did you mean 'tape'?
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        every = sorted(set(problems))
        self.problems = tuple(problem for problem in every if not problem.closing)
        self.notes = tuple(problem for problem in every if problem.closing)
        super().__init__("\n".join(map(str, (*self.problems, *self.notes))))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """What a worker process sends: the problems, not their text."""
        return InputError, ((*self.problems, *self.notes),)


class ResultError(SimbackupError):
    """A result does not contain what was asked for, or could not be read."""


class JobFailedError(Exception):
    """A job cannot go on; the text says why. The other jobs of the run go on."""


class UnreadableError(JobFailedError):
    """A job needs a cartridge that nobody can read: the device that it belongs to, and its name there."""

    def __init__(self, device: str, medium: str) -> None:
        super().__init__(f"'{medium}' of '{device}' cannot be read")
        self.device, self.medium = device, medium


def _longer(word: str, words: Sequence[str]) -> list[str]:
    """The shortest name of the same folder that has the letters and digits of a name in a row, if any has them."""
    folder, _, name = word.rpartition("/")
    parts = "".join(filter(str.isalnum, name.lower()))
    found = [
        each for each in words
        if folder and parts and each.startswith(f"{folder}/") and parts in "".join(filter(str.isalnum, each.lower()))
    ]  # fmt: skip
    return sorted(found, key=len)[:1]


def _of_folder(word: str, words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names of the folder of a name, if there are any, and the nearest name: one folder makes no names alike."""
    folder, _, name = word.rpartition("/")
    own = {each.rpartition("/")[2]: each for each in words if folder and each.startswith(f"{folder}/")}
    near = [own.get(each, each) for each in difflib.get_close_matches(name, own or words, n=1, cutoff=0.6)]
    namesakes = [each for each in words if name in {each.rpartition("/")[2], f"{word.rpartition('.')[0]}.{each}"}]
    return [*own.values()], _longer(word, words) or namesakes[:1] or near


def choices(word: object, legal: Iterable[str]) -> str:
    """Remedy for an unknown word: the nearest known one, the whole list, or the best of a long list.

    >>> choices("tpae", ["tape", "disk"])
    "did you mean 'tape'?"
    >>> choices("zebra", ["tape", "disk"])
    'choose from: disk, tape'
    >>> choices("tape_drive/dlt-7000", ["tape_drive/lto-7", "tape_drive/quantum-dlt7000"])
    "did you mean 'tape_drive/quantum-dlt7000'?"
    >>> choices("lto-7", ["tape_drive/lto-7", "tape_drive/lto-8"]), choices("devices.tape", ["disk", "tape"])
    ("did you mean 'tape_drive/lto-7'?", "did you mean 'tape'?")
    >>> choices("tape_library/lto-7", ["tape_drive/lto-7", "tape_library/autoloader-8"])
    "did you mean 'tape_drive/lto-7'?"
    """
    words = sorted(set(legal))
    own, close = _of_folder(str(word), words)
    words = own or words
    if close:
        return f"did you mean '{close[0]}'?"
    if len(words) > LONGEST_LIST:
        nearest = difflib.get_close_matches(str(word), words, n=3, cutoff=0.0)
        return f"choose from {len(words)}, such as {', '.join(nearest)}"
    return f"choose from: {', '.join(words)}" if words else "none is defined"
