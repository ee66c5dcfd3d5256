"""Tables of jobs: of any program, in CSV or Excel, by a mapping of its columns; and those of NetBackup without heads.

- The mappings that come along name the program, the version and the export that each is for. See RFC 4180 for CSV.
- NetBackup 5 to 10: `bpdbjobs -report -most_columns` or `-all_columns`, rows of CSV. The first columns of both are
  the same: job, type, state, status, policy, schedule, client, server, started, elapsed, ended, storage unit, try,
  operation, kilobytes, files; times are seconds since 1970. See "bpdbjobs" in the "NetBackup Commands Reference
  Guide".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import Field

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.foreign.histories.finished_job import COLUMNS, NUMBERS, STATES, TEXTS, UNFINISHED, FinishedJob, unit_of
from simbackup.foreign.histories.past import DATES, ISO, UNIX, Past, checked, form_of, moment, seconds_of, wrong_form
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.inventory import Inventory, read_inventory
from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import parse
from simbackup.schema.yaml_file import read as read_yaml
from simbackup.units import UnitError
from simbackup.units import parse as parse_quantity
from simbackup.units.amounts import Convention, amount, convention

END = "end"
"""A column of reports that `jobs.csv` has not: the end of a job, from which its elapsed time follows."""


class MappingSpec(Frozen):
    """Which columns of a report correspond to which columns of a history."""

    title: Text
    """The report that the mapping is for."""
    columns: dict[Text, Names]
    """Headings in the report, by column of `jobs.csv` or `end`; the first heading that the report has is used. Case,
    spaces and punctuation in a heading do not matter.
    """
    units: dict[Text, Text] = Field(default_factory=dict)
    """The unit of a column whose cells and headings name none, such as `size_bytes: KiB`; bytes or seconds by default.
    """
    words: dict[Text, dict[Text, Text]] = Field(default_factory=dict)
    """What words of the report mean, by column: `level: {F: full, I: incremental}`. Case does not matter."""
    heads: tuple[Text, ...] = ()
    """The headings of a report that has none in its first line."""
    dates: tuple[Text, ...] = ()
    """Date formats, as for strptime, or `ISO 8601`, or `seconds since 1970`; the usual formats by default."""
    tool: Text = ""
    """The program, if no column names it."""


@cache
def built_in() -> dict[str, MappingSpec]:
    """The mappings that come along, by name."""
    folder = files("simbackup.foreign.histories") / "mappings"
    found: dict[str, MappingSpec] = {}
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".yaml"):
            name = file.name.removesuffix(".yaml")
            found[name] = _checked(parse(file.read_text(encoding="utf-8"), file.name))
    return found


def mapping_of(name: str) -> MappingSpec:
    """A mapping that comes along, by name, or that of a file.

    Raises
    ------
    InputError
        There is none, or everything that is wrong with the file.
    """
    if name in built_in():
        return built_in()[name]
    try:
        there = Path(name).is_file()
    except OSError:  # no file can have such a name
        there = False
    if not there:
        remedy = f"name a file, or {choices(name, built_in())}"
        raise InputError([Problem(Place(f"--mapping {name}"), "", "there is no such mapping", remedy)])
    return _checked(read_yaml(Path(name)))


def _checked(tree: Any) -> MappingSpec:
    """The mapping of a tree."""
    problems: list[Problem] = []
    found = validate(MappingSpec, tree, "", problems)
    for section, legal in (("columns", (*COLUMNS, END)), ("units", NUMBERS), ("words", COLUMNS)):
        node = tree.mapping.get(section)
        for name, child in node.mapping.items() if node is not None else ():
            if name not in legal:
                problems.append(
                    Problem(child.key, f"{section}.{name}", "is not a column of a history", choices(name, legal))
                )
    for name, unit in (found.units if found else {}).items():
        try:
            parse_quantity(f"1 {unit}", unit_of(name))
        except UnitError as error:
            message, _, remedy = str(error).partition("; ")
            place = tree.find(("units", name))[0].place
            problems.append(Problem(place, f"units.{name}", message, remedy))
    for i, form in enumerate(found.dates if found else ()):
        if wrong := wrong_form(form):
            place = tree.find(("dates", i))[0].place
            problems.append(Problem(place, "dates", wrong, f"write {ISO}, {UNIX}, or one such as %d.%m.%Y %H:%M"))
    if problems or found is None:
        raise InputError(problems)
    return found


_PLAIN = re.compile(r"[^a-z0-9]+")
_LETTERS = re.compile(r"[^\W\d_]")
_UNIT = re.compile(r"[(\[]\s*(?:in )?([A-Za-z]+)\s*[)\]]\s*$")
_WITH_ZONE = re.compile(r"(?:[+-]\d\d:?\d\d|Z)$")
LEAST_KNOWN = 4
"""Columns of a report that a mapping must know to be taken without its name."""


@dataclass
class Report:
    """A table of jobs, with what is known of its columns."""

    table: Inventory
    """The rows."""
    mapping: MappingSpec
    """The known columns of this kind of table."""
    heads: dict[str, str]
    """The head of each known column in the table."""
    zone: tzinfo
    """The time zone of its times."""
    units: dict[str, str] = field(default_factory=dict[str, str])
    """The unit of each column of numbers."""
    dates: dict[str, str] = field(default_factory=dict[str, str])
    """The form of each column of times."""
    written: Convention = field(default_factory=lambda: Convention(".", seen=False))
    """How numbers are written: marks of decimals and thousands."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """What is wrong with cells."""

    def cells(self, column: str) -> list[Node]:
        """The cells of a column, none if the report has none."""
        return [row[self.heads[column]] for row in self.table.rows] if column in self.heads else []


def recognises(source: ForeignFile) -> bool:
    """Whether a file is a table: any other reader knows its own format better."""
    return source.tabular or source.mapping is not None


def read(source: ForeignFile) -> Past:
    """The jobs of a report, and notes on how its numbers and times were read.

    Raises
    ------
    InputError
        Every cell that cannot be read, with its place; or no mapping fits the columns.
    """
    heads = source.mapping.heads if source.mapping is not None else ()
    return jobs_of_table(read_inventory(source.path, source.shown, heads), source)


def jobs_of_table(table: Inventory, source: ForeignFile, mapping: str = "") -> Past:
    """The jobs of a table, by the mapping that the user named, else by that of a name, else by that which fits best.

    Parameters
    ----------
    table
        The table.
    source
        Its file, and what the user said of it.
    mapping
        The name of a mapping that comes along.

    Raises
    ------
    InputError
        Every cell that cannot be read, with its place; or no mapping fits the columns.
    """
    spec = source.mapping or (built_in()[mapping] if mapping else _best(table, source.columns))
    status = _heads(table, spec, source).get("status")
    ended = [
        row for row in table.rows if status is None or _meaning(spec, "status", str(row[status].value)) != UNFINISHED
    ]
    if not ended:
        raise InputError([source.problem(1, "has no job that ended")])
    left = len(table.rows) - len(ended)
    report = _report(
        replace(table, rows=tuple(ended)),
        spec,
        source,
    )
    jobs = [_job(report, i, row) for i, row in enumerate(ended, 1)]
    if report.problems:
        raise InputError(report.problems)
    notes = list(_notes(report, source.shown, source.zone))
    if left:
        notes.append(f"{left} of {len(table.rows)} jobs in {source.shown} have not ended, and were left out")
    return Past([job for job in jobs if job is not None], notes)


def _notes(report: Report, shown: str, zone: tzinfo | None) -> Iterator[str]:
    """How a report was read, where it could be read otherwise, and what of it was not used."""
    if report.written.seen:
        yield f"numbers in {shown} were read with '{report.written.decimal}' as the decimal mark"
    form = report.dates.get("start", UNIX)
    texts = [str(cell.value) for cell in report.cells("start")]
    if form != UNIX:
        yield f"dates in {shown} were read as {form}"
        if any(text and not _WITH_ZONE.search(text) for text in texts):
            named = str(zone) if zone is not None else "UTC, because --zone names no other"
            yield f"times in {shown} state no time zone and were read as {named}"
    unused = [head for head in report.table.columns if head not in report.heads.values()]
    if unused:
        yield f"columns in {shown} that were not used: {', '.join(unused)}"


def _plain(head: str) -> str:
    """A head without its unit, capitals, spaces and marks."""
    return _PLAIN.sub("", _UNIT.sub("", head).lower())


def _best(table: Inventory, named: Mapping[str, str]) -> MappingSpec:
    """The mapping that knows most columns of a table, beside those that the user named."""
    heads = {_plain(head) for head in table.columns}
    known = {
        name: sum(any(_plain(each) in heads for each in names) for names in each.columns.values())
        for name, each in built_in().items()
        if not each.heads
    }
    best = max(known, key=lambda name: known[name])
    if known[best] < LEAST_KNOWN:
        place = next(iter(table.rows[0].values())).place
        message = f"no mapping fits the columns {', '.join(table.columns)}"
        remedy = f"write one, and name it with --mapping; {', '.join(built_in())} come with simbackup"
        if {"start", END} <= named.keys() or "elapsed_s" in named:
            return MappingSpec(title="the columns that the command names", columns={})
        raise InputError([Problem(place, "", message, remedy)])
    return built_in()[best]


def _heads(table: Inventory, mapping: MappingSpec, source: ForeignFile) -> dict[str, str]:
    """The heading of each column of a history that a table has; those that the user named come first.

    Raises
    ------
    InputError
        The user named a heading that the table has not.
    """
    by_plain = {_plain(head): head for head in table.columns}
    heads = {
        column: by_plain[_plain(name)]
        for column, names in mapping.columns.items()
        for name in [next((name for name in names if _plain(name) in by_plain), None)]
        if name is not None
    }
    for column, name in source.columns.items():
        if _plain(name) not in by_plain:
            option = f"--{column.removesuffix('_s')} {name}"
            message = f"{source.shown} has no column '{name}'"
            raise InputError([Problem(Place(option), "", message, choices(name, table.columns))])
        heads[column] = by_plain[_plain(name)]
    return heads


def _report(table: Inventory, mapping: MappingSpec, source: ForeignFile) -> Report:
    """The columns of a table that a mapping knows, and how their cells are written."""
    heads = _heads(table, mapping, source)
    report = Report(table, mapping, heads, source.in_zone)
    report.units = {column: found[1] for column, head in heads.items() if (found := _UNIT.search(head)) is not None}
    report.written = convention(str(cell.value) for column in NUMBERS for cell in report.cells(column))
    for column in ("start", END):
        try:
            if any(str(cell.value) for cell in report.cells(column)):
                report.dates[column] = form_of(report.cells(column), mapping.dates or DATES)
        except InputError as error:
            report.problems += error.problems
    if "elapsed_s" not in heads and not {"start", END} <= heads.keys():
        report.problems.append(_endless(report, source.shown))
    return report


def _endless(report: Report, shown: str) -> Problem:
    """What a table lacks that does not say how long its jobs took, in the words of its own columns."""
    found = [f"column '{report.heads[key]}' is read as {key}" for key in ("start", END) if key in report.heads]
    lacking = [key for key in ("start", END) if key not in report.heads]
    free = [head for head in report.table.columns if head not in report.heads.values()]
    message = "; ".join([*found, f"no column gives the {' and the '.join(lacking)}, or the elapsed time"])
    options = " and ".join(f"--{key} COLUMN" for key in lacking)
    others = f" (not used yet: {', '.join(free)})" if free else ""
    remedy = f"name one with {options}, or with --elapsed COLUMN{others}; or export a table that "
    remedy += f"has it (this is read as: {report.mapping.title})"
    return Problem(report.table.heads[0] if report.table.heads else Place(shown, 1, 1), "", message, remedy)


def _job(report: Report, number: int, row: Mapping[str, Node]) -> FinishedJob | None:
    """The job of a row; None if something is wrong with it."""
    cells = {column: row[head] for column, head in report.heads.items() if str(row[head].value)}
    place = next(iter(row.values())).place
    found: dict[str, Any] = {"id": str(number), "tool": report.mapping.tool, "place": place}
    before = len(report.problems)
    for column in TEXTS:
        if column in cells:
            found[column] = _meaning(report.mapping, column, str(cells[column].value))
    for column in NUMBERS:
        if column in cells:
            found[column] = _number(report, column, cells[column])
    times = {c: moment(str(cells[c].value), form, report.zone) for c, form in report.dates.items() if c in cells}
    found["start"] = times.get("start")
    if found.get("elapsed_s") is None and len(times) == len(("start", END)):
        found["elapsed_s"] = (times[END] - times["start"]).total_seconds()
        if found["elapsed_s"] < 0:
            message = "the job ends before it begins"
            report.problems.append(
                Problem(cells[END].place, "", message, "correct the columns of start and end in the mapping")
            )
    if found.get("status") and found["status"] not in STATES:
        known = report.mapping.words.get("status", {})
        message = f"the status '{found['status']}' is not known"
        report.problems.append(Problem(cells["status"].place, "", message, choices(found["status"], {*known, *STATES})))
    return FinishedJob(**found) if len(report.problems) == before else None


def _meaning(mapping: MappingSpec, column: str, text: str) -> str:
    """What a word of the report means; a status of other words has one for `*`."""
    words = mapping.words.get(column, {})
    lower = {word.lower(): meaning for word, meaning in reversed(words.items())}
    return words.get(text, lower.get(text.lower(), words.get("*", text)))


def _number(report: Report, column: str, cell: Node) -> float | None:
    """The number of a cell in SI."""
    text, unit = str(cell.value), unit_of(column)
    named = report.units.get(column) or report.mapping.units.get(column, "")
    try:
        if unit == "s":
            if _LETTERS.search(text) or ":" in text:
                return seconds_of(text)
            return checked(amount(text, unit, report.written, named or "s"), text)
        value = amount(text, unit, report.written, named or ("B" if unit == "B" else ""))
    except UnitError as error:
        message, _, remedy = str(error).partition("; ")
        report.problems.append(Problem(cell.place, "", message, remedy))
        return None
    if unit == "B" and not named and not value.is_integer() and not re.search(r"[A-Za-z]", text):
        message = f"'{text}' is not a whole number of bytes"
        remedy = f"state the unit: 'units: {{{column}: GB}}' in a mapping"
        report.problems.append(Problem(cell.place, "", message, remedy))
        return None
    return float(round(value)) if unit == "B" else value


READER = FormatReader("any program", "a table of jobs, .csv or .xlsx", recognises, read)


_ROW = re.compile(r"\d+,\d+,\d,\d*,[^,]*,[^,]*,[^,]*,[^,]*,\d{9,11},\d+,\d{9,11},[^,]*,\d*,")
MAPPING, HEADS = "netbackup-bpdbjobs", 16
DONE = "3"
"""The state of a job that has ended."""


def read_bpdbjobs(source: ForeignFile) -> Past:
    """The jobs that have ended.

    Raises
    ------
    InputError
        A cell cannot be read, or no job has ended.
    """
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


BPDBJOBS = FormatReader(
    "NetBackup 5 to 10", "bpdbjobs -report -all_columns",
    lambda source: any(_ROW.match(line) for line in source.lines[:100]), read_bpdbjobs,
)  # fmt: skip
