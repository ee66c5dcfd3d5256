"""Intervals of figures of scenarios, compared with closed forms."""

import math
from collections.abc import Mapping
from statistics import NormalDist

import pytest

import simbackup as sb
from simbackup import run
from simbackup.equations.uncertainty import SCORE
from simbackup.uncertainty import estimate
from simbackup.uncertainty.effort import LEAN, THOROUGH, Effort
from simbackup.uncertainty.estimate import estimates
from simbackup.uncertainty.model_error import term_of
from simbackup.uncertainty.verdict import job_intervals

SITE = """\
title: One disk that is copied to another
hosts:
  server: {model: host/linux-modern-server, owns: [source, target]}
devices:
  source: {model: ssd/sata-ssd-2015}
  target:
    model: ssd/sata-ssd-2015
    write_rate: {value: 100 MB/s, basis: assumed, range: [50 MB/s, 200 MB/s], why: for a test}
data:
  files: {on: source, size: 100 GB}
jobs:
  save: {method: image, data: files, to: target, tool: backup_tool/raw-blocks, window: 20 min}
"""


class Elapsed:
    """The elapsed time of the backup."""

    def __call__(self, results: Mapping[str, sb.Result]) -> dict[str, float]:
        return {"save": results["it"].get("jobs.save.elapsed")}


def halves(points: int) -> list[float]:
    """Where equally likely values lie between a best estimate (0) and the ends of its range (-1, 1)."""
    return [max(-1.0, min(1.0, NormalDist().inv_cdf((n + 0.5) / points) / SCORE)) for n in range(points)]


@pytest.mark.slow
def test_the_interval_of_a_copy_that_a_disk_limits_is_that_of_its_rate() -> None:
    """The rate within a factor of two; before the disk starts to write, memory takes a tenth of itself or 30 s long."""
    found = estimates({"it": sb.load(SITE)}, Elapsed(), effort=THOROUGH)["save"]
    first, memory = found.contributions[:2]
    assert (first.input.name, memory.input.name) == ("devices.target.write_rate", "hosts.server.memory")
    [use] = memory.input.uses
    filled = found.spread.best - 1000.0
    assert filled == pytest.approx(0.1 * use.best / 540e6)
    sides = {half: (use.best / use.low if half < 0.0 else use.high / use.best) ** half for half in halves(200)}
    times = sorted(1000.0 * 2.0**half + min(30.0, filled * side) for half in halves(200) for side in sides.values())
    assert found.spread.low == pytest.approx(times[len(times) // 20], rel=0.01)
    assert found.spread.high == pytest.approx(times[-len(times) // 20], rel=0.01)
    assert (first.at_high, first.at_low) == pytest.approx((500.0 + filled, 2000.0 + filled))
    assert first.share > 0.9


def test_the_same_seed_gives_the_same_interval() -> None:
    one, same, other = (
        job_intervals(sb.simulate(SITE, seed=seed), effort=LEAN)["save"].as_dict() for seed in (1, 1, 2)
    )
    assert one == same
    assert one["low"] <= one["elapsed"] <= one["high"]
    assert other["elapsed"] == one["elapsed"]


def test_a_verdict_says_in_how_many_cases_a_job_fits() -> None:
    found = job_intervals(sb.simulate(SITE), effort=Effort(40, 8))["save"]
    middle, error, points = math.log(1200.0 / found.elapsed.best), term_of("image").deviation, 1000
    expected = sum(NormalDist().cdf((middle - half * math.log(2.0)) / error) for half in halves(points)) / points
    assert found.fits is not None
    assert found.fits == pytest.approx(expected, abs=0.03)
    assert f"fits its window in {100.0 * found.fits:.0f} % of cases" in found.sentence()
    tested = term_of("image", parts=frozenset({"ssd"})).in_words()
    assert found.sentence(brief=True).endswith(f"% of cases. T{tested[1:]}. Measure devices.target.write_rate first")


def test_values_that_a_check_refuses_are_drawn_nearer_to_the_best_estimate() -> None:
    small = SITE.replace(
        "size: 100 GB", "size: {value: 0.9 TB, basis: assumed, range: [0.5 TB, 1.2 TB], why: for a test}"
    )
    found = estimates({"it": sb.load(small)}, Elapsed())["save"]
    assert len(found.values) == found.asked == 20
    assert found.spread.high < 2.0 * 12_000.0


def test_no_scenario_is_run_in_a_case_that_a_check_refuses_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SITE.replace("size: 100 GB", "size: {value: 100 GB, basis: assumed, range: [1 GB, 90 TB], why: for a test}")
    scenarios = {"it": sb.load(SITE), "wrong": sb.load(wrong)}
    ran: list[str] = []

    def simulated(scenario: sb.Scenario, seed: int, until: tuple[str, ...]) -> sb.Result:
        assert not until
        ran.append(scenario.hash)
        return sb.simulate(scenario, seed=seed)

    monkeypatch.setattr(estimate, "ran", simulated)
    estimates(scenarios, Elapsed(), effort=Effort(10, 0))
    with pytest.raises(sb.InputError):
        scenarios["wrong"].with_({"data.files.size": "90 TB"})
    assert len(ran) == 2 * (1 + 10)


@pytest.mark.slow
def test_runs_end_with_the_job_that_is_wanted_and_say_the_same_of_it() -> None:
    """Of eight restores that share a robot, the first ends long before the others, which slow it down all the same."""
    whole, part = (sb.simulate("teaching/mount-queue", until=until) for until in ((), ("r1",)))
    assert {row["job"]: row for row in whole.job_rows}["r1"] == {row["job"]: row for row in part.job_rows}["r1"]
    assert "r8" not in {row["job"] for row in part.job_rows}
    found = job_intervals(part, effort=LEAN, jobs=("r1",))
    assert found.keys() == {"r1"}
    assert found["r1"].elapsed == job_intervals(whole, effort=LEAN)["r1"].elapsed


def test_a_run_that_is_to_end_with_a_job_that_there_is_not_is_refused() -> None:
    with pytest.raises(sb.InputError, match="until: there is no job 'r9'"):
        sb.simulate("teaching/mount-queue", until=("r1", "r9"))


def test_a_run_is_given_up_that_makes_more_records_than_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "STEPS_BETWEEN_REPORTS", 1)
    most = sb.simulate("teaching/mount-queue").trace.length
    sb.simulate("teaching/mount-queue", most_records=most)
    with pytest.raises(run.TooManyRecordsError):
        sb.simulate("teaching/mount-queue", most_records=most - 1)
