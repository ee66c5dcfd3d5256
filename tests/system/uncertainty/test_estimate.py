"""Intervals of figures of scenarios: closed forms, alternatives, bounds, waits that are declared."""

import copy
import json
import math
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest
from sites.plan import site as site_wait

import simbackup as sb
from simbackup import load, run
from simbackup.equations.uncertainty import SCORE, CentralInterval
from simbackup.experiments.sensitivity import sensitivity
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.results.declared_waits import DeclaredWaits, declared_shares
from simbackup.run import simulate
from simbackup.uncertainty import estimate
from simbackup.uncertainty.effort import LEAN, QUICK, THOROUGH, Effort
from simbackup.uncertainty.estimate import Estimate, estimates
from simbackup.uncertainty.inputs import Use, changes, inputs
from simbackup.uncertainty.model_error import term_of
from simbackup.uncertainty.sampling import latin_hypercube
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from simbackup.uncertainty.whole import whole
from tests.cases import for_each
from tests.shared import simulated

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


# Values that are one of several, and unknowns that several places share
ALTERNATIVE_SITE: dict[str, Any] = {
    "title": "A disk that is saved to one of two others",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "slow", "fast"]}},
    "devices": {
        "source": {"model": "ssd/nvme-gen3-2018"},
        "slow": {"model": "ssd/sata-ssd-2015", "write_rate": "100 MB/s"},
        "fast": {"model": "ssd/sata-ssd-2015", "write_rate": "400 MB/s"},
    },
    "data": {"files": {"on": "source", "size": "100 GB"}},
    "jobs": {"save": {"method": "image", "data": "files", "to": "slow", "tool": "backup_tool/raw-blocks"}},
}  # fmt: skip
EITHER = {"value": "slow", "alternatives": ["fast"], "why": "not yet decided"}


def site(address: str, value: Any) -> sb.Scenario:
    changed = copy.deepcopy(ALTERNATIVE_SITE)
    *path, last = address.split(".")
    part = changed
    for name in path:
        part = part[name]
    part[last] = value
    return sb.load(changed)


def test_a_choice_is_the_stated_value_in_a_run_and_any_of_them_in_an_interval() -> None:
    scenario = site("jobs.save.to", EITHER)
    result = sb.simulate(scenario)
    assert result.get("jobs.save.elapsed") == sb.simulate(ALTERNATIVE_SITE).get("jobs.save.elapsed")
    found = job_intervals(result)["save"]
    fast = sb.simulate(scenario, {"jobs.save.to": "fast"}).get("jobs.save.elapsed")
    assert found.from_inputs.low == pytest.approx(fast, rel=0.1)
    assert found.from_inputs.high == pytest.approx(result.get("jobs.save.elapsed"), rel=0.1)
    assert found.decides[0].input.name == "jobs.save.to"
    assert "easure jobs.save.to first" in found.sentence()
    assert {"value": "slow", "alternatives": ["fast"]}.items() <= found.as_dict()["inputs"][0].items()


def test_each_option_is_as_likely_as_the_others() -> None:
    three = {"value": "slow", "alternatives": ["fast", "source"], "why": "a test"}
    scenario = site("jobs.save.to", three)
    unknown = inputs({"it": scenario})
    taken = [changes(unknown, case).get("it", {}).get("jobs.save.to") for case in latin_hypercube(unknown, 30, 0)]
    assert [taken.count(option) for option in (None, "fast", "source")] == [10, 10, 10]


def test_a_choice_stays_one_where_something_inside_it_is_moved() -> None:
    either = {"value": "disk/nearline-20tb-2022", "alternatives": ["disk/sas-10k-300gb-2009"], "why": "not yet bought"}
    changed = copy.deepcopy(ALTERNATIVE_SITE)
    changed["devices"]["slow"] = {"model": "raid/software-raid6", "disk": either, "disks": 12}
    scenario = sb.load(changed)
    assert scenario.choices[0].address == "devices.slow.disk"
    moved = scenario.with_({"devices.slow.disk.outer_rate": "200 MB/s"})
    assert moved.spec.devices["slow"].disk.outer_rate.si == 200e6  # type: ignore[attr-defined]
    found = job_intervals(sb.simulate(scenario), effort=LEAN)["save"]
    assert found.cases == found.asked


@pytest.mark.slow
def test_the_kind_of_an_array_may_be_assumed() -> None:
    changed = copy.deepcopy(ALTERNATIVE_SITE)
    level = {"value": "6", "alternatives": ["10"], "basis": "assumed", "why": "the document names none"}
    changed["devices"]["slow"] = {
        "model": "raid/software-raid6", "level": level, "disk": "disk/nearline-20tb-2022", "disks": 12,
    }  # fmt: skip
    scenario = sb.load(changed)
    assert [choice.options for choice in scenario.choices] == [("6", "10")]
    assert job_intervals(sb.simulate(scenario), effort=LEAN)["save"].cases == LEAN.cases


