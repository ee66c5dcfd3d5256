"""Rows of a study have 90 % intervals, and share the cases of what is uncertain."""

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations.uncertainty import SCORE
from simbackup.errors import ResultError
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.model_error import term_of
from tests.shared import ROOT

SITE: dict[str, Any] = {
    "title": "One disk that is copied to another",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "target"]}},
    "devices": {
        "source": {"model": "ssd/sata-ssd-2015"},
        "target": {
            "model": "ssd/sata-ssd-2015",
            "write_rate": {"value": "100 MB/s", "basis": "assumed", "range": ["50 MB/s", "200 MB/s"], "why": "a test"},
        },
    },
    "data": {"files": {"on": "source", "size": "100 GB"}},
    "jobs": {"save": {"method": "image", "data": "files", "to": "target", "tool": "backup_tool/raw-blocks"}},
}  # fmt: skip
SAVE = "jobs.save.elapsed"
OUTERMOST = (NormalDist().inv_cdf(0.90), NormalDist().inv_cdf(0.99))
"""Between which scores the outermost of ten cases lies: it is drawn from the outermost tenth."""


def asked(folder: Path, **more: Any) -> dict[str, Any]:
    file = folder / "site.yaml"
    file.write_text(json.dumps(SITE), encoding="utf-8")
    return {"title": "Sizes", "scenarios": {"one": str(file)}, "vary": {"data.files.size": ["50 GB", "100 GB"]},
            "show": [SAVE, "jobs.save.bytes", "jobs.save.end", "jobs.save.cause"], **more}  # fmt: skip


def test_each_row_has_the_interval_of_its_inputs_and_of_the_model(tmp_path: Path) -> None:
    found = sb.study(asked(tmp_path))
    term = SCORE * term_of("image").deviation
    for row in found.rows:
        for end, factor in ((LOW, 0.5), (HIGH, 2.0)):
            nearest, farthest = (math.hypot(math.log(factor) * score / SCORE, term) for score in OUTERMOST)
            assert nearest < abs(math.log(row[SAVE + end] / row[SAVE])) < farthest
    [one] = found.between.decides[SAVE]
    assert one.input.name == "devices.target.write_rate"
    assert len(found.between.cases) == LEAN.cases


def upper_end(factor: float, deviation: float) -> float:
    """The 95th percentile of a factor that is normal in its logarithm but never beyond its own, times an error."""
    points = [(n + 0.5) / 500 for n in range(500)]
    at = [math.log(factor) * max(-1.0, min(1.0, NormalDist().inv_cdf(point) / SCORE)) for point in points]
    low, high = 0.0, 2.0 * (math.log(factor) + deviation)
    for _ in range(30):
        middle = (low + high) / 2.0
        share = sum(NormalDist(one, deviation).cdf(middle) for one in at) / len(at)
        low, high = (middle, high) if share < 0.95 else (low, middle)
    return math.exp(low)


@pytest.mark.slow
def test_many_cases_come_near_the_ends_of_the_range(tmp_path: Path) -> None:
    expected = upper_end(2.0, term_of("image").deviation)
    for row in sb.study(asked(tmp_path), intervals="thorough").rows:
        assert row[SAVE + HIGH] == pytest.approx(row[SAVE] * expected, rel=0.03)
        assert row[SAVE + LOW] == pytest.approx(row[SAVE] / expected, rel=0.08)  # starting and flushing cost the same


def test_a_study_states_in_how_many_cases_a_check_refuses_the_values(tmp_path: Path) -> None:
    """What has 100 GB, and 200 GB at the end of its range, has more than 150 GB beyond log2(1.5) = 0.585 of the way.

    That is 0.962 standard deviations, and two of ten cases lie farther out, at 1.036 and 1.645.
    """
    size = {"value": "100 GB", "basis": "assumed", "range": ["50 GB", "200 GB"], "why": "a test"}
    sizes = {"vary": {"devices.source.capacity": ["150 GB", "1 TB"]}, "cases": {"grown": {"data.files.size": size}}}
    found = sb.study(asked(tmp_path, **sizes))
    assert found.between.refused == (2, 0)
    said = "in 1 of 2 rows, in up to 2 of 10 cases, a check refuses the values, and nearer ones take their place"
    assert found.between.refusals() == said


def test_what_is_uncertain_in_two_rows_alike_is_no_difference_between_them(tmp_path: Path) -> None:
    found = sb.study(asked(tmp_path))
    ratio = found.ratio(SAVE, 1, 0)
    assert ratio.best == pytest.approx(2.0, rel=0.02)  # and what a job takes besides its bytes
    assert ratio.high / ratio.low < 1.06  # what is still in memory, and the latencies
    assert found.rows[0][SAVE + HIGH] / found.rows[0][SAVE + LOW] > 3.0
    with pytest.raises(ResultError, match="the study has no intervals"):
        sb.study(asked(tmp_path), intervals="none").ratio(SAVE, 1, 0)


