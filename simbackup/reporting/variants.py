"""Several results compared: times of their jobs, and where their scenarios differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from simbackup import units
from simbackup.errors import SimbackupError
from simbackup.reporting.answer import Item, items, telling
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, quantity, words
from simbackup.results.figures import templates
from simbackup.results.groups import Group, job_row, repeated
from simbackup.results.result import Result
from simbackup.schema.fleet import PARTS
from simbackup.schema.quantity import Frozen

WELL = frozenset({"done", "late"})


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


def in_words(results: Sequence[Result]) -> str:
    """In which scenario each job that all of them have is fastest and slowest, in sentences."""
    names = names_of(results)
    own = [_times(items(result)) for result in results]
    reported: list[str] = []
    for job in dict.fromkeys(name for result in results for name in _times(telling(result))):
        took = [
            (each[job].elapsed or 0.0, name)
            for each, name in zip(own, names, strict=True)
            if job in each and each[job].elapsed
        ]
        if len(took) < len(results):
            continue
        least, most = min(took), max(took)
        shown = [units.show_short(seconds, "s", 3) for seconds, _ in (least, most)]
        if shown[0] == shown[1]:
            reported.append(f"{job} takes {shown[0]} in {'both' if len(results) == 2 else 'all'}.")  # noqa: PLR2004
        else:
            reported.append(
                f"{job} is fastest in {least[1]} ({shown[0]}) and slowest in {most[1]} ({shown[1]}, "
                f"{most[0] / least[0]:.3g} times as long)."
            )
    return " ".join(reported) or "No job ended well in all of them, so no times can be compared."


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
    """Values, models, methods and settings in which the scenarios differ; a part that one of them lacks has one row."""
    settings = [_settings_of(result) for result in results]
    known = all(each is not None for each in settings)
    facts = [_facts(result) | (own or {} if known else {}) for result, own in zip(results, settings, strict=True)]
    parts = [{_part(address) for address in own} for own in facts]
    found: dict[str, tuple[Cell, ...]] = {}
    for address in dict.fromkeys(address for own in facts for address in own):
        part = _part(address)
        if not all(part in own for own in parts):
            found.setdefault(part, tuple(words("present" if part in own else "absent") for own in parts))
        elif len({own.get(address, Cell("")).text for own in facts}) > 1:
            found[address] = tuple(own.get(address, words("not stated")) for own in facts)
    fleets = {part: one for result in results for part, one in templates(result.record.fleets).items()}
    rows = [(words(address), *cells) for address, cells in _together(found, fleets)]
    columns = (Column("address"), *(Column(name) for name in names_of(results)))
    note = "Identical values are left out"
    if not known:
        note += "; settings in words are not compared, as not all of the results hold their scenarios"
    return ReportTable("Differences", columns, rows, note)


def _together(
    found: Mapping[str, tuple[Cell, ...]], fleets: Mapping[str, str]
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """Rows by address; those of parts of a fleet that say the same are one, under a name with their number."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for address, cells in found.items():
        part = _part(address)
        alike.setdefault((of_all(fleets.get(part, part), address), *(cell.text for cell in cells)), []).append(address)
    for (name, *_), addresses in alike.items():
        yield f"{name} ({len(addresses):,})" if len(addresses) > 1 else addresses[0], found[addresses[0]]


def of_all(template: str, address: str) -> str:
    """An address as of all parts of its template, whose own address is that of a template; others stay as they are.

    >>> of_all("fleets.racks.links.up-{number}", "links.up-7.rate"), of_all("hosts.server", "hosts.server")
    ('links.up-*.rate', 'hosts.server')
    """
    if not template.startswith("fleets."):
        return address
    _, _, section, name = template.split(".", maxsplit=3)
    return ".".join([section, re.sub(r"\{[^}]*\}", "*", name), *address.split(".")[2:]])


def _part(address: str) -> str:
    return ".".join(address.split(".")[:2])


def _facts(result: Result) -> dict[str, Cell]:
    """What can differ: models, methods, values."""
    found: dict[str, Cell] = {}
    for node in result.layout.nodes if result.layout else ():
        if node.title and node.kind != "job":
            found[f"{node.address}.model"] = words(node.title)
    for row in result.job_rows:
        found.setdefault(f"jobs.{row['job']}.method", words(row["method"]))
    for value in result.values:
        found[value.address] = quantity(value.value, value.unit)
    return found


def _settings_of(result: Result) -> dict[str, Cell] | None:
    """The settings without a number by address; None where the scenario of a result cannot be read again."""
    try:
        spec = result.scenario.spec
    except SimbackupError:
        return None
    parts = {f"{section}.{name}": part for section in PARTS for name, part in getattr(spec, section).items()}
    return {address: words(text) for name, part in parts.items() for address, text in _settings(part, name)}


def _settings(part: Frozen, address: str) -> Iterator[tuple[str, str]]:
    """Words, switches and names of a part, as a file says them; models and methods have rows of their own."""
    for key in (name for name in type(part).model_fields if name not in {"model", "method"}):
        given, here = getattr(part, key), f"{address}.{key}"
        if isinstance(given, Frozen):
            yield from _settings(given, here)
        elif isinstance(given, bool):
            yield here, str(given).lower()
        elif isinstance(given, str):
            yield here, given
        elif isinstance(given, tuple):
            yield here, ", ".join(map(str, cast("tuple[object, ...]", given)))
