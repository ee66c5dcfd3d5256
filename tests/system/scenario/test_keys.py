"""No key is without effect: each changes some result of some scenario, or is listed with the reason why it need not.

`keys.csv` holds one change for each key that moves a result. A key of each class is always tried, all of them nightly.
Run as a script, this file searches them anew:
`python tests/system/scenario/test_keys.py`. It keeps what still acts, and prints the keys that it finds no change for.
"""

import csv
import functools
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

import pytest
from pydantic import BaseModel

from simbackup import load, shelf
from simbackup.errors import InputError
from simbackup.run import simulate
from simbackup.scenario import Scenario, names
from simbackup.schema import registry
from simbackup.schema.fleet import PARTS, Fleet, SpreadStarts
from simbackup.schema.job import JobSpec, SharedOut
from simbackup.schema.part import Modelled
from simbackup.schema.quantity import EXAMPLES, Frozen, Quantity, Unit
from simbackup.schema.reflection import held_parts, mark_of, nested_part, sheet_kind
from tests.cases import for_each

HERE = Path(__file__).parent
TABLE = HERE / "keys.csv"
OWN = "keys.yaml"
"""A scenario beside this file, for keys that need two of what they name."""
FAMILIES = (registry.device_kinds, registry.method_kinds, registry.workload_kinds)
ROOTS: tuple[type[BaseModel], ...] = (
    *registry.sections().values(),
    *(kind.spec for family in FAMILIES for kind in family().values()),
    Fleet, SpreadStarts,
)  # fmt: skip
SHARED = (JobSpec, SharedOut, Modelled)
"""Classes whose keys many parts have, which are one key each."""
ECHOES = ("area_bytes",)
"""Columns that repeat what the file says."""
SLOW = ("planning/midnight", "planning/spread-starts", "planning/spread-starts-night")

INERT = {
    "TapeLibrary.bays": "is what the number of drives is checked against",
    "Database.hot_copy": "says whether a method is allowed",
    "Fleet.inventory": "names a table, whose cells are values of other keys",
    **{f"Fleet.{section}": "holds parts, whose keys act by themselves" for section in PARTS},
}
"""Keys that no result need depend on, and why."""


class Row(NamedTuple):
    """A change that moves a result: what is written at an address of a scenario in the place of what stands there.

    `given` are values by address that the scenario needs besides, with and without the change.
    """

    key: str
    scenario: str
    address: str
    value: str
    given: str = ""


def owner(part: type[BaseModel], name: str) -> str:
    """The name of a key: that of its class, or of the class that many share, and its own."""
    shared = next((base for base in SHARED if issubclass(part, base) and name in base.model_fields), part)
    return f"{shared.__name__.removesuffix('Spec')}.{name}"


def classes() -> Iterator[type[BaseModel]]:
    """The classes of all parts that a scenario may have, and of the parts inside them."""
    front, seen = list(ROOTS), set[type[BaseModel]]()
    while front:
        part = front.pop()
        if part not in seen:
            seen.add(part)
            yield part
            front += [inner for name in part.model_fields for inner in held_parts(part, name)]


def words(part: type[BaseModel], name: str) -> tuple[Any, ...]:
    """The words that a key may hold, if it holds one of some."""
    annotation = part.model_fields[name].annotation
    found = (annotation, *get_args(annotation))
    return next((get_args(each) for each in found if get_origin(each) is Literal), ())


def keys() -> set[str]:
    """All keys, without those that may hold one word only and so say which kind of part it is."""
    return {
        owner(part, name) for part in classes() for name in part.model_fields if len(words(part, name)) != 1
    }  # fmt: skip


def rows() -> list[Row]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


@functools.cache
def scenario(name: str, given: str = "") -> Scenario:
    return load(HERE / name if name == OWN else name, json.loads(given) if given else None)


def digest(changed: Scenario) -> str:
    """What tells two results apart: what jobs, devices and users did, and what took the time."""
    result = simulate(changed)
    devices = [{k: v for k, v in row.items() if k not in ECHOES} for row in result.device_rows]
    causes = [(span.job, span.split) for span in result.trace.spans]
    text = json.dumps([result.job_rows, devices, result.user_rows, causes], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@functools.cache
def unchanged(name: str, given: str) -> str:
    return digest(scenario(name, given))


def acts(row: Row) -> bool:
    """Whether the change moves the result."""
    changed = scenario(row.scenario, row.given).with_({row.address: json.loads(row.value)})
    return digest(changed) != unchanged(row.scenario, row.given)


def of_each_class() -> list[Row]:
    """The first key of each class, where it can be in a small scenario that many share."""
    often = Counter(row.scenario for row in rows())
    found: dict[str, Row] = {}
    for row in sorted(rows(), key=lambda row: (row.scenario == OWN, -often[row.scenario])):
        found.setdefault(row.key.partition(".")[0], row)
    return [*found.values()]


@pytest.mark.slow
@for_each("row", of_each_class(), ids=lambda row: row.key)
def test_a_key_of_each_class_changes_a_result(row: Row) -> None:
    assert acts(row)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted({row.scenario for row in rows()}))