def rate(**more: Any) -> dict[str, Any]:
    return {"value": "100 MB/s", "basis": "assumed", "range": ["50 MB/s", "200 MB/s"], "why": "a test", **more}


def in_turn(**more: Any) -> sb.Scenario:
    """Two disks of an uncertain rate, written one after the other."""
    changed = copy.deepcopy(ALTERNATIVE_SITE)
    changed["devices"]["slow"]["write_rate"] = rate(**more)
    changed["devices"]["fast"]["write_rate"] = rate(**more) | {"range": ["90 MB/s", "110 MB/s"]}
    changed["jobs"]["again"] = {**changed["jobs"]["save"], "to": "fast", "after": "save"}
    return sb.load(changed)


def test_what_is_shared_is_one_contributor_whose_places_are_named() -> None:
    found = job_intervals(sb.simulate(in_turn(shared="write rate")), effort=QUICK)["save"]
    places = ["devices.slow.write_rate", "devices.fast.write_rate"]
    assert f"easure write rate ({' and '.join(places)}) first" in found.sentence()
    assert found.as_dict()["inputs"][0]["at"] == places


# No more than the lines on the way of the bytes can carry
def site_bound(rate: Any = "10 MB/s", **job: Any) -> dict[str, Any]:
    return {
        "title": "A line",
        "hosts": {
            "client": {"model": "host/linux-modern-server", "owns": ["source"]},
            "server": {"model": "host/linux-modern-server", "owns": ["target"]},
        },
        "devices": {"source": {"model": "ssd/nvme-gen3-2018"}, "target": {"model": "ssd/nvme-gen3-2018"}},
        "links": {"line": {"rate": rate, "latency": "1 ms", "joins": ["client", "server"]}},
        "data": {"files": {"on": "source", "size": "100 GB", "compression": 2}},
        "jobs": {"save": {"method": "image", "data": "files", "to": "target", **job}},
    }  # fmt: skip


def interval(**job: Any) -> tuple[sb.Result, JobInterval]:
    result = sb.simulate(site_bound(**job))
    return result, job_intervals(result, effort=LEAN)["save"]


def test_a_window_that_the_line_cannot_meet_is_missed_for_certain() -> None:
    _, found = interval(window="9990 s")
    assert found.fits == 0.0
    assert found.sentence().startswith("misses its window")
    _, possible = interval(window="11000 s")
    assert possible.fits is not None
    assert 0.3 < possible.fits < 1.0


def test_a_study_bounds_times_and_rates() -> None:
    asked = {
        "title": "Night",
        "scenarios": {"it": "planning/offsite"},
        "show": ["jobs.night.elapsed", "jobs.night.rate", "jobs.night.transfer_rate"],
    }
    found, result = sb.study(asked), sb.simulate("planning/offsite")
    row, least = found.rows[0], result.least["night"].seconds
    assert 0.5 * least <= row["jobs.night.elapsed" + LOW] <= row["jobs.night.elapsed"]
    assert row["jobs.night.rate" + HIGH] * row["jobs.night.elapsed" + LOW] == pytest.approx(
        row["jobs.night.rate"] * row["jobs.night.elapsed"], rel=0.02
    )
    assert row["jobs.night.transfer_rate" + HIGH] <= 1.01 * result.get("jobs.night.bytes") / least


@pytest.mark.slow
@for_each(
    "name",
    [
        "planning/backup-levels", "planning/disk-then-tape", "planning/frozen-then-tape", "planning/object-store",
        "planning/offsite", "planning/spooled", "planning/tape-drives-lto9", "planning/tape-drives-lto9-disks",
        "planning/compress-where", "planning/redirect-oltp", "planning/copy-on-write-oltp", "teaching/mount-queue",
        "planning/adapter-speed", "planning/mysql-innodb-snapshot", "planning/streams-of-files-memory",
    ],
)  # fmt: skip
def test_no_job_is_faster_than_its_lines(name: str) -> None:
    result = simulated(f"scenarios/{name}.yaml")
    for row in result.job_rows:
        assert result.least[row["job"]].seconds <= row["elapsed"] * (1.0 + 1e-9)


# The error of the model acts on what it computes: never on a wait that the scenario declares
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


def interval_wait(scenario: Any, job: str = "back") -> JobInterval:
    return job_intervals(sb.simulate(scenario), effort=LEAN)[job]


