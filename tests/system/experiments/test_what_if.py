"""What would change: explanations, comparisons, values halved and doubled, parts without their limits."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest

import simbackup as sb
from simbackup import explain, load
from simbackup.errors import ResultError
from simbackup.experiments import what_if as experiment
from simbackup.experiments.what_if import MANY, faster, reasons, resource
from simbackup.reporting.sentences import sentence_on
from simbackup.results.causes import Cause
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.schema.capability import Device, Piece
from tests.cases import for_each
from tests.shared import Say
from tests.system.experiments.test_study_intervals import SAVE, SITE

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
        ("hosts.server.page_cache.devices.disk", "write-back", "devices.disk"),
        ("links.lan", "travel", "links.lan"),
        ("jobs.full.buffers", "wait for requests", "jobs.full.buffers"),
        ("data.db", "flush", "data.db"),
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


# Explanations
def test_one_row_a_job_and_causes_that_sum_to_it() -> None:
    result = sb.simulate(TAPE)
    why = sb.explain(result)
    assert list(why.frame.index) == [row["job"] for row in result.job_rows]
    sums = why.causes.groupby("job")["seconds"].sum()
    for one in why.found:
        assert sums[one.name] == pytest.approx(one.elapsed, rel=1e-9)
    assert why["one_file"].bottleneck == "devices.jukebox.drive"
    assert why.frame["without it"]["one_file"] < why.frame["elapsed"]["one_file"]


def test_a_result_a_scenario_and_a_name_tell_the_same() -> None:
    changed = {"devices.jukebox.drives": 1}
    scenario = sb.load(TAPE)
    reported = [
        sb.explain(TAPE, "one_file", overrides=changed).found,
        sb.explain(scenario, "one_file", overrides=changed).found,
        sb.explain(sb.simulate(TAPE, changed), "one_file").found,
    ]
    assert reported[0] == reported[1] == reported[2]


def test_a_table_names_jobs_once_and_runs_of_one_job_share_a_row() -> None:
    alike = {f"devices.array.disk.{seek}_seek": "8 ms" for seek in ("track_to_track", "average", "full_stroke")}
    many = sb.explain("planning/mysql-weekly-and-daily", overrides=alike)
    assert len(many.found) > 30
    table = many._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert table.count("<tr>") < 8
    assert "daily (27 runs)" in table
    assert "devices.array" in table


def test_a_job_that_is_not_there_is_named_beside_those_that_are() -> None:
    with pytest.raises(ResultError, match="did you mean 'one_file'"):
        sb.explain(TAPE, "one_fil")
    with pytest.raises(ResultError, match="not explained here"):
        _ = sb.explain(TAPE, "one_file")["full"]


# Results side by side
def asked(folder: Path, **more: Any) -> dict[str, Any]:
    """Two targets, of which the second writes twice as fast as the first does at its best estimate."""
    fast = json.loads(json.dumps(SITE))
    fast["devices"]["target"]["write_rate"] |= {"value": "200 MB/s", "range": ["100 MB/s", "400 MB/s"]}
    files = {"slow": SITE, "fast": fast}
    for name, site in files.items():
        (folder / f"{name}.yaml").write_text(json.dumps(site), encoding="utf-8")
    return {
        "title": "Targets", "scenarios": {name: str(folder / f"{name}.yaml") for name in files},
        "vary": {"data.files.size": ["50 GB", "100 GB"]}, "compare": "slow", "show": [SAVE, "jobs.save.cause"], **more,
    }  # fmt: skip


def test_rows_are_compared_with_those_of_the_base_at_the_same_values(tmp_path: Path) -> None:
    found = sb.study(asked(tmp_path), workers=1)
    for row, base in zip(found.rows[2:], found.rows[:2], strict=True):
        assert row["data.files.size"] == base["data.files.size"]
        assert row[f"{SAVE} change"] == row[SAVE] - base[SAVE]
        assert row[f"{SAVE} times"] == row[SAVE] / base[SAVE]
        assert 0.5 < row[f"{SAVE} times"] < 0.55  # both start the tool for as long
        assert not any(name.startswith(f"{SAVE} change") for name in base)
        assert row[f"{SAVE} times low"] < row[f"{SAVE} times"] < row[f"{SAVE} times high"]
    table = found.table()
    assert table["change"].notna().sum() == 2
    assert list(table["times"].dropna()) == [row[f"{SAVE} times"] for row in found.rows[2:]]


def test_what_two_rows_share_is_not_in_the_factor_between_them(tmp_path: Path) -> None:
    """The same file twice: all inputs are the same, and so is every case."""
    same = {"a": str(tmp_path / "slow.yaml"), "b": str(tmp_path / "slow.yaml")}
    found = sb.study(asked(tmp_path, scenarios=same, compare="a"), workers=1)
    for row in found.rows[2:]:
        assert (row[f"{SAVE} times low"], row[f"{SAVE} times"], row[f"{SAVE} times high"]) == (1.0, 1.0, 1.0)
        assert row[f"{SAVE} high"] > 1.2 * row[f"{SAVE} low"]


def test_a_case_may_be_the_base(tmp_path: Path, say: Say) -> None:
    cases = {"small": {"data.files.size": "10 GB"}, "large": {"data.files.size": "30 GB"}}
    study = {**asked(tmp_path, vary={}, cases=cases), "compare": "small"}
    (tmp_path / "a.study.yaml").write_text(json.dumps(study), encoding="utf-8")
    code, out, _ = say("study", tmp_path / "a.study.yaml", "--intervals", "none", "--workers", 1)
    assert code == 0
    assert "Compared with 'small'" in out
    assert out.count(" times") == 2


def test_a_base_that_is_not_there_or_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match="no scenario and no case 'slwo'; did you mean 'slow'"):
        sb.study(asked(tmp_path, compare="slwo"))
    alone = {"slow": str(tmp_path / "slow.yaml")}
    with pytest.raises(sb.InputError, match="there is nothing to compare with 'slow'"):
        sb.study(asked(tmp_path, scenarios=alone))


# An answer moves as it should
COPY = ("published/004-zrm-mysql/cp", "cp")
IMAGE = ("published/001-networker-small-files/image-old", "save")
WRITE = ("published/003-lvm-snapshots/same-disk", "dd")
SAME = 0.002


class Case(NamedTuple):
    """A job, the values that are scaled together, and between what its elapsed time lies, halved and doubled.

    `given` are values that the scenario needs besides.
    """

    job: tuple[str, str]
    scaled: tuple[str, ...]
    halved: tuple[float, float]
    doubled: tuple[float, float]
    given: dict[str, object] = {}  # noqa: RUF012 (nobody writes to it)


RATES = ("outer_rate", "inner_rate")
CASES = (
    # what is longer makes it slower, by no more than in proportion
    Case(COPY, ("devices.array.controller_overhead",), (0.90, 0.99), (1.02, 1.20)),
    Case(COPY, ("devices.array.disk.average_seek", "devices.array.disk.full_stroke_seek"), (0.75, 0.95), (1.1, 1.5)),
    Case(COPY, ("devices.array.disk.command_overhead",), (0.90, 0.99), (1.02, 1.20)),
    Case(WRITE, ("devices.sdb.average_seek", "devices.sdb.full_stroke_seek"), (0.75, 0.95), (1.1, 1.5)),
    # what is faster or more makes it faster, by no more than in proportion
    Case(COPY, ("devices.array.disk.rotation_speed",), (1.05, 1.5), (0.75, 0.98)),
    Case(WRITE, ("devices.sdb.rotation_speed",), (1.2, 2.0), (0.5, 0.85)),
    Case(COPY, tuple(f"devices.array.disk.{rate}" for rate in RATES), (1.1, 2.0), (0.5, 0.95)),
    Case(IMAGE, tuple(f"devices.disk.{rate}" for rate in RATES), (1.1, 2.0), (0.5, 0.95)),
    Case(IMAGE, ("devices.disk.stream_turn",), (1.3, 2.0), (0.5, 0.85)),
    Case(COPY, ("devices.array.disk.stream_turn",), (1.02, 2.0), (0.5, 0.95)),
    Case(COPY, ("hosts.server.read_ahead",), (1.5, 2.0), (0.5, 0.7)),
    Case(COPY, ("hosts.server.write_behind",), (1 - SAME, 1.2), (0.6, 0.98)),
    Case(
        COPY, ("devices.array.controller_write_rate",), (1.5, 2.0), (0.5, 0.7),
        {"devices.array.controller_write_rate": "30 MB/s"},
    ),
    Case(COPY, ("devices.array.write_cache",), (1.01, 1.2), (0.85, 0.99), {"devices.array.write_cache": "128 MB"}),
    Case(
        COPY, ("devices.array.read_ahead",), (1.1, 2.0), (0.5, 0.95),
        {"devices.array.prefetches": True, "devices.array.read_ahead": "8 MB"},
    ),
    # a window that lies on one disk instead of two waits for it alone
    Case(COPY, ("devices.array.stripe_unit",), (0.5, 0.8), (1.2, 2.0)),
)  # fmt: skip


def elapsed(case: Case, factor: float) -> float:
    name, job = case.job
    stated = {value.address: value for value in sb.simulate(name, case.given).values}
    scaled = {address: f"{stated[address].value * factor:.12g} {stated[address].unit}" for address in case.scaled}
    return sb.simulate(name, case.given | scaled).get(f"jobs.{job}.elapsed")


@pytest.mark.slow
@for_each("case", CASES, ids=lambda case: f"{case.job[1]}-{case.scaled[0]}")
def test_an_answer_moves_as_it_should(case: Case) -> None:
    usual = elapsed(case, 1.0)
    assert case.halved[0] < elapsed(case, 0.5) / usual < case.halved[1]
    assert case.doubled[0] < elapsed(case, 2.0) / usual < case.doubled[1]