def test_a_value_that_a_row_states_with_a_range_of_its_own_moves_within_that(tmp_path: Path) -> None:
    rate = {"value": "400 MB/s", "basis": "assumed", "range": ["200 MB/s", "400 MB/s"], "why": "a test"}
    both = sb.study(asked(tmp_path, vary={"devices.target.write_rate": ["100 MB/s", rate]})).between.rows
    certain, moved = both[0][SAVE], both[1][SAVE]
    assert certain.high / certain.best == pytest.approx(math.exp(SCORE * term_of("image").deviation), rel=0.03)
    assert moved.high / moved.best > 1.8
    assert moved.best / moved.low < certain.best / certain.low * 1.01


@pytest.mark.slow
def test_the_same_seed_gives_the_same_intervals(tmp_path: Path) -> None:
    one, same, other = (sb.study(asked(tmp_path), seed=seed) for seed in (1, 1, 2))
    assert one.rows == same.rows
    assert [row[SAVE] for row in other.rows] == [row[SAVE] for row in one.rows]


def test_files_and_pictures_have_the_intervals(tmp_path: Path) -> None:
    found = sb.study(asked(tmp_path))
    found.write(tmp_path / "t.csv")
    heads = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    assert heads.index(SAVE + LOW) == heads.index(SAVE) + 1
    chart = found.plot.lines("data.files.size", SAVE)
    [band] = chart.axes[0].collections
    ends = band.get_paths()[0].vertices[:, 1]
    size = found.rows[0][SAVE] / float(chart.axes[0].lines[0].get_ydata()[0])
    assert max(ends) * size == pytest.approx(max(row[SAVE + HIGH] for row in found.rows))
    assert not sb.study(asked(tmp_path), intervals="none").plot.lines("data.files.size", SAVE).axes[0].collections


@pytest.mark.slow
def test_a_large_study_has_none_unless_asked() -> None:
    sizes = [f"{size} MB" for size in range(1, 101)]
    vary = {"title": "Many", "scenarios": {"one": str(ROOT / "scenarios/teaching/snapshot-slows-writes.yaml")},
            "vary": {"data.file.size": sizes}, "show": ["jobs.first_time.elapsed"]}  # fmt: skip
    assert not sb.study(vary).between.cases


SIZES = {
    "of": "data.files.size", "distribution": "uniform", "loc": "20 GB", "scale": "180 GB", "least": "20 GB",
    "most": "200 GB",
}  # fmt: skip
"""Sizes by chance; with seed 2, the first of four is 1.7 times their mean."""


def random_sizes(folder: Path, **more: Any) -> dict[str, Any]:
    file = folder / "random.yaml"
    file.write_text(json.dumps(SITE | {"chance": {"sizes": SIZES}} | more), encoding="utf-8")
    return {"title": "Random sizes", "scenarios": {"one": str(file)}, "show": [SAVE, "jobs.save.bytes"], "seeds": 4}


def test_what_decides_a_mean_is_what_moves_the_mean(tmp_path: Path) -> None:
    """Cases have the first seed only, whose figures are 1.7 times the mean without any input being moved."""
    wanted = random_sizes(tmp_path)
    found = sb.study(wanted, seed=2)
    first = found.samples[0][SAVE][0]
    assert isinstance(first, float)
    assert first > 1.7 * found.rows[0][SAVE]
    [one] = found.between.alone[SAVE].contributions
    assert one.input.name == "devices.target.write_rate"
    ends = sb.study(
        {**wanted, "vary": {"devices.target.write_rate": ["50 MB/s", "200 MB/s"]}}, seed=2, intervals="none"
    )
    assert [one.at_low, one.at_high] == pytest.approx([row[SAVE] for row in ends.rows], rel=0.02)  # some 10 s are fixed


@pytest.mark.slow
def test_a_line_bounds_the_mean_of_all_seeds(tmp_path: Path) -> None:
    """The bytes of all seeds cross the line in so many seconds on average, however many the first one has."""
    hosts = {name: {"model": "host/linux-modern-server", "owns": [own]} for name, own in
             (("server", "source"), ("vault", "target"))}  # fmt: skip
    lan = {"rate": "120 MB/s", "latency": "0.1 ms", "joins": ["server", "vault"]}
    for seed in (0, 2):  # the first is smaller, and larger, than the mean
        [row] = sb.study(random_sizes(tmp_path, hosts=hosts, links={"lan": lan}), seed=seed).rows
        assert row[SAVE + LOW] == pytest.approx(row["jobs.save.bytes"] / 120e6, rel=1e-6)
        assert row[SAVE + LOW] < row[SAVE]
