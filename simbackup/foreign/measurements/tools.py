"""Files of output, each read by the tool whose output it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from simbackup.errors import InputError, Place, Problem
from simbackup.foreign.measurements import btape, dd, fio, iperf3
from simbackup.foreign.measurements.finding import Output
from simbackup.schema.yaml_file import read_text

TOOLS = {"fio": fio, "iperf3": iperf3, "btape": btape, "dd": dd}
"""Readers by the name of their tool, those with the surest mark first."""
FORMS = "fio (--output-format=json), iperf3 (-J), dd, and btape (speed)"


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
            found.append(_read(path))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _read(path: Path) -> Output:
    text = read_text(path, str(path))
    for tool in TOOLS.values():
        if tool.recognised(text):
            return tool.read(text, str(path))
    message = "is empty" if not text.strip() else "is not the output of a known tool"
    raise InputError([Problem(Place(str(path), 1, 1), "", message, f"known are {FORMS}")])
