"""What was measured: rows that were fitted to, cases outside, every figure of a run, quick and thorough intervals."""

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.intervals import intervals_of
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.deciding import MATTERS
from simbackup.uncertainty.effort import AGREES, QUICK
from simbackup.uncertainty.estimate import Estimate, estimates
from simbackup.uncertainty.fitted import fitted_rows
from simbackup.uncertainty.validated_cases import BASES, known, nearest
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from simbackup.uncertainty.whole import deviation_at
from tests.cases import for_each
from tests.shared import quick_intervals, together

# A row given for fitting: its own interval is noise, and other figures know it, too
SAVE, RATE, BACK = "jobs.save.elapsed", "jobs.save.rate", "jobs.back.elapsed"
NOTHING = 1e-9
WRITE = {"value": "90 MB/s", "basis": "assumed", "range": ["45 MB/s", "800 MB/s"], "why": "test"}


def site(size: Any = "100 GB", write: Any = WRITE) -> dict[str, Any]:
    """A backup and its restore over one line, whose rate is fitted, with streams whose share of it is assumed."""
    return {
        "title": "A line",
        "hosts": {
            "client": {"model": "host/linux-modern-server", "owns": ["source"]},
            "server": {"model": "host/linux-modern-server", "owns": ["target"]},
        },
        "devices": {
            "source": {"model": "ssd/nvme-gen3-2018"},
            "target": {"model": "ssd/nvme-gen3-2018", "write_rate": write},
        },
        "links": {
            "line": {
                "rate": {
                    "value": "100 MB/s", "basis": "fitted", "fitted_to": ["given"], "uncertainty": "20 MB/s",
                    "plausible": ["50 MB/s", "200 MB/s"], "why": "test",
                },
                "latency": "1 ms", "joins": ["client", "server"],
            },
        },
        "data": {"files": {"on": "source", "size": size}},
        "jobs": {
            "save": {"method": "image", "data": "files", "to": "target"},
            "back": {"restore": "save", "after": "save"},
        },
    }  # fmt: skip


def written(folder: Path, result: Any, value: str = "20 min", **more: Any) -> str:
    file = folder / "site-2.1.yaml"
    file.write_text(json.dumps(site(**more)), encoding="utf-8")
    row = {"value": value, "at": "here", "operation": "backup", "result": result}
    measured = {"document": "A test", "measurements": {"given": row}}
    (folder / "measured.yaml").write_text(json.dumps(measured), encoding="utf-8")
    return str(file)


class Read:
    """Figures of the only scenario."""

    def __call__(self, results: Mapping[str, sb.Result]) -> dict[str, float]:
        return {address: results["it"].get(address) for address in (SAVE, RATE, BACK)}


def found(file: str) -> dict[str, Estimate]:
    return estimates({"it": sb.load(file)}, Read(), effort=QUICK)


def width(one: Estimate) -> float:
    return math.log(one.spread.high / one.spread.low)


UNCERTAIN = {"value": "100 GB", "basis": "assumed", "range": ["50 GB", "200 GB"], "why": "test"}
STATED = [
    (f"site-2.1.yaml#{SAVE}", "20 min"),
    (f"site-2.1.yaml#{RATE}", "90 MB/s"),
    ({"rate": ["site-2.1.yaml#data.files.size", f"site-2.1.yaml#{SAVE}"]}, "90 MB/s"),
]


@pytest.mark.slow
@for_each("result, value", STATED)
def test_a_row_leaves_its_own_figure_nothing_but_noise(tmp_path: Path, result: Any, value: str) -> None:
    file = written(tmp_path, result, value)
    for name, one in found(file).items():
        assert (width(one) < NOTHING) == (name in {SAVE, RATE})
        assert bool(fitted_rows(sb.load(file), name)) == (name in {SAVE, RATE})


def test_a_scenario_with_another_value_is_not_what_was_measured(tmp_path: Path) -> None:
    scenario = sb.load(written(tmp_path, f"site-2.1.yaml#{SAVE}"), {"data.files.size": "200 GB"})
    assert fitted_rows(scenario, SAVE) == []
    assert width(estimates({"it": scenario}, Read(), effort=QUICK)[SAVE]) > 0.5


def test_a_run_says_what_is_fitted(tmp_path: Path) -> None:
    file = written(tmp_path, f"site-2.1.yaml#{RATE}", "90 MB/s", size=UNCERTAIN)
    assert "A constant is fitted to its rate" in job_intervals(sb.simulate(file))["save"].sentence()


