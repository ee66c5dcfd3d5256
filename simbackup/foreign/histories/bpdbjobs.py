"""NetBackup 5 to 10: `bpdbjobs -report -most_columns` or `-all_columns`, rows of CSV without heads.

The first columns of both are the same: job, type, state, status, policy, schedule, client, server, started, elapsed,
ended, storage unit, try, operation, kilobytes, files; times are seconds since 1970. The table that `bpdbjobs -report`
writes by default has neither times nor sizes, so that it is no history. See "bpdbjobs" in the "NetBackup Commands
Reference Guide".
"""

from __future__ import annotations

import re
from dataclasses import replace

from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.reports import jobs_of_table
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.inventory import Inventory, read_inventory

_ROW = re.compile(r"\d+,\d+,\d,\d*,[^,]*,[^,]*,[^,]*,[^,]*,\d{9,11},\d+,\d{9,11},[^,]*,\d*,")
MAPPING, HEADS = "netbackup-bpdbjobs", 16
DONE = "3"
"""The state of a job that has ended."""


def recognises(source: ForeignFile) -> bool:
    """Whether a text has rows that begin with the numbers and times of a job."""
    return any(_ROW.match(line) for line in source.lines[:100])


def read(source: ForeignFile) -> Past:
    """The jobs that have ended.

    Raises
    ------
    InputError
        A cell cannot be read, or no job has ended.
    """
    from simbackup.foreign.histories.mapping import built_in  # noqa: PLC0415 (it reads files)

    mapping = source.mapping or built_in()[MAPPING]
    table = read_inventory(source.path, source.shown, mapping.heads)
    ended = (
        tuple(row for row in table.rows if str(row["state"].value) == DONE) if "state" in table.columns else table.rows
    )
    kept = Inventory(table.columns[:HEADS], ended, table.heads[:HEADS])
    if not ended:
        return Past().checked(source, "has no job that ended", "wait for one")
    past = jobs_of_table(kept, replace(source, mapping=mapping), MAPPING)
    if len(ended) < len(table.rows):
        past.notes.append(f"{len(table.rows) - len(ended)} of {len(table.rows)} jobs in {source.shown} have not ended")
    return past


READER = FormatReader("NetBackup 5 to 10", "bpdbjobs -report -all_columns", recognises, read)


_HEAD = re.compile(r"^\s*JobID +Type +State +Status +Policy", re.MULTILINE)


def recognises_text(source: ForeignFile) -> bool:
    """Whether a text has the head of the table."""
    return _HEAD.search(source.text) is not None


TEXT: FormatReader[Past] = FormatReader(
    "NetBackup 5 to 10", "bpdbjobs -report", recognises_text,
    lacks="it states neither times nor sizes; use 'bpdbjobs -report -all_columns'",
)  # fmt: skip
