"""What a reader found in a file of past jobs, and how programs write sizes and elapsed times."""

from __future__ import annotations

from dataclasses import dataclass, field

from simbackup.errors import InputError, Problem
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.histories.moments import seconds_of
from simbackup.foreign.reader import ForeignFile
from simbackup.units import UnitError, parse

BINARY = {"KB": "KiB", "kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB", "PB": "PiB"}
"""What units of programs mean that count in powers of 1024 and write those of 1000."""


@dataclass
class Past:
    """The jobs of a file, notes on how it was read, and what is wrong with it."""

    jobs: list[FinishedJob] = field(default_factory=list[FinishedJob])
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])

    def checked(self, source: ForeignFile, missing: str, remedy: str) -> Past:
        """The same, if nothing is wrong with it and it has jobs.

        Raises
        ------
        InputError
            Everything that is wrong; or there is no job, for which `missing` has the words.
        """
        if self.problems:
            raise InputError(self.problems)
        if not self.jobs:
            raise InputError([source.problem(1, missing, remedy)])
        return self

    def size(self, source: ForeignFile, line: int, text: str, *, binary: bool = False) -> float | None:
        """The bytes of a size with its unit; `binary` says that KB and its like mean powers of 1024."""
        number, unit = text.rstrip("BKMGTPEkib").strip(), text[len(text.rstrip("BKMGTPEkib")) :]
        try:
            return float(round(parse(f"{number} {BINARY.get(unit, unit) if binary else unit}", "B")))
        except UnitError as error:
            message, _, remedy = str(error).partition("; ")
            self.problems.append(source.problem(line, message, remedy))
            return None

    def seconds(self, source: ForeignFile, line: int, text: str) -> float | None:
        """The seconds of an elapsed time."""
        try:
            return seconds_of(text)
        except UnitError as error:
            message, _, remedy = str(error).partition("; ")
            self.problems.append(source.problem(line, message, remedy))
            return None