@pytest.mark.slow
@for_each("size", ["100 GB", UNCERTAIN], ids=["stated", "assumed"])
def test_the_ends_of_a_rate_and_of_a_time_agree(tmp_path: Path, size: Any) -> None:
    """In each case; of a stated size also the intervals: bytes over the lower end of the one are the upper one's."""
    study = {
        "title": "Both",
        "scenarios": {"it": written(tmp_path, STATED[0][0], size=size)},
        "show": [SAVE, RATE, BACK],
    }
    (tmp_path / "measured.yaml").unlink()
    answer = sb.study(study, workers=1)
    [row] = answer.rows
    if size == "100 GB":
        assert row[RATE + LOW] * row[SAVE + HIGH] == pytest.approx(100e9, rel=1e-12)
        assert row[RATE + HIGH] * row[SAVE + LOW] == pytest.approx(100e9, rel=1e-12)
    sizes = [case[0][RATE] * case[0][SAVE] for case in answer.between.cases]
    assert (min(sizes) == pytest.approx(max(sizes))) == (size == "100 GB")


def test_a_study_knows_the_row_where_it_asks_what_was_measured(tmp_path: Path) -> None:
    file = written(tmp_path, f"site-2.1.yaml#{SAVE}")
    (tmp_path / "twice.yaml").write_text(json.dumps(site("200 GB")), encoding="utf-8")
    scenarios = {"as measured": file, "twice": str(tmp_path / "twice.yaml")}
    study = {"title": "Two", "scenarios": scenarios, "show": [SAVE]}
    answer = sb.study(study, workers=1)
    widths = [max(case[n][SAVE] for case in answer.between.cases) / answer.rows[n][SAVE] for n in (0, 1)]
    assert widths[0] == pytest.approx(1.0)
    assert widths[1] > 1.2
    assert deviation_at(sb.load(file), SAVE) < 0.1


# An answer outside of what was measured says so, with the nearest measured case
@pytest.fixture
def sizes() -> list[float]:
    return sorted(case.bytes for case in known() if case.operation == "image")


def test_inside_of_what_was_measured_nothing_is_said(sizes: list[float]) -> None:
    found = nearest("image", sizes[0])
    assert found.cases[0].bytes == sizes[0]
    assert found.sentence("image") == ""


def test_more_or_fewer_bytes_than_any_case_name_the_nearest(sizes: list[float]) -> None:
    more, fewer = nearest("image", 3.0 * sizes[-1]), nearest("image", sizes[0] / 3.0)
    assert (more.outside, fewer.outside) == ("more", "fewer")
    assert {case.bytes for case in more.cases} == {sizes[-1]}
    name = more.cases[0].publication
    text = f"larger than any measured job of its kind (image): the closest is {name} with"
    assert more.sentence("image").startswith(text)


def test_a_kind_that_nobody_measured_says_so() -> None:
    assert nearest("observe", 1e9).sentence("observe") == "no job of its kind (observe) has been measured"
    assert nearest("image", 0.0).sentence("image") == ""


def test_only_times_and_rates_of_jobs_stand_beside_a_time() -> None:
    """Sizes, shares of locks and ratios of two times say nothing about the time of a job."""
    others = {"zrm-myisam-4000-logical-size", "zrm-myisam-hotcopy-readlock", "sql-2files-buffercount", "sql-all"}
    names = {case.row for case in known()}
    assert not names & others
    assert {"zrm-myisam-4000-logical-backup", "sql-base", "despool"} <= names


def test_a_fitted_case_says_so_and_a_blind_one_keeps_its_blind_error() -> None:
    dump = nearest("logical_dump", 60e9)
    assert {case.basis for case in dump.cases} <= {"fitted", "seen"}
    assert dump.sentence("logical_dump").endswith((f"({BASES['fitted']})", f"({BASES['seen']})"))
    [despool] = nearest("copy_save_set", 8e9).cases
    assert despool.basis == "blind"
    assert despool.error == pytest.approx(73.07 / 105.2 - 1.0, abs=0.001)  # measured and predicted rate, as times


def test_all_nearest_cases_are_counted() -> None:
    """Of the smallest backups of files, three of one publication, which were predicted blindly."""
    files = nearest("file_level", 1e6)
    assert len(files.cases) == 3
    assert "its 3 simulated times are off by" in files.sentence("file_level")


# Quick intervals agree with thorough ones as far as the program states
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


def written_agreement() -> dict[str, dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return {row["scenario"]: row for row in csv.DictReader(file)}


@pytest.mark.slow
@pytest.mark.parametrize("scenario", together(JOBS))
def test_a_quick_interval_is_within_what_is_stated_of_a_thorough_one(scenario: str) -> None:
    row = written_agreement()[scenario]
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
