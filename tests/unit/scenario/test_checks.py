import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simbackup.errors import InputError, Problem
from simbackup.methods.write.spec import WriteSpec
from simbackup.run import simulate
from simbackup.scenario import Scenario, load
from simbackup.scenario.agreement import GREATEST_RUNS
from simbackup.scenario.spec import Spec
from simbackup.scenario.topology import circles
from simbackup.schema.capability import OnDevice
from simbackup.schema.part import disagreements
from tests.cases import for_each

SITE = """\
title: A site
hosts:
  server: {model: host/linux-modern-server, owns: [sda, volume_group]}
  other: {model: host/linux-modern-server}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
  volume_group: {model: raid/software-raid5, disk: disk/sata-7200-250gb-2005, disks: 4}
  volume: {kind: logical_volume, on: volume_group, size: 100 GB}
  cow: {model: snapshot/lvm2-2.6.9, of: volume, on: volume_group, size: 10 GB}
  tape: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}
links:
  lan: {model: network/gigabit-ethernet, joins: [server, other]}
  san: {model: network/fibre-channel-1g, joins: [other, tape]}
data:
  files: {on: volume, size: 10 GB, files: 1000, filesystem: filesystem/ext3}
  more: {on: volume, size: 20 GB}
  far: {on: volume, size: 5 GB, at: 60 GB}
  last: {on: volume, size: 1 GB}
jobs:
  full: {method: image, data: files, to: tape}
  back: {restore: full, after: full}
"""
Load = Callable[..., Scenario]


@pytest.fixture
def site(tmp_path: Path) -> Load:
    """Loads the site, with texts of the file and values at addresses replaced."""

    def read(changes: dict[str, Any] | None = None, **texts: str) -> Scenario:
        text = SITE
        for old, new in texts.items():
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "site.yaml").write_text(text)
        return load(tmp_path / "site.yaml", changes)

    return read


def problems(read: Load, changes: dict[str, Any]) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read(changes)
    return caught.value.problems


def test_the_site_is_sound(site: Load) -> None:
    assert set(site().spec.jobs) == {"full", "back"}


def test_data_lie_behind_each_other_unless_placed(site: Load) -> None:
    assert site().spec.placement() == {"files": 0.0, "more": 10e9, "far": 60e9, "last": 65e9}


def test_a_volume_belongs_to_the_host_of_its_device(site: Load) -> None:
    spec = site().spec
    assert spec.owner_of("volume") == "server"
    assert spec.owner_of("cow") == "server"
    assert spec.owner_of("tape") is None


def test_the_way_goes_over_the_links_in_order(site: Load) -> None:
    spec = site().spec
    assert spec.route("server", "tape") == ("lan", "san")
    assert spec.route("server", "sda") == ()
    assert spec.route("server", "nowhere") is None


def test_the_sound_parts_do_not_disagree(site: Load) -> None:
    spec = site().spec
    for part in (*spec.hosts.values(), *spec.devices.values(), *spec.data.values()):
        assert not list(disagreements(part))