def test_a_restore_from_an_archive_is_no_quicker_than_the_archive() -> None:
    found = interval_wait(archive())
    assert found.declared == pytest.approx(12.0 * HOUR)
    assert 12.0 * HOUR < found.elapsed.low < found.elapsed.best < found.elapsed.high
    assert "12 h of it are declared waits" in found.sentence()


def test_the_computed_part_is_as_uncertain_as_without_the_wait() -> None:
    found, without = interval_wait(archive()), interval_wait(archive("0 s"))
    assert found.elapsed.best - 12.0 * HOUR == pytest.approx(without.elapsed.best, rel=1e-3)
    assert found.elapsed.low - 12.0 * HOUR == pytest.approx(without.elapsed.low, rel=0.02)
    assert found.elapsed.high - 12.0 * HOUR == pytest.approx(without.elapsed.high, rel=0.02)
    assert without.declared == 0.0


def test_a_wait_with_a_range_moves_the_interval_as_far_as_its_range_does() -> None:
    found = interval_wait(archive(UNSURE))
    assert 10.0 * HOUR < found.elapsed.low < 12.0 * HOUR
    assert found.elapsed.high < 16.0 * HOUR


def test_a_window_shorter_than_the_wait_is_missed_for_certain() -> None:
    assert interval_wait(archive(window="12 h")).fits == 0.0
    best = interval_wait(archive()).elapsed.best
    fits = interval_wait(archive(window=f"{best} s")).fits
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
    found = interval_wait({**archive(), "jobs": {"save": job}}, "save")
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
    made = site_wait(zone="UTC")
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


# Values that only some numbers may have, and times that a file states
STATED_SITE = """\
title: An image of a snapshot
hosts: {server: {model: host/linux-modern-server, owns: [disk]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  volume: {kind: logical_volume, 'on': disk, size: 200 GB}
  cow: {model: snapshot/lvm2-5.3, of: volume, 'on': disk, size: 100 GB}
data: {file: {'on': volume, size: 10 GB}}
workloads: {users: {data: file, transactions: 5 /s, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 0 %}}
jobs:
  freeze: {method: create_snapshot, snapshot: cow}
  save: {method: image, data: file, source: cow, to: disk, after: freeze}
  see: {method: observe, workload: users, duration: 10 min}
"""


def test_a_chunk_stays_a_power_of_two_so_that_no_case_is_refused() -> None:
    use = Use("a", "devices.cow.chunk", 4096.0, 4096.0, 524288.0, "B")
    sizes = {use.at(score) for score in (0.5, 1.0, 1.5, 2.0)}
    assert sizes <= {"8 KiB", "16 KiB", "32 KiB", "64 KiB", "128 KiB", "256 KiB", "512 KiB"}
    assert len(sizes) > 2
    found = job_intervals(simulate(load(STATED_SITE)))
    assert found["save"].cases == found["save"].asked


def test_files_whose_updates_are_stated_were_written_in_sequence() -> None:
    """What the updates scattered is not scattered twice: without any, files are read as fast as the blocks."""
    filer = "raid/zfs-raidz2, disk: disk/nearline-8tb-2016, disks: 8"
    site = f"""\
title: A pool that is sent
hosts: {{server: {{model: host/linux-2016-server, speed: 20, owns: [pool, nowhere]}}}}
devices:
  pool: {{model: {filer}}}
  volume: {{model: redirect_volume/zfs, 'on': pool, size: 40 TB}}
  nowhere: {{kind: nul}}
data: {{tree: {{'on': volume, size: 4 TB, files: 100, filesystem: filesystem/zfs,
  aged: {{updates: 0, update_size: 128 KiB}}}}}}
jobs: {{send: {{method: program, program: program/zfs-send, operation: send, data: tree, target: nowhere}}}}
"""
    (value,) = [v for v in load(site).values if v.address == "data.tree.layout"]
    assert (value.given.basis, value.given.si, value.given.low) == ("derived", 0.0, None)
    image = site.replace("method: program, program: program/zfs-send, operation: send", "method: image")
    blocks = simulate(load(image.replace("target:", "to:"))).get("jobs.send.elapsed")
    ahead = {"jobs.send.program.options.ahead": 64}  # with fewer, the disks have nothing to do now and then
    sent = {
        n: simulate(load(site), {"data.tree.aged.updates": n, **ahead}).get("jobs.send.elapsed")
        for n in (0, 10**6, 10**8)
    }
    assert sent[0] == pytest.approx(blocks + 2.0, rel=1e-3)  # the program starts in 2 s; many records are read at once
    assert sent[0] > blocks
    assert sent[10**8] > 5.0 * sent[10**6] > 25.0 * sent[0]
