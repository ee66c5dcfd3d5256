"""Files of output, each read by the tool whose output it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simbackup.errors import InputError, Problem
from simbackup.foreign.measurements.finding import Output
from simbackup.foreign.reader import ForeignFile
from simbackup.foreign.registry import MEASUREMENTS, read_with


def read_outputs(paths: Sequence[Path]) -> list[Output]:
    """What files of output hold, in their order.

    Raises
    ------
    InputError
        Everything that cannot be read, each with file and line.
    """
    found: list[Output] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            found.append(read_with("measure", MEASUREMENTS, ForeignFile(path, str(path))))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found
