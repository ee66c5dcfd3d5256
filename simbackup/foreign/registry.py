"""All formats of other programs that simbackup reads, by the command that has a use for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from simbackup.errors import InputError
from simbackup.foreign import inventories
from simbackup.foreign.histories import bacula, borg, bpdbjobs, pgbackrest, proxmox, reports, restic, vzdump
from simbackup.foreign.histories.past import Past
from simbackup.foreign.inventories import Listing
from simbackup.foreign.json_text import Json
from simbackup.foreign.measurements import btape, dd, fio, iperf3, lsblk, mtx
from simbackup.foreign.measurements.finding import Output
from simbackup.foreign.reader import ForeignFile, FormatReader

T = TypeVar("T")
HISTORIES: tuple[FormatReader[Past], ...] = (
    restic.READER, restic.STATS, borg.READER, pgbackrest.READER, proxmox.SNAPSHOTS, bacula.REPORT, bacula.RECORDS,
    bacula.READER, borg.TEXT, pgbackrest.TEXT, vzdump.READER, proxmox.READER, bpdbjobs.TEXT, bpdbjobs.READER,
    restic.TEXT, reports.READER,
)  # fmt: skip
"""Readers of past jobs, those with the surest mark first."""
MEASUREMENTS: tuple[FormatReader[Output], ...] = (
    fio.READER, iperf3.READER, lsblk.READER, mtx.READER, fio.TEXT, btape.READER, dd.READER
)  # fmt: skip
"""Readers of what tools measured."""
INVENTORIES: tuple[FormatReader[Listing], ...] = (inventories.ZFS, inventories.RVTOOLS, inventories.TABLE)
"""Readers of lists of systems."""
READERS: Mapping[str, Sequence[FormatReader[Any]]] = {
    "history": HISTORIES, "measure": MEASUREMENTS, "plan init": INVENTORIES,
}  # fmt: skip
"""All readers, by command."""
ANY = "any program"
MOST_KEYS = 8
"""Keys of unknown JSON that a message names."""
MOST_WORDS = 60
"""Letters of a file that a message shows."""


def read_with(command: str, readers: Iterable[FormatReader[T]], source: ForeignFile) -> T:
    """What a file holds, read by the first reader that recognises it.

    Raises
    ------
    InputError
        The file cannot be read, or no reader of this command knows its format: the message names the format as far as
        it can be recognised, and lists what the command reads.
    """
    elsewhere = _of_another(command, source)
    for reader in readers:
        if (reader.program == ANY and elsewhere is not None and not source.mapping) or not reader.recognises(source):
            continue
        if reader.read is None:
            raise InputError([source.problem(1, f"is the output of '{reader.command}': {reader.lacks}")])
        return reader.read(source)
    if elsewhere is not None:
        raise InputError([source.problem(1, *elsewhere)])
    known = "; ".join(dict.fromkeys(_named(reader) for reader in READERS[command] if reader.read is not None))
    raise InputError([source.problem(1, _described(source), f"'{command}' reads {known}")])


def _named(reader: FormatReader[Any]) -> str:
    return reader.command if reader.program == ANY else f"{reader.program} ({reader.command})"


def _of_another(command: str, source: ForeignFile) -> tuple[str, str] | None:
    """What a file is that this command has no use for, and what to do; None if it is nothing known."""
    for other, readers in READERS.items():
        for reader in readers:
            if other != command and reader.program != ANY and reader.recognises(source):
                message = f"is the output of '{reader.command}' ({reader.program}), for which '{command}' has no use"
                return message, f"'simbackup {other}' reads it" if reader.read is not None else reader.lacks
    return None


def _described(source: ForeignFile) -> str:
    """What a file looks like that nobody knows."""
    text = source.text
    if not text.strip():
        return "is empty"
    if text.lstrip()[0] in "{[":
        try:
            found: Any = json.JSONDecoder().raw_decode(text.lstrip())[0]
        except (ValueError, RecursionError):
            return "looks like JSON that is not complete, or not valid"
        shape = Json(found, "")
        first = next(shape.items(), shape)
        keys = ", ".join(list(first.texts())[:MOST_KEYS])
        return f"is JSON of no known program{f', with the keys {keys}' if keys else ''}"
    if text.lstrip().startswith("<"):
        return "looks like XML or HTML, which is not read"
    first_line = next(line.strip() for line in text.splitlines() if line.strip())
    shown = first_line if len(first_line) <= MOST_WORDS else f"{first_line[:MOST_WORDS]}..."
    return f"is not the output of a known program; it begins with '{shown}'"
