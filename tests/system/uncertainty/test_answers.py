"""Answers with their verdicts, as a planner reads them. Run this file to write them anew, and read what changes."""

from pathlib import Path

import pytest

from simbackup.planning.intervals import sureness
from simbackup.planning.plan import plan
from simbackup.planning.site import load_site
from tests.shared import quick_intervals, together
from tests.sites.plan import site

FILE = Path(__file__).with_name("answers.txt")
SITES = Path(__file__).resolve().parents[2] / "sites"
ASKED = (
    ("teaching/one-file-from-tape", "full"),
    ("teaching/one-file-from-tape", "twenty_files"),
    ("planning/offsite", "night"),
    ("planning/disk-then-tape", "to_tape"),
    ("planning/object-store", "as_files"),
    ("planning/mysql-innodb-snapshot", "backup"),
    ("planning/spooled", "in_turns"),
    ("planning/bare-metal-recovery", "machine_back"),
    ("planning/compress-where", "back"),
    ("published/003-lvm-snapshots/same-disk", "dd"),
    ("validation/walg/wal-4", "archive"),
    ("planning/tape-drives-dlt7000", "back"),
    ("planning/buffers", "back"),
    ("planning/rebuild", "rebuild"),
    ("planning/deduplicated", "backup"),
    ("planning/program-in-packs", "nightly"),
    ("planning/mirror-of-a-tree", "first"),
    ("planning/buffers", "backup"),
    ("planning/program-in-packs", "back"),
    ("planner", "filer"),
    ("planner", "nbd"),
    ("planner", "two_sites"),
    ("plan", "window"),
)
"""Scenarios, and a job of each; the site of all tests has a plan of one year."""
LONG = "planning/mirror-of-a-tree"
"""A program described as data, as `planning/program-in-packs` is, whose interval takes half a minute: nightly."""


def answer(scenario: str, job: str) -> str:
    if scenario == "plan":
        night = sureness(plan(load_site(site()), "1 year")).night
        return f"{scenario}, {job}: {night and night.sentence()}\n"
    path = str(SITES / "planner.yaml") if scenario == "planner" else scenario
    return f"{scenario}, {job}: {quick_intervals(path)[job].sentence()}\n"


def written() -> dict[tuple[str, str], str]:
    lines = FILE.read_text(encoding="utf-8").splitlines(keepends=True)
    return {(name, job): line for line in lines for name, job in [line.split(": ")[0].split(", ")]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "scenario", [*together(sorted({name for name, _ in ASKED} - {LONG})), pytest.param(LONG, marks=pytest.mark.nightly)]
)
def test_an_answer_is_as_it_was_read(scenario: str) -> None:
    for name, job in ASKED:
        if name == scenario:
            assert answer(name, job) == written()[name, job]


def test_all_answers_were_read() -> None:
    assert tuple(written()) == ASKED


if __name__ == "__main__":
    FILE.write_text("".join(answer(*each) for each in ASKED), encoding="utf-8")