@for_each(
    "changes, address",
    [
        ({"devices.sda.outer_rate": "10 MB/s"}, "devices.sda.outer_rate"),
        ({"devices.sda.inner_rate": "1 GB/s"}, "devices.sda.inner_rate"),
        ({"devices.sda.full_stroke_seek": "1 ms"}, "devices.sda.full_stroke_seek"),
        ({"devices.sda.track_to_track_seek": "1 s"}, "devices.sda.track_to_track_seek"),
        ({"devices.volume_group.disk.outer_rate": "1 MB/s"}, "devices.volume_group.disk.outer_rate"),
        ({"devices.volume_group.level": "10", "devices.volume_group.disks": 5}, "devices.volume_group.disks"),
        ({"devices.volume_group.level": "6", "devices.volume_group.disks": 3}, "devices.volume_group.disks"),
        ({"devices.volume_group.write_behind": "1 MiB"}, "devices.volume_group.write_behind"),
        ({"hosts.other.dirty_limit": "0.1 %"}, "hosts.other.dirty_limit"),
        ({"hosts.other.dirty_background": "99 %"}, "hosts.other.dirty_background"),
        ({"devices.cow.record": "1 MiB"}, "devices.cow.record"),
        ({"devices.cow.chunk": "3 KiB"}, "devices.cow.chunk"),
        ({"devices.cow.chunk": "256 B"}, "devices.cow.chunk"),
        ({"devices.cow.size": "8 KiB"}, "devices.cow.size"),
        ({"devices.tape.drives": 3}, "devices.tape.drives"),
        ({"devices.tape.drive.search_speed": "1 mm/s"}, "devices.tape.drive.search_speed"),
    ],
)
def test_a_disagreement_is_reported_where_its_author_wrote(site: Load, changes: dict[str, str], address: str) -> None:
    (problem,) = problems(site, changes)
    assert problem.address == address
    assert problem.place.file == "overrides"


@for_each(
    "changes",
    [
        {"devices.volume_group.level": "10"}, {"devices.volume_group.level": "1", "devices.volume_group.disks": 3},
        {"devices.volume_group.level": "dp", "devices.volume_group.disks": 4},
        {"devices.cow.chunk": "512 B"}, {"devices.cow.chunk": "1 MiB"}, {"devices.cow.size": "24 KiB"},
        {"data.last.at": "99 GB"}, {"hosts.other.dirty_background": "1 %"},
        {"jobs.full.every": "1 day", "jobs.full.until": "7 days"}, {"jobs.full.begin": "22:00"},
        {"jobs.full.begin": "90 s"}, {"jobs.back.after": ["full"]}, {"jobs.back.to": "more"},
        {"jobs.back.select": {"files": 1000, "size": "10 GB"}},
        {"jobs.back.select": {"files": 1, "size": "1 B", "at": 1}},
    ],
)  # fmt: skip
def test_what_is_just_right_is_right(site: Load, changes: dict[str, Any]) -> None:
    assert set(site(changes).spec.jobs) == {"full", "back"}


@for_each(
    "changes, address, message",
    [
        ({"data.last.at": "99.5 GB"}, "data.last.size",
         "does not fit on 'volume': it begins at 99.5 GB and is 500 MB too large"),
        ({"devices.cow.size": "700 GB"}, "devices.cow.size",
         "does not fit on 'volume_group' behind its other contents: 50 GB too much"),
        ({"devices.volume.on": "tape"}, "devices.volume.on", "'tape' is not a disk, array or volume"),
        ({"jobs.back.to": "last"}, "jobs.back.to", "'last' is smaller than what is written to it, 10 GB"),
        ({"jobs.back.select": {"files": 1, "size": "11 GB"}}, "jobs.back.select.size", "is more than 'full' saves"),
        ({"jobs.back.select": {"files": 1001, "size": "1 GB"}}, "jobs.back.select.files", "is more than 'full' saves"),
        ({"jobs.full.data": "more", "jobs.back.select": {"files": 2, "size": "1 GB"}}, "jobs.back.select.files",
         "is more than 'full' saves"),
        ({"jobs.full.every": f"{0.9 / GREATEST_RUNS} s", "jobs.full.until": "1 s"}, "jobs.full.every",
         f"the job would run more than {GREATEST_RUNS:,} times"),
        ({"links.lan.joins": ["server", "server"]}, "links.lan.joins", "a link joins two or more parts"),
        ({"hosts.other.owns": ["sda"]}, "hosts.other.owns.0", "'sda' already belongs to 'server'"),
        ({"jobs.full.after": "full"}, "jobs.full.after", "the job would wait for itself"),
        ({"devices.cow.of": "sda"}, "devices.cow.of", "'sda' is not a logical volume"),
    ],
)  # fmt: skip
def test_what_is_just_wrong_is_reported(site: Load, changes: dict[str, Any], address: str, message: str) -> None:
    found = problems(site, changes)
    assert (address, message) in {(problem.address, problem.message) for problem in found}


