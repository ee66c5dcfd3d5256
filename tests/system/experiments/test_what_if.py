"""What would be without a job's bottleneck, and how it is shown."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from simbackup import explain, load
from simbackup.experiments import what_if as experiment
from simbackup.experiments.what_if import MANY, faster, reasons, resource
from simbackup.reporting.sentences import sentence_on
from simbackup.results.causes import Cause
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.schema.capability import Device, Piece
from tests.cases import for_each
from tests.shared import Say

TAPE = "teaching/one-file-from-tape"
KEYS = {
    "name", "status", "reason", "elapsed_s", "causes", "bottleneck", "bottleneck_s", "doubled_s",
    "without_bottleneck_s", "next_bottleneck", "wait",
}  # fmt: skip
WEEK = """\
title: A repeated job
hosts: {host: {model: host/linux-modern-server, owns: [disk, other]}}
devices:
  disk: {model: disk/sata-7200-1tb-2008}
  other: {model: disk/sata-7200-1tb-2008}
data: {users: {on: disk, size: 10 GB}}
jobs:
  full: {method: image, data: users, to: other, every: 1 day, until: 3 days}
  once: {method: image, data: users, to: other, begin: "12:00"}
"""


@for_each(
    "address, activity, part",
    [
        ("devices.disk", "read", "devices.disk"),
        ("devices.cow", "lookup", "devices.cow"),
        ("devices.cow", "create", "devices.cow"),
        ("devices.cow", "mount", "tool"),
        ("devices.library", "wait for a drive", "devices.library.drives"),
        ("devices.library", "wait for a cartridge", None),
        ("devices.queue", "wait for a turn", "devices.queue.at_once"),
        ("devices.library.A1", "wait for the cartridge", None),
        ("devices.library.robot", "mount", "devices.library.robot"),
        ("devices.library.robot", "mount queue", "devices.library.robot"),
        ("devices.library.drive.12", "locate", "devices.library.drive"),
        ("devices.library.drive.1", "reposition", "devices.library.drive"),
        ("hosts.server.cores", "copy", "hosts.server"),
        ("hosts.guest", "system state", "tool"),
        ("hosts.server.page_cache.devices.disk", "write-back", "devices.disk"),
        ("links.lan", "travel", "links.lan"),
        ("jobs.full.buffers", "wait for requests", "jobs.full.buffers"),
        ("data.db", "flush", "data.db"),
        ("catalogue", "save index", "tool"),
        ("workloads.users", "observe", None),
        ("jobs.full", "wait", None),
    ],
)
def test_what_could_be_faster_behind_a_cause(address: str, activity: str, part: str | None) -> None:
    assert resource(Cause(address, activity)) == part


class Jukebox(Device):
    """A device of another package that has a piece of its own."""

    pieces: ClassVar[Mapping[str, Piece]] = {"arm": Piece("arms", "swing", "wait for an arm")}


@for_each(
    "address, activity, part",
    [
        ("devices.box", "wait for an arm", "devices.box.arm"),
        ("devices.box.arm.2", "swing", "devices.box.arm"),
        ("devices.box", "wait for a courier", None),
        ("devices.box.drive", "locate", "devices.box"),
    ],
)
def test_a_device_of_another_package_has_the_pieces_that_it_states(address: str, activity: str, part: str) -> None:
    scenario = load("teaching/one-file-from-tape")
    devices = {**scenario.spec.devices, "box": Jukebox.model_construct()}
    made = replace(scenario, spec=replace(scenario.spec, devices=devices))
    assert resource(Cause(address, activity), made) == part


def changed(name: str, part: str, factor: float = 4.0) -> dict[str, float]:
    """Factors by which values of a scenario change when a part is so many times faster."""
    scenario = load(name)
    before = {value.address: value.given.si for value in scenario.values}
    after = faster(scenario, part, factor).spec
    found: dict[str, float] = {}
    for address, value in before.items():
        section, key, *inner = address.split(".")
        there: Any = getattr(after, section)[key]
        for word in inner:
            there = getattr(there, word, None) or there[word]
        if there.si != value:
            found[address] = there.si / value
    return found


def test_drives_and_robots_are_more_of_them() -> None:
    assert changed(TAPE, "devices.jukebox.drives") == {"devices.jukebox.drives": 4.0}
    assert changed(TAPE, "devices.jukebox.drives", 1e6) == {"devices.jukebox.drives": MANY}
    robot = changed(TAPE, "devices.jukebox.robot")
    assert robot["devices.jukebox.exchange_time"] == 0.25
    assert set(robot) <= {"devices.jukebox.exchange_time", "devices.jukebox.robots"}


def test_more_buffers_take_more_memory_and_more_requests_in_flight() -> None:
    keys = {"jobs.backup.buffers", "jobs.backup.engine.io_depth", "jobs.backup.engine.memory_limit"}
    assert changed("teaching/bottleneck-moves", "jobs.backup.buffers") == dict.fromkeys(keys, 4.0)
    assert changed("teaching/bottleneck-moves", "jobs.back.buffers", 1e6) == dict.fromkeys(keys, MANY)


def test_without_the_wait_for_buffers_the_next_limit_is_that_of_a_backup_with_many() -> None:
    few = explain("teaching/bottleneck-moves", "backup")["backup"]
    many = explain("teaching/bottleneck-moves", "backup", overrides={"jobs.backup.buffers": 64})["backup"]
    assert few.bottleneck == "jobs.backup.buffers"
    assert few.next_bottleneck == many.bottleneck == "links.lan"
    assert few.without == pytest.approx(many.elapsed, rel=0.01)


def test_what_a_program_does_at_the_processor_is_not_what_it_tells_the_database() -> None:
    name = "published/000-netbackup-frozen-images/checkpoint"
    reported, own = changed(name, "data.db"), changed(name, "tool")
    assert reported
    assert {address.rpartition(".")[2] for address in reported} <= {"start_time", "file_time", "flush_time"}
    assert not set(reported) & set(own)
    assert not any("cpu" in address for address in (*reported, *own))


def test_runs_are_shared_by_jobs_with_the_same_bottleneck(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[float] = []

    def counted(*words: Any, **keys: Any) -> Result:
        runs.append(1.0)
        return simulate(*words, **keys)

    scenario = load("planning/streams-of-files")
    result = simulate(scenario)
    monkeypatch.setattr(experiment, "ran", counted)
    found = reasons(result, scenario)
    assert len(found) == 17
    assert len(runs) == 2 * len({one.bottleneck for one in found}) == 4


def test_as_json(say: Say) -> None:
    code, out, err = say("explain", TAPE, "--json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert list(data) == ["jobs"]
    assert [job["name"] for job in data["jobs"]] == [row["job"] for row in simulate(TAPE).job_rows]
    for job in data["jobs"]:
        assert set(job) == KEYS
        assert sum(job["causes"].values()) == pytest.approx(job["elapsed_s"], rel=1e-9)
        assert job["without_bottleneck_s"] <= job["doubled_s"] <= job["elapsed_s"]


def test_one_job_and_an_unknown_one(say: Say) -> None:
    data = json.loads(say("explain", TAPE, "one_file", "--json")[1])
    assert [job["name"] for job in data["jobs"]] == ["one_file"]
    text = say("explain", TAPE, "one_file")[1]
    assert text.startswith("one_file: ")
    assert "bottleneck: devices.jukebox.drive, " in text
    code, out, err = say("explain", TAPE, "one_fiel")
    assert (code, out) == (2, "")
    assert err == "simbackup explain: there is no job 'one_fiel'; did you mean 'one_file'?\n"


def test_a_saved_result_and_one_whose_scenario_has_changed(
    say: Say, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "week.yaml"
    file.write_text(WEEK, encoding="utf-8")
    simulate(file).save(tmp_path / "saved")
    reported = say("explain", file, "--json")[1]
    assert say("explain", tmp_path / "saved", "--json")[1] == reported
    assert not caplog.messages
    file.write_text(WEEK.replace("10 GB", "11 GB"), encoding="utf-8")
    caplog.clear()
    assert say("explain", tmp_path / "saved", "--json")[1] == reported
    assert caplog.messages == [f"'{file}' or one of its datasheets has changed; this is about the old run"]


def test_jobs_that_failed_or_were_skipped_have_nothing_that_could_be_faster(say: Say) -> None:
    name = "published/002-sql-server-tuning/out-of-memory"
    found = {one.name: one for one in reasons(simulate(name), load(name))}
    assert {one.status for one in found.values()} == {"failed", "skipped"}
    assert all((one.elapsed, one.causes, one.bottleneck) == (0.0, {}, None) for one in found.values())
    code, out, _ = say("explain", name)
    assert code == 0
    assert "backup: 0 s, failed" in out


def test_runs_of_a_repeated_job_are_reported_by_the_slowest(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "week.yaml"
    file.write_text(WEEK, encoding="utf-8")
    text = say("explain", file)[1]
    assert text.count("bottleneck:") == 2
    assert ", the slowest of full (4): " in text
    both = say("explain", file, "full.2", "full.3")[1]
    assert both.count("bottleneck:") == 2
    assert "slowest" not in both
    assert len(json.loads(say("explain", file, "--json")[1])["jobs"]) == 5


@pytest.mark.slow
def test_jobs_of_a_fleet_are_reported_by_the_slowest(say: Say) -> None:
    text = say("explain", "planning/spread-starts")[1]
    assert text.count("bottleneck:") == 1
    assert "the slowest of save-* (200): " in text
    assert "slowest" not in say("explain", "planning/spread-starts", "save-7")[1]


def test_a_queue_of_jobs_is_a_bottleneck_of_which_there_could_be_more() -> None:
    """Six jobs of t seconds, two at a time: the last wait for 2 t. Four at a time, they wait for t."""
    parts: dict[str, Any] = {
        "title": "Turns", "hosts": {}, "data": {}, "jobs": {},
        "devices": {"queue": {"kind": "job_queue", "at_once": 2}},
    }  # fmt: skip
    for name in "abcdef":
        parts["hosts"][f"host-{name}"] = {"model": "host/linux-modern-server", "owns": [f"disk-{name}", f"sink-{name}"]}
        parts["devices"] |= {f"disk-{name}": {"model": "disk/sata-7200-1tb-2008"}, f"sink-{name}": {"kind": "nul"}}
        parts["data"][f"data-{name}"] = {"on": f"disk-{name}", "size": "10 GB"}
        parts["jobs"][name] = {
            "method": "image", "data": f"data-{name}", "to": f"sink-{name}", "queues": ["queue"],
        }  # fmt: skip
    scenario = load(parts)
    result = simulate(scenario)
    alone = result.get("jobs.a.elapsed")
    [found] = reasons(result, scenario, ["f"])
    assert (found.bottleneck, found.share, found.elapsed) == (
        "devices.queue.at_once", pytest.approx(2 * alone), pytest.approx(3 * alone),
    )  # fmt: skip
    assert (found.doubled, found.without) == (pytest.approx(2 * alone), pytest.approx(alone))
    assert "devices.queue.at_once, 66.7% of the time. Twice as many: " in sentence_on(found)


def test_a_wait_that_no_part_shortens_comes_before_a_smaller_bottleneck() -> None:
    causes = {Cause("devices.cloud", "wait for an archive"): 99.0, Cause("devices.cloud", "read"): 1.0}
    one = experiment.Reasons("back", "done", 100.0, causes, "devices.cloud", 1.0, wait=next(iter(causes)))
    assert sentence_on(one) == (
        "wait for an archive on devices.cloud: 99.0% of the time, which no part shortens; "
        "bottleneck: devices.cloud, 1.0% of the time."
    )


def test_who_waits_for_a_cartridge_is_told_so_first() -> None:
    """Three restores from one cartridge, with a drive for each: the last waits until both others have ended."""
    jobs: dict[str, Any] = {"save": {"method": "image", "data": "files", "to": "library"}}
    jobs |= {f"back-{i}": {"restore": "save", "after": "save"} for i in range(3)}
    scenario = load({
        "title": "One cartridge",
        "hosts": {"host": {"model": "host/linux-modern-server", "owns": ["disk"]}},
        "devices": {
            "disk": {"model": "ssd/nvme-gen3-2018"},
            "library": {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 3},
        },
        "links": {"bus": {"rate": "1.6 GB/s", "latency": "0.1 ms", "joins": ["host", "library"]}},
        "data": {"files": {"on": "disk", "size": "500 GB"}},
        "jobs": jobs,
    })  # fmt: skip
    result = simulate(scenario)
    last = max((row for row in result.job_rows if row["job"] != "save"), key=lambda row: row["end"])
    [found] = reasons(result, scenario, [last["job"]])
    assert found.wait is not None
    assert found.wait.activity == "wait for the cartridge"
    assert found.causes[found.wait] == pytest.approx(last["waits"])
    assert found.causes[found.wait] > found.share > 0.0
    assert sentence_on(found).startswith("wait for the cartridge on devices.library.")
