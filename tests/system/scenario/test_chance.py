"""What chance decides: distributions within bounds, a stream for each value, the same bytes with the same seed."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import simbackup as sb
from simbackup.chance import Draw
from simbackup.equations.intervals import mean_interval, student_quantile
from simbackup.scenario.chance import bounded
from simbackup.schema.quantity import Quantity
from simbackup.schema.study import ChanceSpec
from tests.cases import for_each

SITE: dict[str, Any] = {
    "title": "Nights by chance",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk"]}},
    "devices": {
        "disk": {"model": "ssd/sata-ssd-2015", "capacity": "4 TB"},
        "source": {"kind": "logical_volume", "on": "disk", "size": "200 GB"},
        "target": {"kind": "logical_volume", "on": "disk", "size": "3 TB"},
    },
    "data": {"files": {"on": "source", "size": "100 GB", "change": {"daily": "3 %", "run": "1 MiB"}}},
    "jobs": {
        "save": {
            "method": "image", "data": "files", "to": "target", "tool": "backup_tool/raw-blocks",
            "level": "incremental", "since": "24 h", "delay": "10 min",
        },
        "full": {"method": "image", "data": "files", "to": "target", "tool": "backup_tool/raw-blocks", "after": "save"},
    },
}  # fmt: skip
CHANGE = {
    "of": "data.files.change.daily", "distribution": "lognorm", "shapes": {"s": 0.5}, "scale": "3 %", "least": "1 %",
    "most": "10 %",
}  # fmt: skip
ARRIVAL = {"of": "jobs.save.delay", "distribution": "expon", "scale": "10 min", "most": "1 h"}
FAILS = {"share": "30 %", "after": "2 min"}
DAILY = {"every": "1 d", "until": "40 d"}


def site(**chance: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(SITE)), "chance": chance}


def bytes_saved(scenario: dict[str, Any], seed: int) -> float:
    return sb.simulate(scenario, seed=seed).get("jobs.save.bytes")


def written(scenario: dict[str, Any], seed: int) -> str:
    return json.dumps(sb.simulate(scenario, seed=seed).job_rows, default=str)


def test_the_same_seed_gives_the_same_and_another_one_does_not() -> None:
    chance = site(change=CHANGE, arrival=ARRIVAL)
    assert written(chance, 3) == written(chance, 3)
    assert written(chance, 3) != written(chance, 4)


def test_draws_follow_their_distribution_within_its_bounds() -> None:
    """Forty runs of a repeated job; by chance, one in a thousand such samples would be refused."""
    chance = site(arrival=ARRIVAL)
    chance["jobs"] = {"save": {**chance["jobs"]["save"], **DAILY, "level": "full", "since": None}}
    rows = sb.simulate(chance).job_rows
    delays = [row["start"] - row["due"] for row in rows]
    ends = stats.expon(scale=600.0).cdf([0.0, 3600.0])
    assert max(delays) <= 3600.0
    assert len(set(delays)) == len(rows) == 41
    bounded = lambda x: (stats.expon(scale=600.0).cdf(x) - ends[0]) / (ends[1] - ends[0])  # noqa: E731
    assert stats.kstest(delays, bounded).pvalue > 0.001


def test_data_change_anew_each_day_and_alike_for_all_jobs() -> None:
    chance = site(change=CHANGE)
    one = {**chance["jobs"]["save"], "delay": "1 min", "since": None, **DAILY, "until": "5 d"}
    chance["jobs"] = {"save": one, "again": {**one, "begin": "6 h"}}
    result = sb.simulate(chance, seed=1)
    saved = [result.get(f"jobs.save.{n}.bytes") for n in range(1, 7)]
    again = [result.get(f"jobs.again.{n}.bytes") for n in range(1, 6)]
    assert len(set(saved)) == 6
    assert saved[:5] == again
    assert all(0.9 * 1e9 < each < 10.1 * 1e9 for each in saved)


def test_jobs_fail_in_their_share_of_tries_and_retries_save_them() -> None:
    chance = site()
    chance["data"]["files"]["size"] = "1 GB"
    save = {**chance["jobs"]["save"], "level": "full", "since": None, **DAILY, "fails": FAILS}
    chance["jobs"] = {"save": {**save, "until": "99 d"}}
    tried = {**chance, "jobs": {"save": {**chance["jobs"]["save"], "retries": 1}}}
    once, twice = (
        np.mean([row["status"] == "failed" for row in sb.simulate(each).job_rows]) for each in (chance, tried)
    )
    for share, expected in ((once, 0.3), (twice, 0.09)):  # three standard errors of a hundred runs
        assert abs(share - expected) < 3.0 * (expected * (1.0 - expected) / 100.0) ** 0.5
    failed = next(row for row in sb.simulate(chance).job_rows if row["status"] == "failed")
    assert failed["elapsed"] == 120.0
    assert failed["reason"] == "failed at random, as 30 % of its attempts do"


MOUNT = {"of": "devices.library.exchange_time", "distribution": "uniform", "loc": "6 s", "scale": "12 s"}
LOAD = {"of": "devices.library.drive.load_time", "distribution": "uniform", "loc": 0.5, "scale": 1.0, "by": "factor"}


def moves(changes: dict[str, Any] | None = None, **chance: Any) -> dict[str, list[float]]:
    """Seconds of each move of the robots of a library, by job, the shortest first."""
    drawn = {name: {**each, "each_time": True} for name, each in chance.items()}
    given = {"title": "A", "extends": "teaching/mount-queue", "chance": drawn}
    found: dict[str, list[float]] = {}
    for span in sb.simulate(given, changes, seed=1).trace.spans:
        if span.activity in {"mount", "dismount"}:
            found.setdefault(span.job, []).append(span.end - span.start)
    return {job: sorted(each) for job, each in found.items()}


def test_each_move_of_a_robot_is_drawn_for_its_job_whatever_other_parts_do() -> None:
    found = moves(mount=MOUNT)
    assert found == {
        job: pytest.approx(each) for job, each in moves({"devices.library.robots": 2}, mount=MOUNT, load=LOAD).items()
    }
    every = [seconds for each in found.values() for seconds in each]
    assert len(set(every)) == len(every) == 32  # eight cartridges are written, and eight are read
    assert stats.kstest(every, stats.uniform(6.0, 12.0).cdf).pvalue > 0.001
    assert all(each == pytest.approx([12.0] * len(each)) for each in moves().values())


@for_each("times", [1.0, 400.0, 40_000.0])
def test_the_mean_of_many_draws_varies_as_much_less_as_it_should(times: float) -> None:
    """By chance, one in a thousand such samples would be refused: the variance of a hundred is chi-squared."""
    said = ChanceSpec.model_validate({**MOUNT, "each_time": True})
    draw = Draw(Quantity(12.0, "s", "12 s"), said, bounded(said, "s"), "chance mount", 1.0)
    means = [12.0 * draw.mean_factor(seed, "job", times) for seed in range(100)]
    deviation = 12.0 / (12.0 * times) ** 0.5
    assert abs(np.mean(means) - 12.0) < 3.3 * deviation / 10.0
    low, high = stats.chi2(99).ppf([0.0005, 0.9995]) / 99.0
    assert low < np.var(means, ddof=1) / deviation**2 < high


def test_a_request_to_an_object_store_has_a_latency_of_its_own() -> None:
    bucket = {"kind": "object_store", "model": "object_store/amazon-s3-standard", "write_latency": "2 s"}
    given = site()
    given["devices"]["bucket"] = bucket
    given["hosts"]["server"]["owns"].append("bucket")
    given["data"]["files"] = {"on": "source", "size": "1 MB"}
    save = {"method": "image", "data": "files", "to": "bucket", "tool": "backup_tool/raw-blocks"}
    given["jobs"] = {"save": save, "again": {**save, "after": "save"}}
    latency = {"of": "devices.bucket.write_latency", "distribution": "uniform", "scale": 2.0, "by": "factor"}
    drawn = {**given, "chance": {"latency": {**latency, "each_time": True, "least": 0.1}}}
    stated, one, other = (
        [row["elapsed"] for row in sb.simulate(each, seed=seed).job_rows]
        for each, seed in ((given, 1), (drawn, 1), (drawn, 2))
    )
    assert stated[0] == pytest.approx(stated[1])
    assert len({*one, *other}) == 4
    assert all(0.2 - 1e-6 <= each - (stated[0] - 2.0) <= 4.0 + 1e-6 for each in (*one, *other))


@pytest.mark.parametrize("address", ["data.files.size", "devices.library.drive.native_rate"])
def test_what_does_not_pass_is_not_drawn_each_time(address: str) -> None:
    with pytest.raises(sb.InputError, match=rf"'{address}' is not a time that can be drawn for each use"):
        moves(mount={**MOUNT, "of": address, "loc": 0.5, "scale": 1.0, "by": "factor"})


@for_each(
    "change, message",
    [
        ({"of": "data.files.change.dayly"}, "there is no value 'data.files.change.dayly'; did you mean"),
        ({"of": "data.files.cached"}, "there is no value"),
        ({"distribution": "lognormal"}, "there is no distribution 'lognormal'; did you mean 'lognorm'"),
        ({"shapes": {}}, "'lognorm' has the shapes s"),
        ({"shapes": {"s": -1.0}}, "does not exist with these shapes"),
        ({"scale": "3 GB"}, "3 GB"),
        ({"most": None}, "has no upper end; write 'most:'"),
        ({"least": "20 %"}, "nothing lies between"),
        ({"most": "200 %"}, "with the largest value that can be drawn: 2 is out of bounds|out of bounds"),
    ],
)
def test_what_chance_cannot_decide_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(sb.InputError) as caught:
        sb.load(site(change={**CHANGE, **change}))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_one_value_has_one_distribution() -> None:
    with pytest.raises(sb.InputError, match="name each address once"):
        sb.load(site(change=CHANGE, other=CHANGE))


@pytest.mark.slow
def test_differences_of_rows_with_the_same_draws_are_narrower_than_of_others(tmp_path: Path) -> None:
    """Two tools at the same nights: what chance does to both alike is not in the interval of the pairs."""
    file = tmp_path / "site.yaml"
    file.write_text(json.dumps(site(change=CHANGE)), encoding="utf-8")
    study = {
        "title": "Tools", "scenarios": {"one": str(file)}, "seeds": 12,
        "show": ["jobs.save.elapsed"], "compare": "full",
        "cases": {"full": {"devices.disk.write_rate": "200 MB/s"}, "half": {"devices.disk.write_rate": "100 MB/s"}},
    }  # fmt: skip
    found = sb.study(study, workers=1)
    name = "jobs.save.elapsed"
    paired, unpaired = found.difference(name, 1, 0), found.difference(name, 1, 0, paired=False)
    assert paired.mean == pytest.approx(unpaired.mean) == pytest.approx(found.rows[1][f"{name} change"])
    assert 0.0 < paired.half == found.rows[1][f"{name} change ±"]
    ones, others = (np.array(sample[name], dtype=float) for sample in found.samples)
    covariance = np.cov(ones, others)[0, 1]
    assert covariance > 0.0
    same = student_quantile(11) * ((np.var(ones, ddof=1) + np.var(others, ddof=1) - 2.0 * covariance) / 12.0) ** 0.5
    assert paired.half == pytest.approx(same)
    assert paired.half < unpaired.half / 1.5


def test_runs_are_added_until_the_mean_is_known_well_enough(tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(json.dumps(site(change=CHANGE)), encoding="utf-8")
    study = {"title": "A", "scenarios": {"one": str(file)}, "show": ["jobs.save.bytes", "jobs.save.status"]}
    found = sb.study({**study, "seeds": {"within": "15 %", "first": 4}}, workers=1, intervals="none")
    [sample] = found.samples
    values = [float(value) for value in sample["jobs.save.bytes"]]  # type: ignore[arg-type]
    mean, half = mean_interval(values)
    assert half <= 0.15 * mean
    assert 4 < len(values) < 200
    assert values[:4] == [bytes_saved(json.loads(file.read_text()), seed) for seed in range(4)]
    notes: list[str] = []
    few = sb.study({**study, "seeds": {"within": "1 %", "first": 3, "most": 5}}, workers=1, note=notes.append)
    assert len(few.samples[0]["jobs.save.bytes"]) == 5
    assert "is not within 1 % after 5 seeds" in notes[-1]