@for_each(
    "changes, address",
    [
        ({"hosts.server.cores": 0}, "hosts.server.cores"),
        ({"hosts.server.model": "host/unknown-to-all"}, "hosts.server.model"),
        ({"devices.volume_group.disks": "many"}, "devices.volume_group.disks"),
        ({"devices.volume.size": "10"}, "devices.volume.size"),
        ({"devices.tape.drive.model": "tape_drive/lto-99"}, "devices.tape.drive.model"),
        ({"links.san.rate": "fast"}, "links.san.rate"),
        ({"links.san.joins": ["other", "tapes"]}, "links.san.joins.1"),
        ({"data.files.size": "10"}, "data.files.size"),
        ({"jobs.full.method": "imaging"}, "jobs.full.method"),
    ],
)
def test_one_mistake_is_one_problem(site: Load, changes: dict[str, Any], address: str) -> None:
    assert [problem.address for problem in problems(site, changes)] == [address]


def test_mistakes_in_different_sections_are_reported_together(site: Load) -> None:
    changes = {
        "hosts.other.cores": 0,
        "devices.cow.chunk": "3 KiB",
        "data.last.size": "1 TB",
        "jobs.back.restore": "ful",
    }
    assert {problem.address for problem in problems(site, changes)} == set(changes)


def test_without_links_there_is_no_way(site: Load) -> None:
    (problem,) = problems(site, {"links.san.joins": ["other", "sda"]})
    assert problem.address == "jobs.full.to"
    assert problem.message == "there is no connection from 'server' to 'tape'"
    assert "'tape'" in problem.remedy


FROZEN = {
    "  tape: {": """\
  mirror: {model: mirror/vxvm-split-mirror, of: volume, on: sda}
  point: {model: checkpoint/vxfs-storage-checkpoint, of: volume}
  tape: {""",
    "jobs:": """\
workloads:
  users: {data: files, clients: 5, reads: 1, read_size: 8 KiB, cpu: 1 ms, writes: 0 %, updates: 1, update_size: 8 KiB}
jobs:
  freeze: {method: frozen_image, data: files, to: point}
  thaw: {restore: freeze, after: freeze}
  watch: {method: observe, workload: users, duration: 1 h}""",
}


@for_each(
    "changes",
    [
        {}, {"devices.volume.size": "146 GB"}, {"data.last.at": "98.9 GB"}, {"jobs.freeze.to": "mirror"},
        {"jobs.freeze.to": "cow"}, {"jobs.full.source": "point"}, {"jobs.full.source": "mirror"},
        {"jobs.thaw.to": "more"}, {"workloads.users.think_time": "1 s"}, {"jobs.freeze.data": "far"},
        {"workloads.users.hot_data": "100 %", "workloads.users.hot_updates": "1 %"}, {"devices.mirror.state": "new"},
    ],
)  # fmt: skip
def test_frozen_images_that_are_just_right(site: Load, changes: dict[str, Any]) -> None:
    assert {"freeze", "thaw", "watch"} < set(site(changes, **FROZEN).spec.jobs)


