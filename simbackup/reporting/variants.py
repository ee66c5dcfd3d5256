"""Several results compared: times of their jobs, and where their scenarios differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from simbackup import units
from simbackup.errors import SimbackupError
from simbackup.reporting.answer import Item, items, telling
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, words
from simbackup.results.groups import Group, job_row, repeated
from simbackup.results.result import Result
from simbackup.scenario import Scenario

WELL = frozenset({"done", "late"})
ABOUT = frozenset({"title", "question", "extends"})
"""What a file says that no run depends on."""


def names_of(results: Sequence[Result]) -> list[str]:
    """Names of the variants: those of their scenarios, numbered where they are the same.

    >>> names_of([])
    []
    """
    bare = [result.record.scenario.rpartition("/")[2].removesuffix(".yaml") for result in results]
    return [name if bare.count(name) == 1 else f"{name} #{i + 1}" for i, name in enumerate(bare)]


def compared(results: Sequence[Result]) -> ReportTable:
    """Elapsed times of jobs of the same name, and the change from the first variant in percent."""
    own = [_times(items(result)) for result in results]
    order = dict.fromkeys(name for result in results for name in _times(telling(result)))
    columns = [Column("job")]
    for i, name in enumerate(names_of(results)):
        columns += [Column(name, "s"), *([Column("change", "1")] if i else [])]
    rows: list[tuple[Cell, ...]] = []
    for job in order:
        cells = [words(job)]
        first = own[0][job].elapsed if job in own[0] else None
        for i, each in enumerate(own):
            here = each[job].elapsed if job in each else None
            cells.append(_cell(each.get(job)))
            if i:
                cells.append(percent(here / first - 1.0, sign=True) if here is not None and first else words(""))
        rows.append(tuple(cells))
    return ReportTable("Comparison", tuple(columns), rows, "Elapsed times; changes from the first scenario")


class Took(NamedTuple):
    """How long something took (seconds; None unless it ended well), and how it ended."""

    elapsed: float | None
    status: str


def _times(found: Sequence[Item]) -> dict[str, Took]:
    """How long jobs took, by name: many that run once, from the first start to the last end.

    For a repeated job, the mean and the slowest run count; the time between runs does not.
    """
    times: dict[str, Took] = {}
    for item in found:
        if not isinstance(item, Group):
            well = item["status"] in WELL
            times[str(item["job"])] = Took(float(item["elapsed"]) if well else None, str(item["status"]))
            continue
        row, well = job_row(item), all(one["status"] in WELL for one in item.rows)
        figures = {" on average": "mean", " at worst": "slowest"} if repeated(item) else {"": "elapsed"}
        for when, figure in figures.items():
            times[f"{item.name}{when}"] = Took(float(row[figure]) if well else None, str(row["status"]))
    return times


def _cell(took: Took | None) -> Cell:
    if took is None:
        return words("no such job")
    if took.elapsed is None:
        return words(took.status)
    late = f" ({took.status})" if "late" in took.status else ""
    return Cell(units.show_short(took.elapsed, "s") + late, took.elapsed)


def differences(results: Sequence[Result]) -> ReportTable:
    """What the scenarios state differently; a part that one of them lacks has one row."""
    note = "Identical values are left out"
    try:
        stated = [dict(_stated(result.scenario)) for result in results]
    except SimbackupError:
        stated = [{value.address: value.text for value in result.values} for result in results]
        note += "; settings in words are not compared, as not all of the results hold their scenarios"
    parts = [{_part(address) for address in own} for own in stated]
    found: dict[str, list[str]] = {}
    for address in dict.fromkeys(address for own in stated for address in own):
        part = _part(address)
        if not all(part in own for own in parts):
            found[part] = ["present" if part in own else "absent" for own in parts]
        elif len({own.get(address) for own in stated}) > 1:
            found[address] = [own.get(address, "not stated") for own in stated]
    rows = [(words(address), *map(words, texts)) for address, texts in found.items()]
    columns = (Column("address"), *(Column(name) for name in names_of(results)))
    return ReportTable("Differences", columns, rows, note)


def _part(address: str) -> str:
    return ".".join(address.split(".")[:2])


def _stated(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """What the file of a scenario states, and the values that replaced it, as texts by address."""
    leaves = [leaf for leaf in scenario.source.leaves() if leaf[0][0] not in ABOUT]
    leaves += [leaf for address, node in scenario.overrides.items() for leaf in node.leaves(tuple(address.split(".")))]
    for path, node in leaves:
        value = (node.mapping["value"] if node.is_quantity else node).plain()
        yield ".".join(path), str(value).lower() if isinstance(value, bool) else str(value)
