import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simbackup.errors import InputError, Problem
from simbackup.run import simulate
from simbackup.scenario import Scenario, load
from simbackup.scenario.topology import circles
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


def notes(read: Load, changes: dict[str, Any]) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(changes)
    return [f"{note.address}: {note.message}; {note.remedy}" for note in caught.value.notes]


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
