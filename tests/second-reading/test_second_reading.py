"""Values of datasheets, read a second time from their sources by a reader who had not seen the first values.

`readings.csv` has what the second reader wrote down, with the place; where the two readers differ, `settled` says why
the datasheet is as it is. `unread.csv` lists the values whose source has not been read a second time. Run this file to
add values that are in neither.
"""

import csv
from functools import cache
from pathlib import Path

import pytest

from simbackup import shelf, units
from simbackup.schema.quantity import Quantity
from tests.cases import for_each

HERE = Path(__file__).parent
READINGS, UNREAD = HERE / "readings.csv", HERE / "unread.csv"
HEADS = ("datasheet", "parameter", "source")
ROUNDING = 0.002
"""Relative difference that a conversion of units leaves."""
Name = tuple[str, str]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(path: Path) -> list[Name]:
    return [(row["datasheet"], row["parameter"]) for row in rows(path)]


@cache
def stated() -> dict[Name, Quantity]:
    """The values that a source states."""
    return {
        (sheet, parameter): given
        for sheet in shelf.names()
        for parameter, given in shelf.load_datasheet(sheet).values()
        if given.basis in {"datasheet", "measured"}
    }


@pytest.mark.slow
@for_each("row", rows(READINGS), ids=lambda row: f"{row['datasheet']}#{row['parameter']}")
def test_both_readers_found_the_same_or_the_difference_is_settled(row: dict[str, str]) -> None:
    given = stated()[row["datasheet"], row["parameter"]]
    assert given.source == row["source"]
    same = units.parse(row["value"], given.unit) == pytest.approx(given.si, rel=ROUNDING)
    assert same != bool(row["settled"]), f"{given.text} in the datasheet, {row['value']} in the second reading"


def test_each_stated_value_was_read_again_or_is_listed_as_unread() -> None:
    read, unread = names(READINGS), names(UNREAD)
    assert not set(read) & set(unread)
    assert sorted([*read, *unread]) == sorted(stated())


if __name__ == "__main__":
    done = {*names(READINGS)} if READINGS.exists() else set[Name]()
    with UNREAD.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADS)
        writer.writerows([*name, given.source] for name, given in sorted(stated().items()) if name not in done)
