"""Quick intervals agree with thorough ones as far as the program states, and name what decides.

`thorough.csv` has the thorough intervals of a job of each scenario. Run this file to write them anew.
"""

import csv
import math
from pathlib import Path

import pytest

import simbackup as sb
from simbackup.experiments.intervals import intervals_of
from simbackup.uncertainty.deciding import MATTERS
from simbackup.uncertainty.effort import AGREES
from simbackup.uncertainty.verdict import JobInterval
from tests.shared import quick_intervals, together

FILE = Path(__file__).with_name("thorough.csv")
HEADS = ("scenario", "job", "low", "high", "decides", "nearly")
"""`decides` are the inputs that are named; `nearly` those of at least half the share from which an input is named."""
JOBS = {
    "planning/adapter-speed": "", "planning/bare-metal-recovery": "machine_back", "planning/compress-where": "back",
    "planning/deduplicated": "", "planning/flash-copy-area": "", "planning/image-or-files-2009": "",
    "planning/incremental-for-ever": "", "planning/mysql-innodb-snapshot": "backup", "planning/number-of-snapshots": "",
    "planning/object-store": "as_files", "planning/offsite": "night", "planning/parallel-dump": "",
    "planning/rebuild": "", "planning/redirect-oltp": "", "planning/resync-after-load": "", "planning/small-files": "",
    "planning/small-files-2004": "", "planning/tape-drives-lto5": "", "planning/tape-drives-lto9": "",
    "planning/mysql-myisam-logical": "", "teaching/shoe-shining": "", "teaching/snapshot-slows-writes": "",
}  # fmt: skip
"""Scenarios, and a job of each; the one that takes longest unless it is named."""


def interval(found: dict[str, JobInterval], job: str) -> JobInterval:
    return found[job] if job else max(found.values(), key=lambda one: one.elapsed.best)


def written() -> dict[str, dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["scenario"]: row for row in csv.DictReader(file)}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", together(JOBS))
def test_a_quick_interval_is_within_what_is_stated_of_a_thorough_one(scenario: str) -> None:
    row = written()[scenario]
    quick = interval(quick_intervals(scenario), row["job"])
    low, high = math.log(float(row["low"])), math.log(float(row["high"]))
    assert math.log(quick.elapsed.low) == pytest.approx(low, abs=AGREES * (high - low))
    assert math.log(quick.elapsed.high) == pytest.approx(high, abs=AGREES * (high - low))
    named = {one.input.name for one in quick.decides}
    thorough, nearly = (set(filter(None, row[column].split(";"))) for column in HEADS[-2:])
    assert thorough <= named | {one.input.name for one in quick.contributions}
    assert named == set() or (thorough or nearly) & named


if __name__ == "__main__":
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADS)
        for name, job in JOBS.items():
            one = interval(intervals_of(sb.simulate(name), "thorough"), job)
            ends = (f"{end:.5g}" for end in (one.elapsed.low, one.elapsed.high))
            nearly = [each for each in one.contributions if each.share * one.input_share >= MATTERS / 2.0]
            named = (";".join(each.input.name for each in some) for some in (one.decides, nearly))
            writer.writerow((name, one.job, *ends, *named))
