"""Readers of the table of `list jobs` and the records of `llist jobs` of bconsole, for Bacula and Bareos.

The table of Bacula 5 to 15 has no end times; that of Bareos from 15 on has client and duration as well. Records have a
line for each column of the table Job, right-aligned before a colon, in Bareos in lower case; an empty line ends one.
Numbers have commas between thousands. See the manuals of the console, "Bacula Console and Operators Guide", and
docs.bareos.org, "Bareos Console".
"""

from __future__ import annotations

import re

from simbackup.errors import Place
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.reports import jobs_of_table
from simbackup.foreign.reader import ForeignFile, FormatReader, matching
from simbackup.schema.inventory import table_of
from simbackup.schema.tree import Node

_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_LINE = re.compile(r"\s*(?P<head>[A-Za-z]+): ?(?P<text>.*)")


def plain(text: str) -> str:
    """A cell without spaces around it, a number without the commas between thousands."""
    bare = text.strip()
    return bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare


def read_list(source: ForeignFile) -> Past:
    """The jobs of all tables of `list jobs`; what bconsole writes around them is passed over.

    Raises
    ------
    InputError
        A cell cannot be read, or the table states no end of the jobs.
    """
    records: list[list[Node]] = []
    for number, line in enumerate(source.lines, 1):
        texts = [plain(text) for text in line.strip().strip("|").split("|")] if line.strip().startswith("|") else []
        if texts and not (records and texts == [str(cell.value) for cell in records[0]]):
            places = (Place(source.shown, number, i) for i in range(1, len(texts) + 1))
            records.append([Node(text, place, place) for text, place in zip(texts, places, strict=True)])
    return jobs_of_table(table_of(records, source.shown), source, "bacula")


LIST = FormatReader("Bacula, Bareos", "list jobs", matching(r"(?i)^[ \t]*\|(?:.*\|)? *jobid *\|"), read_list)


def read_records(source: ForeignFile) -> Past:
    """The jobs of all records.

    Raises
    ------
    InputError
        A value cannot be read, or the records state no end of the jobs.
    """
    found: list[dict[str, tuple[str, Place]]] = []
    current: dict[str, tuple[str, Place]] = {}
    for number, line in enumerate([*source.lines, ""], 1):
        part = _LINE.fullmatch(line)
        if part is None or part["head"] in current:
            if "jobid" in {head.lower() for head in current}:
                found.append(current)
            current = {}
        if part is not None:
            current[part["head"]] = plain(part["text"]), Place(source.shown, number, part.start("text") + 1)
    heads = list(dict.fromkeys(head for record in found for head in record))
    places = [next(record[head][1] for record in found if head in record) for head in heads]
    rows = [
        [Node(*cell, cell[1]) for head in heads for cell in [record.get(head, ("", next(iter(record.values()))[1]))]]
        for record in found
    ]
    cells = [[Node(head, place, place) for head, place in zip(heads, places, strict=True)], *rows]
    return jobs_of_table(table_of(cells, source.shown), source, "bacula")


RECORDS = FormatReader(
    "Bacula, Bareos", "llist jobs", matching(r"(?i)^[ \t]*jobid: *[\d,]+\s*$", r"(?i)^[ \t]*starttime: "), read_records
)
