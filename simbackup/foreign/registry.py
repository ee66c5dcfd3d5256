"""All formats of other programs that simbackup reads, by the command that has a use for them, and what they hold."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path
from typing import Any, TypeVar

from simbackup.errors import InputError, Problem
from simbackup.foreign import inventories
from simbackup.foreign.histories import backup_tools, bacula, logs, reports
from simbackup.foreign.histories.finished_job import COLUMNS, FinishedJob, as_rows
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.reports import MappingSpec
from simbackup.foreign.inventories import Listing
from simbackup.foreign.json_text import Json
from simbackup.foreign.measurements import disks, tapes_and_networks
from simbackup.foreign.measurements.measured_sheet import Output
from simbackup.foreign.reader import ForeignFile, FormatReader, matching
from simbackup.text import for_cell

T = TypeVar("T")


def _useless(program: str, command: str, pattern: str, lacks: str) -> FormatReader[Any]:
    """A reader that refuses a known format, and says what it lacks and which format to use instead."""
    return FormatReader(program, command, matching(pattern), lacks=lacks)


HISTORIES: tuple[FormatReader[Past], ...] = (
    backup_tools.RESTIC,
    _useless("restic 0.9 to 0.18", "restic stats --json", '"total_size"(?s:.*)"snapshots_count"',
             "it does not state how long any backup took; use 'restic backup --json' or 'restic snapshots --json'"),
    backup_tools.BORG, backup_tools.PGBACKREST,
    _useless("Proxmox Backup Server 1 to 4", "proxmox-backup-client snapshot list", '"backup-(?:id|time)"',
             "it does not state how long the backups took; use the logs of their tasks"),
    logs.BACULA, bacula.RECORDS, bacula.LIST, logs.BORG, logs.PGBACKREST, logs.VZDUMP, logs.PROXMOX,
    _useless("NetBackup 5 to 10", "bpdbjobs -report", "^ *JobID +Type +State +Status +Policy",
             "it states neither times nor sizes; use 'bpdbjobs -report -all_columns'"),
    reports.BPDBJOBS,
    _useless("restic 0.9 to 0.18", "restic backup", r"^processed \d+ files, .* in [\d:]+\s*$",
             "it states neither a time of day nor a host; use 'restic backup --json'"),
    reports.READER,
)  # fmt: skip
"""Readers of past jobs, those that recognise their format most reliably first."""
MEASUREMENTS: tuple[FormatReader[Output], ...] = (
    disks.FIO, tapes_and_networks.IPERF3, disks.FIO_TEXT, tapes_and_networks.BTAPE, disks.DD,
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


def read_history(
    paths: Sequence[str | Path],
    mapping: MappingSpec | None = None,
    zone: tzinfo | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[list[FinishedJob], list[str]]:
    """The jobs of all files, in order, and notes on how the files were read.

    Parameters
    ----------
    paths
        What backup programs wrote of their jobs, or tables that `simbackup history` wrote.
    mapping
        The mapping of the columns of tables; by default the one that recognises most columns.
    zone
        The time zone for times without one; UTC by default.
    columns
        Headings of tables, by column of a history or `end`; they come before those of the mapping.

    Raises
    ------
    InputError
        All values that cannot be read, with file and line; or two jobs have the same id.
    """
    found: list[FinishedJob] = []
    notes: list[str] = []
    problems: list[Problem] = []
    for path in map(Path, paths):
        try:
            past = read_with("history", HISTORIES, ForeignFile(path, str(path), zone, mapping, columns or {}))
        except InputError as error:
            problems += error.problems
            continue
        found += [replace(job, id=f"{path.stem}-{job.id}") if job.id.isdigit() else job for job in past.jobs]
        notes += past.notes
    problems += _twice(found)
    if problems:
        raise InputError(problems)
    return found, list(dict.fromkeys(notes))


def _twice(jobs: Iterable[FinishedJob]) -> list[Problem]:
    """Report jobs with the id of another."""
    seen: dict[str, FinishedJob] = {}
    problems: list[Problem] = []
    for job in jobs:
        other = seen.setdefault(job.id, job)
        if other is not job:
            message = f"the job '{job.id}' appears twice, first in {other.place}"
            problems.append(Problem(job.place, "", message, "leave one out"))
    return problems


def jobs_csv(jobs: Iterable[FinishedJob]) -> str:
    """The neutral table as CSV: a head, and a row for each job."""
    out = io.StringIO()
    written = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    written.writeheader()
    written.writerows({column: for_cell(text) for column, text in row.items()} for row in as_rows(jobs))
    return out.getvalue()


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
