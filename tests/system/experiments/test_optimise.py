"""The best values of small cases, which are also enumerated."""

import json
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup import units
from tests.cases import for_each
from tests.shared import Say
from tests.system.experiments.test_study_intervals import SAVE, SITE

RATE, SIZE = "devices.target.write_rate", "data.files.size"
RATES = [f"{rate} MB/s" for rate in range(100, 400, 20)]
SIZES = [f"{size} GB" for size in range(20, 200, 20)]


def asked(folder: Path, optimise: dict[str, Any], **more: Any) -> dict[str, Any]:
    file = folder / "site.yaml"
    file.write_text(json.dumps(SITE), encoding="utf-8")
    return {"title": "Best", "scenarios": {"one": str(file)}, "show": [SAVE, RATE, SIZE], "optimise": optimise, **more}


def enumerated(folder: Path, rates: list[str], sizes: list[str]) -> list[dict[str, Any]]:
    """What every combination gives, as a study that varies both."""
    vary = {"vary": {RATE: rates, SIZE: sizes}}
    found = sb.study({**asked(folder, {}), "optimise": None, **vary}, workers=1, intervals="none")
    return [dict(zip((SAVE, "rate", "size"), (row[SAVE], rate, size), strict=True))
            for row, (rate, size) in zip(found.rows, ((r, s) for r in rates for s in sizes), strict=True)]  # fmt: skip


def number(text: str) -> float:
    return float(text.partition(" ")[0])


@pytest.mark.slow
def test_the_best_within_a_limit_is_found_among_a_part_of_all(tmp_path: Path) -> None:
    """As many bytes as fit into ten minutes, for less speed where that is enough."""
    sums = {"gain": {SIZE: 1e-9, RATE: -1e-7}}
    search = {"values": {RATE: RATES, SIZE: SIZES}, "greatest": "gain", "sums": sums, "runs": 90,
              "limits": {SAVE: {"at_most": "10 min"}}}  # fmt: skip
    found = sb.study(asked(tmp_path, search), workers=1, intervals="none")
    every = enumerated(tmp_path, RATES, SIZES)
    best = max((e for e in every if e[SAVE] <= 600.0), key=lambda e: number(e["size"]) - 0.1 * number(e["rate"]))
    [row] = found.rows
    assert (row[RATE], row[SIZE]) != (RATES[0], SIZES[0])
    assert (row[SAVE], found.searches[0].best[0].varied) == (best[SAVE], {RATE: best["rate"], SIZE: best["size"]})
    assert found.searches[0].tried <= 90 < len(every)


def test_a_value_between_two_ends_is_found(tmp_path: Path) -> None:
    """Seconds and the price of speed: `S / r + k r` is least at `sqrt(S / k)`, here 250 MB/s; the grid agrees."""
    price = 100e9 / 250e6**2
    search = {"values": {RATE: {"first": "100 MB/s", "last": "400 MB/s"}}, "least": "cost",
              "sums": {"cost": {SAVE: 1.0, RATE: price}}, "runs": 80}  # fmt: skip
    found = sb.study(asked(tmp_path, search), workers=1, intervals="none")
    [point] = found.searches[0].best
    assert units.parse(str(point.varied[RATE]), "B/s") == pytest.approx(250e6, rel=0.02)
    every = enumerated(tmp_path, RATES, ["100 GB"])
    least = min(each[SAVE] + price * 1e6 * number(each["rate"]) for each in every)
    assert min(row["cost"] for row in found.searches[0].rows) <= least * (1.0 + 1e-6)


def test_rounding_makes_no_choice_better(tmp_path: Path) -> None:
    """The source is busy for the same bytes at any rate of the target, but for the last digit of its seconds."""
    busy = "devices.source.busy_s"
    search = {"values": {RATE: ["320 MB/s", "380 MB/s"]}, "least": [SAVE, busy]}
    found = sb.study({**asked(tmp_path, search), "show": [SAVE, busy]}, workers=1, intervals="none")
    [slow, fast] = found.searches[0].rows
    assert 0.0 < fast[busy] - slow[busy] < 1e-12 * slow[busy]
    assert [row[RATE] for row in found.rows] == ["380 MB/s"]


LAST, ROBOTS, MOVE = "jobs.r8.elapsed", "devices.library.robots", "devices.library.exchange_time"
MOVES = [f"{seconds} s" for seconds in range(6, 18)]


def goals_of(row: dict[str, Any]) -> tuple[float, float]:
    """Seconds until the last of eight restores has ended, and what robots cost: more if there are more, and faster."""
    return row[LAST], round(3.0 * float(row[ROBOTS]) - 0.5 * number(row[MOVE]), 9)


@pytest.mark.slow
def test_of_two_goals_all_that_nothing_else_is_better_than_are_found() -> None:
    search = {"values": {ROBOTS: {"first": 1, "last": 4}, MOVE: MOVES}, "least": [LAST, "price"],
              "sums": {"price": {ROBOTS: 3.0, MOVE: -0.5}}}  # fmt: skip
    study = {"title": "A", "scenarios": {"one": "teaching/mount-queue"}, "show": [LAST]}
    vary = {ROBOTS: [1, 2, 3, 4], MOVE: MOVES}
    every = [goals_of(row) for row in sb.study({**study, "vary": vary}, workers=1, intervals="none").rows]
    front = {one for one in every if not any(o != one and o[0] <= one[0] and o[1] <= one[1] for o in every)}
    assert 3 < len(front) < len(every)
    whole = sb.study({**study, "optimise": search}, workers=1, intervals="none")
    assert whole.searches[0].all_tried
    assert {goals_of(row) for row in whole.rows} == front
    part = sb.study({**study, "optimise": {**search, "runs": 42}}, workers=1, intervals="none")
    assert part.searches[0].tried <= 42 < len(every)
    near = {goals_of(row) for row in part.rows}
    for which in (0, 1):
        assert min(one[which] for one in near) == min(one[which] for one in front)
    assert len(near & front) >= 0.75 * len(front)  # the rest of a front is found only by trying all


@pytest.mark.slow
def test_the_same_seed_tries_the_same_and_the_answer_says_how_sure_it_is(tmp_path: Path, say: Say) -> None:
    search = {"values": {RATE: RATES, SIZE: SIZES}, "least": SAVE, "runs": 20}
    file = tmp_path / "a.study.yaml"
    file.write_text(json.dumps(asked(tmp_path, search)), encoding="utf-8")
    first, again = (say("study", file, "--intervals", "none", "--workers", workers) for workers in (1, 2))
    assert first == again
    assert f"combinations tried, out of {len(RATES) * len(SIZES)}" in first.out


@for_each(
    "change, message",
    [
        ({"least": []}, "there are 0 goals"),
        ({"least": "jobs.save.elapsd"}, "there is no figure 'jobs.save.elapsd'"),
        ({"values": {RATE: ["10 GB"]}}, RATE),
        ({"values": {RATE: {"first": "9 MB/s", "last": "3 MB/s"}}}, "does not end above its beginning"),
        ({"limits": {SAVE: {"at_most": "10 GB"}}}, "10 GB"),
        ({"limits": {SAVE: {"at_most": "1 s"}}}, "stays within the limits"),
    ],
)
def test_a_search_of_nothing_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    search = {"values": {RATE: RATES[:2]}, "least": SAVE, **change}
    with pytest.raises(sb.SimbackupError, match=message):
        sb.study(asked(tmp_path, search), workers=1, intervals="none")
