"""The error of the model acts on what the model computes: never on a wait that the scenario declares."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sites.plan import site

import simbackup as sb
from simbackup.equations.uncertainty import CentralInterval
from simbackup.experiments.sensitivity import sensitivity
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.results.declared_waits import DeclaredWaits, declared_shares
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.estimate import Estimate
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from simbackup.uncertainty.whole import whole
from tests.cases import for_each
from tests.shared import simulated

HOUR = 3600.0
UNSURE = {"value": "12 h", "basis": "assumed", "range": ["10 h", "14 h"], "why": "a test"}


def archive(wait: Any = "12 h", **back: Any) -> dict[str, Any]:
    """A restore from an archive whose objects can be read after a wait."""
    return {
        "title": "An archive",
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk"]}},
        "devices": {
            "disk": {"model": "ssd/nvme-gen3-2018"},
            "vault": {"model": "object_store/amazon-s3-standard", "retrieval_time": wait},
        },
        "links": {"line": {"rate": "10 GB/s", "latency": "1 ms", "joins": ["server", "vault"]}},
        "data": {"files": {"on": "disk", "size": "180 GB"}},
        "jobs": {
            "save": {"method": "image", "data": "files", "to": "vault", "connections": 16, "exists": True},
            "back": {"restore": "save", "connections": 16, **back},
        },
    }  # fmt: skip


def interval(scenario: Any, job: str = "back") -> JobInterval:
    return job_intervals(sb.simulate(scenario), effort=LEAN)[job]


def test_a_restore_from_an_archive_is_no_quicker_than_the_archive() -> None:
    found = interval(archive())
    assert found.declared == pytest.approx(12.0 * HOUR)
    assert 12.0 * HOUR < found.elapsed.low < found.elapsed.best < found.elapsed.high
    assert "12 h of it are declared waits" in found.sentence()


def test_the_computed_part_is_as_uncertain_as_without_the_wait() -> None:
    found, without = interval(archive()), interval(archive("0 s"))
    assert found.elapsed.best - 12.0 * HOUR == pytest.approx(without.elapsed.best, rel=1e-3)
    assert found.elapsed.low - 12.0 * HOUR == pytest.approx(without.elapsed.low, rel=0.02)
    assert found.elapsed.high - 12.0 * HOUR == pytest.approx(without.elapsed.high, rel=0.02)
    assert without.declared == 0.0


def test_a_wait_with_a_range_moves_the_interval_as_far_as_its_range_does() -> None:
    found = interval(archive(UNSURE))
    assert 10.0 * HOUR < found.elapsed.low < 12.0 * HOUR
    assert found.elapsed.high < 16.0 * HOUR


def test_a_window_shorter_than_the_wait_is_missed_for_certain() -> None:
    assert interval(archive(window="12 h")).fits == 0.0
    best = interval(archive()).elapsed.best
    fits = interval(archive(window=f"{best} s")).fits
    assert fits is not None
    assert 0.2 < fits < 0.8


def test_the_wait_until_a_retry_is_declared() -> None:
    """Every try but the last fails after an hour, and the next begins two hours later."""
    scenario = archive("0 s", retries=1, retry_after="2 h", fails={"share": "50 %", "after": "1 h"})
    for seed in range(20):
        result = sb.simulate(scenario, seed=seed)
        if result.row_of["back"]["status"] == "done" and result.get("jobs.back.elapsed") > 3.0 * HOUR:
            break
    assert DeclaredWaits(result).of("back") == pytest.approx(3.0 * HOUR)
    assert job_intervals(result, effort=LEAN)["back"].elapsed.low > 3.0 * HOUR


@pytest.mark.slow
def test_a_study_and_a_sensitivity_leave_the_wait_alone(tmp_path: Path) -> None:
    file = tmp_path / "archive.yaml"
    file.write_text(json.dumps(archive(UNSURE)), encoding="utf-8")
    asked = {
        "title": "Archive", "scenarios": {"it": str(file)}, "show": ["jobs.back.elapsed", "jobs.back.rate"],
    }  # fmt: skip
    row = sb.study(asked).rows[0]
    assert row["jobs.back.elapsed" + LOW] > 10.0 * HOUR
    assert row["jobs.back.rate" + HIGH] < 180e9 / (10.0 * HOUR)
    assert row["jobs.back.rate" + LOW] < row["jobs.back.rate"] < row["jobs.back.rate" + HIGH]
    found = sensitivity(archive(UNSURE), "jobs.back.elapsed", samples=0, walks=0)
    assert 10.0 * HOUR < found.interval.low < found.interval.best


def test_a_job_that_only_watches_lasts_as_long_as_its_file_says() -> None:
    result = simulated("scenarios/planning/redirect-oltp.yaml")
    assert declared_shares(result, ["jobs.during.elapsed"]) == {"jobs.during.elapsed": pytest.approx(1.0)}
    one = Estimate(CentralInterval(HOUR, HOUR, HOUR), (), (HOUR,), 1, None, (1.0,))
    found = whole(one, result.scenario, "jobs.during.elapsed")
    assert found is not None
    assert found.low == pytest.approx(found.high)


def test_the_start_of_a_program_is_no_declared_wait() -> None:
    """The error of the model counts for it, although it has no range."""
    group = {"items": "1 MB", "steps": {"work": {"at": "cpu", "byte": "0.001 ns/B"}}}
    program = {"operations": {"go": {"start": "100 s", "phases": {"all": {"only": group}}}}}
    job = {"method": "program", "operation": "go", "data": "files", "program": program}
    found = interval({**archive(), "jobs": {"save": job}}, "save")
    assert found.declared == 0.0
    assert found.elapsed.low < 90.0
    assert found.elapsed.high > 110.0


def test_starts_at_stated_times_are_declared_in_the_time_of_a_fleet() -> None:
    """The last of 200 backups begins nearly 24 h after the first, and takes minutes."""
    result = simulated("scenarios/planning/spread-starts.yaml")
    address = "fleets.servers.jobs.save-{number}"
    first, last = (result.row_of[f"save-{n}"] for n in (1, 200))
    shares = declared_shares(result, [f"{address}.{column}" for column in ("elapsed", "slowest", "start")])
    assert shares == {
        f"{address}.elapsed": pytest.approx((last["start"] - first["start"]) / (last["end"] - first["start"]))
    }


def test_a_chain_of_jobs_adds_the_waits_of_each() -> None:
    scenario = archive()
    scenario["jobs"]["again"] = {"restore": "save", "connections": 16, "after": "back"}
    result = sb.simulate(scenario)
    assert DeclaredWaits(result).until(result.row_of["again"], 0.0) == pytest.approx(24.0 * HOUR)


def vault(wait: str) -> dict[str, Any]:
    made = site(zone="UTC")
    made["targets"]["vault"] = {
        "beside": "pool", "link": {"rate": "1 Gb/s", "latency": "20 ms"}, "place": "cloud", "connections": 16,
        "object_size": "64 MiB", "device": {"model": "object_store/amazon-s3-standard", "retrieval_time": wait},
    }  # fmt: skip
    system = {"size": "200 GB", "files": 1_000_000, "filesystem": "filesystem/xfs", "policy": "nightly"}
    made["systems"] = {name: system | {"change": {"daily": "1 %"}} for name in ("first", "second")}
    return made


@pytest.mark.slow
@for_each("at_once, waits", [(2, 12.0), (1, 24.0)])
@for_each("intervals", ["none", "quick"])
def test_a_restore_of_a_site_is_no_quicker_than_its_archive(at_once: int, waits: float, intervals: str) -> None:
    """One after another, the second restore asks the archive when the first has ended."""
    found = restore(
        load_site(vault("12 h")), "site", date(2027, 1, 6), "main", at_once=at_once, intervals=intervals
    )  # fmt: skip
    assert found.interval is not None
    assert waits * HOUR < found.interval.low < found.interval.best
