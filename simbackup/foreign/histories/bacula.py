"""Bacula and Bareos: the table of `list jobs` and the records of `llist jobs` of bconsole, and reports of jobs.

The table of Bacula 5 to 15 states no end; that of Bareos from 15 on has client and duration as well. Records have a
line for each column of the table Job, right-aligned before a colon, in Bareos in lower case; an empty line ends one.
Numbers have commas between thousands.

The report at the end of a job, as in mails, in the log, and in `list joblog`, is a block of `name: value` lines after
a line with the name and version of the director, in both programs since 1.38; times are like 02-May-2026 20:00:01, in
the zone of the director. See the manuals of the console, "Bacula Console and Operators Guide", docs.bareos.org,
"Bareos Console", and in both "Messages Resource".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, tzinfo

from simbackup.errors import Place
from simbackup.foreign.histories.finished_job import FAILED, OK, WARNING, FinishedJob
from simbackup.foreign.histories.past import MONTHS, Past
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


_REPORTED = re.compile(r"\s+(?P<head>[A-Z][A-Za-z /()-]{2,40}):\s+(?P<text>\S.*?)\s*")
_DAY = re.compile(r"(\d\d?)-([A-Z][a-z]{2})-(\d{4}) (\d\d):(\d\d)(?::(\d\d))?")
_NUMBER = re.compile(r"\d{1,3}(?:,?\d{3})*")
_NAME = re.compile(r"\.\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d_\d+$")
"""What the director appends to the name of a job."""
LEVELS = {"VirtualFull": "synthetic", "Full": "full", "Incremental": "incremental", "Differential": "differential"}
BYTES = ("FD Bytes Written", "SD Bytes Written", "Bytes Restored")
FILES = ("FD Files Written", "SD Files Written", "Files Restored")
Block = dict[str, tuple[str, int]]
"""The values of a report by their names, each with its line."""


def read_report(source: ForeignFile) -> Past:
    """The jobs of all reports of a file.

    Raises
    ------
    InputError
        A number or time cannot be read, or no report has times.
    """
    past = Past()
    zoneless = False
    for block in _blocks(source.text):
        job = _job(past, block, source)
        if job is not None:
            past.jobs.append(job)
            zoneless = True
    if zoneless:
        past.notes.append(source.zone_note("the report of a job"))
    return past.checked(source, "has no report with the times of a job", "keep the whole block, down to 'Termination:'")


def _blocks(text: str) -> Iterator[Block]:
    """The reports of a text, each from its JobId to its termination."""
    block: Block = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = _REPORTED.fullmatch(line)
        if found is None:
            continue
        if found["head"] == "JobId":
            block = {}
        block[found["head"]] = found["text"], number
        if found["head"] == "Termination" and "JobId" in block:
            yield block
            block = {}


def _job(past: Past, block: Block, source: ForeignFile) -> FinishedJob | None:
    """The job of a report; None if it says when it began or ended in no way that can be read."""
    number, line = block["JobId"]
    start, end = (_moment(past, block, head, source) for head in ("Start time", "End time"))
    if start is None or end is None:
        return None
    elapsed = (
        past.seconds(source, block["Elapsed time"][1], block["Elapsed time"][0]) if "Elapsed time" in block else None
    )
    elapsed = elapsed if elapsed is not None else (end - start).total_seconds()
    if elapsed < 0:
        past.problems.append(source.problem(block["End time"][1], "the job ends before it begins"))
        return None
    restored = "Restore" in block["Termination"][0] or "Bytes Restored" in block
    copied = any(word in block["Termination"][0] for word in ("Copying", "Copy", "Migration"))
    level = re.match(r"[A-Za-z]+", block.get("Backup Level", ("", 0))[0])
    client = (block.get("Client") or block.get("Restore Client") or ("", 0))[0]
    return FinishedJob(
        id=number, tool="bacula", system=re.sub(r'^"([^"]*)".*', r"\1", client),
        job=_NAME.sub("", block.get("Job", ("", 0))[0]),
        operation="restore" if restored else "copy" if copied else "backup",
        level=LEVELS.get(level[0], level[0].lower()) if level else "", start=start, elapsed_s=elapsed,
        stored_bytes=None if restored else _number(past, block, BYTES, source),
        size_bytes=_number(past, block, BYTES, source) if restored else None,
        files_saved=_number(past, block, FILES, source), status=_status(block["Termination"][0]),
        place=Place(source.shown, line, 1),
    )  # fmt: skip


def _status(text: str) -> str:
    """How a job ended: `Backup OK`, `Backup OK -- with warnings`, `*** Backup Error ***`, `Backup Canceled`."""
    return (WARNING if "warning" in text.lower() else OK) if re.search(r"\bOK\b", text) else FAILED


def _number(past: Past, block: Block, heads: tuple[str, ...], source: ForeignFile) -> float | None:
    """The number of the first of several lines that a report has."""
    for head in heads:
        if head in block:
            text, line = block[head]
            found = _NUMBER.match(text)
            if found is None:
                past.problems.append(source.problem(line, f"'{text}' is not a number"))
                return None
            return float(found[0].replace(",", ""))
    return None


def _moment(past: Past, block: Block, head: str, source: ForeignFile) -> datetime | None:
    """The time of a line."""
    text, line = block.get(head, ("", 0))
    if not line:
        return None
    found = moment_of(text, source.in_zone)
    if found is None:
        past.problems.append(source.problem(line, f"'{text}' is not a time such as 02-May-2026 20:00:01"))
    return found


def moment_of(text: str, zone: tzinfo) -> datetime | None:
    """A time such as 02-May-2026 20:00:01; None if it is none."""
    found = _DAY.match(text)
    month = MONTHS.get(found[2]) if found else None
    if found is None or month is None:
        return None
    try:
        return datetime(
            int(found[3]), month, int(found[1]), int(found[4]), int(found[5]), int(found[6] or 0), tzinfo=zone
        )
    except ValueError:
        return None


REPORT = FormatReader(
    "Bacula, Bareos", "list joblog, or the mail of a job", matching(r"^[ \t]+JobId: +\d", "Termination:"), read_report
)
