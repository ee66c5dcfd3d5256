"""`simbackup upgrade`: what it rewrites, what it leaves to a person, and that it writes only when told."""

from pathlib import Path

import pytest

import simbackup as sb
from simbackup.cli import checking
from simbackup.cli.of_files import upgrade
from simbackup.errors import InputError, Problem
from simbackup.schema.retired import COPIES, DATASHEETS, KEYS, METHODS, Retired
from simbackup.shelf import names

OLD = """\
title: A file of an earlier version   # comments stay
hosts:
  a: {model: host/linux-2020-server, owns: [d, e]}
devices:
  d: {model: ssd/nvme-gen3-2018}
  e:
    {model: raid/hardware-raid5-2018, battery: true, disk: disk/nearline-6tb-2018, disks: 5}   # old
data:
  f: {on: d, size: 1 GB, files: 10, filesystem: filesystem/ext4, change: {daily: 1 %}}
  g: {on: e, size: 1 GB, files: 10, filesystem: filesystem/ext4}
jobs:
  j: {method: copy_tree, data: f, to: g, tool: backup_tool/rsync-ssh}   # every night
  k:
    method: copy_tree   # later
    data: f
    to: g   # there

    tool: backup_tool/robocopy-smb
    since: 24 h
    after: j
  w:
    method: write
    data: f
    synchronous: true
    # behind it
    after: k
"""
NEW = """\
title: A file of an earlier version   # comments stay
hosts:
  a: {model: host/linux-2020-server, owns: [d, e]}
devices:
  d: {model: ssd/nvme-gen3-2018}
  e:
    {model: raid/hardware-raid5-2018, disk: disk/nearline-6tb-2018, disks: 5}   # old
data:
  f: {on: d, size: 1 GB, files: 10, filesystem: filesystem/ext4, change: {daily: 1 %}}
  g: {on: e, size: 1 GB, files: 10, filesystem: filesystem/ext4}
jobs:
  j: {method: program, program: program/rsync-3, operation: copy, target: g, data: f}   # every night
  k:
    method: program   # later
    program: program/robocopy
    operation: copy
    target: g
    data: f

    since: 24 h
    after: j
  w:
    method: write
    data: f
    # behind it
    after: k
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.yaml"
    path.write_text(OLD)
    return path


def test_it_shows_the_difference_and_writes_when_told(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upgrade(str(old))
    shown = capsys.readouterr().out
    assert "-    {model: raid/hardware-raid5-2018, battery: true, disk" in shown
    assert "+  j: {method: program, program: program/rsync-3, operation: copy, target: g, data: f}" in shown
    assert old.read_text() == OLD
    upgrade(str(old), write=True)
    assert old.read_text() == NEW
    assert all(row["status"] == "done" for row in sb.simulate(sb.load(old)).job_rows)
    capsys.readouterr()
    upgrade(str(old), write=True)
    assert capsys.readouterr().out == "nothing to rewrite\n"
    assert [path.name for path in old.parent.iterdir()] == ["old.yaml"]


def test_what_only_a_person_can_say_is_reported_and_stays(old: Path) -> None:
    by_hand = "  l: {method: copy_tree, data: f, to: g}\n"
    by_hand += "  z: {method: file_level, data: f, to: e, tool: backup_tool/zfs-send}\n"
    tool = "  s: {method: image, data: f, to: e, tool: {model: backup_tool/gnu-tar, list_record: 3 B, in_turn: 1}}\n"
    old.write_text(OLD + by_hand + tool)
    with pytest.raises(InputError) as error:
        upgrade(str(old), write=True)
    assert [problem.address for problem in error.value.problems] == [
        "jobs.l.method",
        "jobs.z.tool.model",
        "jobs.s.tool.in_turn",
    ]
    assert old.read_text() == NEW + by_hand + tool.replace("list_record: 3 B, ", "")


def test_a_file_that_changes_meanwhile_is_not_written(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked(path: Path) -> list[Problem]:
        found = check_file(path)
        path.write_text(OLD + "# mine\n")
        return found

    check_file = checking.check_file
    monkeypatch.setattr(checking, "check_file", checked)
    with pytest.raises(InputError, match="has changed meanwhile"):
        upgrade(str(old), write=True)
    assert old.read_text() == OLD + "# mine\n"


def test_a_file_that_is_no_yaml_is_reported_and_left(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("title: [\n")
    with pytest.raises(InputError, match=r"broken\.yaml:\d+:\d+: "):
        upgrade(str(broken), write=True)
    assert broken.read_text() == "title: [\n"


def test_the_table_names_what_there_is() -> None:
    known = set(names())
    assert {program for program, _, _ in COPIES.values()} | set(DATASHEETS.values()) <= known
    assert not known & (set(DATASHEETS) | set(COPIES))
    retired: list[Retired] = [*METHODS.values(), *(each for keys in KEYS.values() for each in keys.values())]
    assert all(each.instead for each in retired)
