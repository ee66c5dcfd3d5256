"""Bacula and Bareos: the records that `llist jobs` of bconsole writes, one line for each column of the table Job.

Names of columns are right-aligned before a colon; Bareos writes them in lower case. An empty line ends a record. See
the manuals of the console: "Bacula Console and Operators Guide", and docs.bareos.org, "Bareos Console".
"""

from __future__ import annotations

import re

from simbackup.errors import Place
from simbackup.foreign.histories.bacula_list import MAPPING, plain
from simbackup.foreign.histories.past import Past
from simbackup.foreign.histories.reports import jobs_of_table
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.inventory import table_of
from simbackup.schema.tree import Node

_LINE = re.compile(r"\s*(?P<head>[A-Za-z]+): ?(?P<text>.*)")
_FIRST = re.compile(r"^\s*jobid: *[\d,]+\s*$", re.IGNORECASE | re.MULTILINE)
_TIME = re.compile(r"^\s*starttime: ", re.IGNORECASE | re.MULTILINE)


def recognises(source: ForeignFile) -> bool:
    """Whether a text has lines of a job's number and start as `llist` writes them."""
    return _FIRST.search(source.text) is not None and _TIME.search(source.text) is not None


def read(source: ForeignFile) -> Past:
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
    return jobs_of_table(table_of(cells, source.shown), source, MAPPING)


READER = FormatReader("Bacula, Bareos", "llist jobs", recognises, read)
