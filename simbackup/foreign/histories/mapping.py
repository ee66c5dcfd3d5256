"""Mappings: which columns of a report are which columns of `jobs.csv`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import Field

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.foreign.histories.finished_job import COLUMNS, NUMBERS, unit_of
from simbackup.foreign.histories.past import ISO, UNIX, wrong_form
from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import parse, read
from simbackup.units import UnitError
from simbackup.units import parse as parse_quantity

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
    return _checked(read(Path(name)))


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
