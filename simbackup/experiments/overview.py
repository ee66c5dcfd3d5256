"""Lists of all scenarios, datasheets, fitted constants and works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simbackup import shelf, units
from simbackup.errors import InputError, Problem
from simbackup.results.compare import collections
from simbackup.scenario import load, names
from simbackup.schema.quantity import Quantity
from simbackup.schema.yaml_file import read

if TYPE_CHECKING:
    import pandas as pd

Rows = list[dict[str, Any]]


def scenario_list() -> Rows:
    """Name, title and question of each scenario that has jobs."""
    rows: Rows = []
    for name in names():
        for root in shelf.roots():
            path = root / "scenarios" / f"{name}.yaml"
            if path.is_file():
                tree = read(path, shelf.shown(path))
                question = tree.mapping.get("question")
                if question is not None:
                    rows.append({"name": name, "title": tree.mapping["title"].value, "question": question.value})
                break
    return rows


def datasheet_list() -> tuple[Rows, InputError | None]:
    """Name, kind and title of each datasheet, and how many values have each basis; and what is wrong with others."""
    rows: Rows = []
    problems: list[Problem] = []
    for name in shelf.names():
        try:
            sheet = shelf.load_datasheet(name)
        except InputError as error:
            problems += error.problems
            continue
        bases = [given.basis or "" for _, given in sheet.values()]
        counts = {basis: bases.count(basis) for basis in dict.fromkeys(bases)}
        reported = ", ".join(f"{count} {basis}" for basis, count in counts.items())
        rows.append({"name": name, "kind": sheet.kind, "title": sheet.title, "bases": reported})
    return rows, InputError(problems) if problems else None


def datasheet_numbers(name: str) -> Rows:
    """Each value of a datasheet in SI, with its unit, its range, its basis and its source."""
    sheet = shelf.load_datasheet(name)
    works = sheet.works()
    return [
        {
            "parameter": parameter, "value": given.si, "unit": given.unit, "text": given.text, "basis": given.basis,
            "low": given.low, "high": given.high,
            "source": str(works[given.source].mapping["title"].value) if given.source else "", "at": given.at or "",
            "why": given.why or given.rule or "",
        }
        for parameter, given in sheet.values()
    ]  # fmt: skip


def datasheet_values(name: str) -> Rows:
    """Each value of a datasheet as it is written, with its basis and source: quantities first, then words."""
    numbers = [
        {
            "parameter": row["parameter"], "value": row["text"], "basis": row["basis"],
            "range": _pair(row["low"], row["high"], row["unit"]), "source": row["source"], "at": row["at"],
            "why": row["why"],
        }
        for row in datasheet_numbers(name)
    ]  # fmt: skip
    return numbers + _words(shelf.load_datasheet(name))


def _words(sheet: shelf.Datasheet) -> Rows:
    """The values that are words, such as how a program finds files, with their alternatives as range."""
    works, known = sheet.works(), {parameter for parameter, _ in sheet.values()}
    rows: Rows = []
    for parameter, given in sheet.tree.mapping["parameters"].mapping.items():
        said = given.mapping
        if parameter in known or not given.is_quantity:
            continue
        text = {key: said[key].word for key in ("value", "basis", "at", "why", "rule") if key in said}
        others = said["alternatives"].value if "alternatives" in said else []
        rows.append({
            "parameter": parameter, "value": text["value"], "basis": text.get("basis", ""),
            "range": f"or {', '.join(each.word for each in others)}" if isinstance(others, list) and others else "",
            "source": str(works[said["source"].word].mapping["title"].value) if "source" in said else "",
            "at": text.get("at", ""), "why": text.get("why", text.get("rule", "")),
        })  # fmt: skip
    return rows


def fitted_list() -> Rows:
    """Each fitted or chosen constant with its unit, uncertainty, plausible range and rows."""
    rows: Rows = []
    for name in shelf.names():
        for parameter, given in shelf.load_datasheet(name).values():
            if given.fitted_to or given.seen:
                rows.append({"constant": f"{name}#{parameter}", **_constant(given)})
    for name in (name for collection in collections() for name in names(collection)):
        try:
            scenario = load(name)
        except InputError:
            continue  # a base, which is not a scenario of its own
        for value in scenario.values:
            own = value.place.file.startswith("scenarios/") and (value.given.fitted_to or value.given.seen)
            address = f"{value.place.file.removeprefix('scenarios/')}#{value.address}"
            if own and address not in {row["constant"] for row in rows}:
                rows.append({"constant": address, **_constant(value.given)})
    return rows


def _constant(given: Quantity) -> dict[str, Any]:
    return {
        "value": given.si, "unit": given.unit, "text": given.text, "uncertainty": given.uncertainty,
        "plausible": list(given.plausible) if given.plausible else [given.low, given.high],
        "basis": given.basis, "rows": [*given.fitted_to, *given.seen], "why": given.why or "",
    }  # fmt: skip


def works(scenario: str | None) -> Rows:
    """The works that datasheets cite: all, or those that a scenario depends on."""
    known = shelf.sources()
    keys = sorted(known)
    if scenario is not None:
        loaded = load(scenario)
        known = loaded.library.every_work()
        keys = sorted({value.given.source for value in loaded.values if value.given.source})
    return [{"key": key, **{name: node.value for name, node in known[key].mapping.items()}} for key in keys]


def _pair(low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None:
        return ""
    return f"{units.show_short(low, unit)} to {units.show_short(high, unit)}"


def scenarios() -> pd.DataFrame:
    """Table of the scenarios that can be run by name: title and question, by name.

    >>> "teaching/mount-queue" in scenarios().index
    True
    """
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    return pd.DataFrame(scenario_list(), columns=["name", "title", "question"]).set_index("name")


def datasheets(name: str | None = None) -> pd.DataFrame:
    """Table of all datasheets by name: kind, title, and how many values have which basis; or of the values of one.

    That of one has a row for each parameter: its value in its unit (SI) and as written, the ends of its range in the
    same unit, and where it comes from.

    Raises
    ------
    InputError
        There is no such datasheet, or something is wrong with one.

    >>> datasheets("disk/sata-7200-1tb-2008").loc["rotation_speed", ["unit", "text"]].to_list()
    ['1/s', '7200 rpm']
    """
    import pandas as pd  # noqa: PLC0415

    if name is not None:
        columns = ["parameter", "value", "unit", "text", "basis", "low", "high", "source", "at", "why"]
        return pd.DataFrame(datasheet_numbers(name), columns=columns).set_index("parameter")
    rows, wrong = datasheet_list()
    if wrong is not None:
        raise wrong
    return pd.DataFrame(rows, columns=["name", "kind", "title", "bases"]).set_index("name")