@for_each(
    "changes, address, message",
    [
        ({"devices.volume.size": "146.5 GB"}, "devices.mirror.on",
         "does not fit on 'sda' behind its other contents: 500 MB too much"),
        ({"devices.mirror.on": "volume_group"}, "devices.mirror.on",
         "is on 'volume_group', like the volume that it mirrors"),
        ({"devices.mirror.on": "volume"}, "devices.mirror.on", "'volume' is itself a logical volume"),
        ({"devices.mirror.of": "sda"}, "devices.mirror.of", "'sda' is not a logical volume"),
        ({"data.last.at": "99 GB"}, "devices.point.of", "the file system on 'volume' has no room for copied blocks"),
        ({"devices.point.of": "cow"}, "devices.point.of", "'cow' is not a logical volume"),
        ({"jobs.freeze.to": "tape"}, "jobs.freeze.to", "'tape' is not a snapshot"),
        ({"data.files.on": "sda", "data.files.at": "110 GB"}, "jobs.freeze.to",
         "'point' is an image of 'volume', but 'files' is on 'sda'"),
        ({"jobs.full.source": "volume"}, "jobs.full.source", "'volume' is not a snapshot"),
        ({"jobs.thaw.to": "last"}, "jobs.thaw.to", "'last' is smaller than what is written to it, 10 GB"),
        ({"jobs.watch.workload": "files"}, "jobs.watch.workload", "there is no workload 'files'"),
        ({"workloads.users.transactions": "1 /s"}, "workloads.users", "has both 'transactions' and 'clients'"),
        ({"workloads.users.hot_updates": "1 %"}, "workloads.users", "needs 'hot_data'"),
    ],
)  # fmt: skip
def test_frozen_images_that_are_just_wrong(site: Load, changes: dict[str, Any], address: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        site(changes, **FROZEN)
    assert (address, message) in {(problem.address, problem.message) for problem in caught.value.problems}


def _room(spec: Spec, name: str) -> float | None:
    """Bytes that a device takes on the one below."""
    device = spec.devices[name]
    return device.room(spec, name) if isinstance(device, OnDevice) else None


def test_checkpoints_and_mirrors_belong_to_the_host_of_their_volume_or_device(site: Load) -> None:
    spec = site(None, **FROZEN).spec
    assert {name: spec.owner_of(name) for name in ("mirror", "point", "cow")} == {
        "mirror": "server", "point": "server", "cow": "server",
    }  # fmt: skip
    assert {name: _room(spec, name) for name in ("volume", "mirror", "cow", "point", "sda")} == {
        "volume": 100e9, "mirror": 100e9, "cow": 10e9, "point": None, "sda": None,
    }  # fmt: skip
    assert spec.data_end("volume") == 66e9
    assert spec.data_end("sda") == 0.0
    assert [job.creates() for job in spec.jobs.values()] == ["point", None, None, None, None]


def notes(read: Load, changes: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(changes)
    return [f"{note.address}: {note.message}; {note.remedy}" for note in caught.value.notes]


@for_each(
    "changes, wanted",
    [
        ({"data.files.size": 5}, ["data.more, data.far, data.last, jobs.full", "data.files.size"]),
        ({"devices.tape.drive.model": "tape_drive/lto"}, ["jobs.full", "devices.tape.drive.model"]),
        ({"jobs.full.method": "imaeg"}, ["jobs.back", "jobs.full"]),
        ({"hosts.server.owns": 5}, ["data.files, data.more, data.far, data.last, jobs.full", "hosts.server.owns"]),
    ],
)
def test_what_is_not_checked_is_reported_with_what_has_to_be_right_first(
    site: Load, changes: dict[str, Any], wanted: list[str]
) -> None:
    were = "were" if ", " in wanted[0] else "was"
    assert notes(site, changes) == [f"{wanted[0]}: {were} not checked further; fix {wanted[1]} first"]


def test_nothing_waits_for_what_does_not_matter_to_it(site: Load) -> None:
    assert notes(site, {"hosts.server.dirty_limit": "150 %"}) == []
    assert notes(site, {"jobs.full.begin": "noon"}) == []


def test_what_is_right_in_a_part_is_checked_beside_what_is_wrong_in_it(site: Load) -> None:
    changes = {"jobs.full.begin": 5, "jobs.full.to": "tpae", "data.files.files": "many", "data.last.size": "1 TB"}
    found = {problem.address for problem in problems(site, changes)}
    assert found == {"jobs.full.begin", "jobs.full.to", "data.files.files", "data.last.size"}


def test_what_was_not_checked_goes_along_to_another_process(site: Load) -> None:
    with pytest.raises(InputError) as caught:
        site({"data.files.size": 5})
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 (our own)
    assert (again.problems, again.notes, str(again)) == (
        caught.value.problems, caught.value.notes, str(caught.value)
    )  # fmt: skip


@for_each("never", [0, "0", {"value": 0, "basis": "assumed", "range": [0, 1], "why": "all in memory"}])
def test_users_may_never_read_or_update(site: Load, never: object) -> None:
    users = {"model": "workload/oltp", "data": "files", "transactions": "159 /s", "reads": never, "updates": never}
    scenario = load(site().name, {})
    tree = {**scenario.source.plain(), "workloads": {"users": users}, "title": "Users in memory"}
    path = Path(scenario.name).with_name("users.yaml")
    path.write_text(json.dumps(tree))
    loaded = load(path)
    assert loaded.spec.workloads["users"].reads.si == 0.0  # type: ignore[union-attr]
    assert simulate(loaded).get("workloads.users.full.lost") == 0.0


def test_a_wrong_value_that_others_depend_on_is_one_problem() -> None:
    text = SITE.replace("restore: full", "restore: full, select: {files: 0.5 B, size: 1 MB}")
    with pytest.raises(InputError) as wrong:
        load(text)
    assert [problem.address for problem in wrong.value.problems if not problem.closing] == ["jobs.back.select.files"]


def _chain(number: int, first: str = "") -> str:
    jobs = [f"  j{i}: {{method: write, data: x, after: {f'j{i - 1}' if i else first}}}" for i in range(number)]
    head = "title: a\nhosts:\n  h: {model: host/linux-modern-server, owns: [d]}\n"
    head += "devices: {d: {model: ssd/nvme-gen3-2018}}\ndata: {x: {on: d, size: 1 GB}}\njobs:\n"
    return head + "\n".join(jobs).replace(", after: }", "}") + "\n"


@pytest.mark.slow
def test_a_long_circle_of_jobs_is_found_at_once() -> None:
    """A walk from each job to itself takes 100 million steps for 10,000 jobs."""
    with pytest.raises(InputError) as raised:
        load(_chain(10_000, "j9999"))
    assert len(raised.value.problems) == 32
    first = "jobs.j0.after: the job would wait for itself, in a circle of 10,000 jobs; break the circle"
    assert str(raised.value.problems[0]).endswith(first)
    assert len(load(_chain(10_000)).spec.jobs) == 10_000


def test_circles_are_found_one_by_one() -> None:
    """Against a walk from each name to itself, on graphs drawn at random."""
    for seed in range(200):
        draw = random.Random(seed)  # noqa: S311 (no secret)
        names = [f"n{i}" for i in range(draw.randrange(1, 9))]
        before = {name: draw.sample(names, draw.randrange(min(3, len(names)) + 1)) for name in names}

        def reached(name: str, before: dict[str, list[str]] = before) -> set[str]:
            seen, front = set[str](), list(before[name])
            while front:
                if (other := front.pop()) not in seen:
                    seen.add(other)
                    front += before[other]
            return seen

        ways = {name: reached(name) for name in names}
        wanted: list[list[str]] = []
        for name in names:
            if name in ways[name] and not any(name in circle for circle in wanted):
                wanted.append([other for other in names if other in ways[name] and name in ways[other]])
        assert circles(before) == wanted


def test_values_of_a_job_that_contradict_each_other_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of devices are: a method of somebody else may state which."""
    monkeypatch.setattr(WriteSpec, "rules", lambda self: iter([(("data",), f"{self.data} is wrong", "name another")]))
    with pytest.raises(InputError) as raised:
        load("teaching/snapshot-slows-writes")
    assert "jobs.first_time.data" in {problem.address for problem in raised.value.problems}
