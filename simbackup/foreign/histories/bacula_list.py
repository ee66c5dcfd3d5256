"""Bacula and Bareos: the table that `list jobs` of bconsole draws.

Bacula 5 to 15 has the columns JobId, Name, StartTime, Type, Level, JobFiles, JobBytes, JobStatus, which state no end;
Bareos from 15 on has client and duration as well. Numbers have commas between thousands. See the manuals of the
console: "Bacula Console and Operators Guide", and docs.bareos.org, "Bareos Console".
"""

from __future__ import annotations

import re
from itertools import pairwise

from simbackup.errors import Place
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.reports import jobs_of_table
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.inventory import table_of
from simbackup.schema.tree import Node

_RULE = re.compile(r"\s*\+[-+]+\+\s*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
MAPPING = "bacula"


def plain(text: str) -> str:
    """A cell without spaces around it, a number without the commas between thousands."""
    bare = text.strip()
    return bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare


def recognises(source: ForeignFile) -> bool:
    """Whether a text has a ruled table with a column of job ids."""
    return any(
        _RULE.fullmatch(above) and re.search(r"\|\s*jobid\s*\|", line, re.IGNORECASE) is not None
        for above, line in pairwise(source.lines)
    )


def read(source: ForeignFile) -> Past:
    """The jobs of all tables; what bconsole writes around them is passed over.

    Raises
    ------
    InputError
        A cell cannot be read, or the table states no end of the jobs.
    """
    records: list[list[Node]] = []
    for number, line in enumerate(source.lines, 1):
        if not line.strip().startswith("|"):
            continue
        texts = [plain(text) for text in line.strip().strip("|").split("|")]
        if records and texts == [str(cell.value) for cell in records[0]]:
            continue
        places = [Place(source.shown, number, i) for i in range(1, len(texts) + 1)]
        records.append([Node(text, place, place) for text, place in zip(texts, places, strict=True)])
    return jobs_of_table(
        table_of(records, source.shown), source, MAPPING, "write it with 'llist jobs', which states the end"
    )


READER = FormatReader("Bacula, Bareos", "list jobs", recognises, read)
