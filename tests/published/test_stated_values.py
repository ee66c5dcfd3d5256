"""In scenarios/published a plain number is one that the document states; every other states its basis."""

import csv
from pathlib import Path

from simbackup.scenario import load, names
from tests.cases import for_each

PUBLISHED = Path(__file__).parents[2] / "scenarios" / "published"
STATED = "stated.csv"
"""In the folder of a document, the numbers that it states: the key of a scenario, and the number as a file has it."""


def stated(document: str) -> set[tuple[str, str]]:
    with (PUBLISHED / document / STATED).open(encoding="utf-8", newline="") as file:
        return {(row["key"], row["value"]) for row in csv.DictReader(file)}


SCENARIOS = [name for name in names("published") if not name.endswith(("/machine", "/calibration"))]


@for_each("name", SCENARIOS)
def test_plain_numbers_are_the_documents_own(name: str) -> None:
    plain = {(v.address.rpartition(".")[2], v.given.text) for v in load(name).values if v.given.basis == "document"}
    unstated = name.startswith("published/002") and name.rsplit("/", maxsplit=1)[-1] not in {
        "buffers",
        "all-together",
        "out-of-memory",
    }
    assert bool(plain) != unstated, (
        "a scenario is given something by its document, unless that describes no system at all"
    )
    assert plain - stated(name.split("/")[1]) == set()


@for_each("name", SCENARIOS)
def test_nothing_in_a_published_scenario_is_a_users_guess(name: str) -> None:
    assert not [v.address for v in load(name).values if v.given.basis == "user"]