def test_every_key_changes_a_result(name: str) -> None:
    still = [row.key for row in rows() if row.scenario == name and not acts(row)]
    assert not still


def test_every_key_acts_or_says_why_it_need_not() -> None:
    reported = {row.key for row in rows()}
    assert reported | set(INERT) == keys()
    assert not reported & set(INERT)


# the search


def stated(part: Frozen, address: str) -> Iterator[tuple[str, Frozen, str, Any]]:
    """The keys of a part and of those inside it: their name, the part, the address, the value."""
    for name in type(part).model_fields:
        value, here = getattr(part, name), f"{address}.{name}"
        yield owner(type(part), name), part, here, value
        if isinstance(value, Frozen):
            yield from stated(value, here)


def quantity(si: float, unit: str) -> str:
    """A number of SI units as a file writes it."""
    return f"{si:.12g}" if unit in {"count", "1"} else f"{si:.12g} {unit}"


def candidates(found: Scenario, part: Frozen, address: str, value: Any) -> Iterator[Any]:
    """What may be written instead."""
    name, kind = address.rsplit(".", 1)[1], type(part)
    mark, inner, legal = mark_of(kind, name, Unit), nested_part(kind, name), words(kind, name)
    if isinstance(value, Quantity):
        yield from (quantity(value.si * factor, value.unit) for factor in (2.0, 0.5, 10.0, 0.1, 100.0, 0.01))
    if mark is not None:
        yield EXAMPLES[mark.unit]
        yield from (quantity(number, mark.unit) for number in (1.0, 1e-3, 1e-6, 1e3, 1e6, 1e9))
    elif isinstance(value, bool):
        yield not value
    elif legal:
        yield from (word for word in legal if word != value)
    elif name == "model" or inner is not None:
        sheet = sheet_kind(kind if name == "model" else inner) if (inner or name == "model") else None
        yield from (each for each in shelf.names() if sheet and each.startswith(f"{sheet}/") and each != value)
    elif isinstance(value, dict):
        yield from ({each: float(given.si) * 2} for each, given in value.items())
    elif name in {"begin", "deadline"}:
        yield from ("100 s", "00:00", "03:00", "23:00")
    else:
        for section in ("devices", "data", "links", "jobs", "workloads", "hosts"):
            named = getattr(found.spec, section)
            if isinstance(value, tuple):
                yield from ([*value, each] for each in named)
                yield from (list(value[:-1]),) if value else ()
            yield from (each for each in named if each != value)


def cheap() -> list[str]:
    """The scenarios that are run, the shortest first."""
    found = [name for name in names() if name not in SLOW and scenario(name).spec.jobs]
    return [*sorted(found, key=lambda name: len(list(simulate(scenario(name)).trace.to_lines()))), OWN]


def search(wanted: Iterable[str]) -> Iterator[Row]:
    """A change that acts for each key for which there is one."""
    left = set(wanted)
    for name in cheap():
        found = scenario(name)
        for section in ("hosts", "devices", "links", "data", "workloads", "jobs"):
            for part_name, part in getattr(found.spec, section).items():
                for key, at, address, value in stated(part, f"{section}.{part_name}"):
                    if key not in left:
                        continue
                    for new in candidates(found, at, address, value):
                        row = Row(key, name, address, json.dumps(new))
                        try:
                            if acts(row):
                                left.discard(key)
                                yield row
                                break
                        except InputError:
                            continue
                        except Exception as error:  # noqa: BLE001 (a finding, which is printed)
                            print(f"{row}: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201


def main() -> None:
    """Keep the changes that still act, search the others, and write the table."""
    kept: list[Row] = []
    for row in rows() if TABLE.exists() else []:
        try:
            if row.key in keys() and acts(row):
                kept.append(row)
        except InputError as error:
            print(f"{row.key}: {error}", file=sys.stderr)  # noqa: T201
    kept += search(keys() - {row.key for row in kept} - set(INERT))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(sorted(kept))
    print(*sorted(keys() - {row.key for row in kept} - set(INERT)), sep="\n")  # noqa: T201


if __name__ == "__main__":
    main()
