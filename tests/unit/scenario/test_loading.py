import os
from collections.abc import Callable
from pathlib import Path

import pytest

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import Scenario, find, load, names
from simbackup.schema.fleet import PARTS
from simbackup.schema.part import Part
from tests.cases import for_each

SAME_DISK = "published/003-lvm-snapshots/same-disk"
BASE = """\
title: The base
question: What does the base do?
hosts:
  server: {model: host/linux-modern-server, owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
data:
  file: {on: sda, size: {value: 1 GB, basis: assumed, range: [1 GB, 2 GB], why: one file}}
jobs:
  dd: {method: write, data: file}
"""
DRIVE = """\
title: A network of one's own
kind: network
parameters:
  rate: {value: 100 MB/s, basis: derived, rule: 80 % of 1 Gb/s}
  latency: {value: 0.1 ms, basis: assumed, range: [0.05 ms, 1 ms], why: one switch}
"""
Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file below a folder of its own."""

    def put(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return put


@pytest.fixture
def chain(write: Write) -> Path:
    """A scenario that extends another, which extends a third in another folder."""
    write("base/base.yaml", BASE)
    write("middle/middle.yaml", "title: The middle\nextends: ../base/base.yaml\ndata:\n  file: {size: 2 GB}\n")
    text = "data:\n  file: {size: 3 GB}\ndevices:\n  sda: {capacity: 9 GB}\n"
    return write("top/top.yaml", f"title: The top\nextends: ../middle/middle.yaml\n{text}")


def reported(path: Path | str, changes: dict[str, object] | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(path, changes)
    return str(caught.value).splitlines()


def test_a_chain_of_files_is_laid_one_over_the_other(chain: Path) -> None:
    scenario = load(chain)
    assert scenario.title == "The top"
    assert scenario.spec.question == "What does the base do?"
    assert scenario.spec.data["file"].size.si == 3e9
    assert scenario.spec.data["file"].size.basis is None
    assert set(scenario.spec.jobs) == {"dd"}


def test_every_replaced_value_is_logged_old_to_new(chain: Path) -> None:
    log = [line.replace(str(chain.parent), "top").replace("top/../middle", "middle") for line in load(chain).log]
    assert log == [
        "data.file.size: 1 GB -> 2 GB (middle/middle.yaml:4:16)",
        "data.file.size: 2 GB -> 3 GB (top/top.yaml:4:16)",
        "devices.sda.capacity: 146 GB -> 9 GB (top/top.yaml:6:19)",
    ]


def test_values_know_the_file_that_gave_them(chain: Path) -> None:
    values = {value.address: value for value in load(chain).values}
    assert values["devices.sda.capacity"].place.file == str(chain)
    assert values["devices.sda.outer_rate"].place.file == "models/disk/scsi-10k-146gb-2004.yaml"
    assert values["devices.sda.capacity"].given.basis == "user"
    assert values["devices.sda.outer_rate"].given.basis == "assumed"


def test_with_replaces_and_logs_and_leaves_the_first_alone() -> None:
    scenario = load(SAME_DISK)
    changed = scenario.with_({"devices.cow.chunk": "64 KiB"})
    assert changed.spec.devices["cow"].chunk.si == 65536.0  # type: ignore[attr-defined]
    assert scenario.spec.devices["cow"].chunk.si == 8192.0  # type: ignore[attr-defined]
    assert changed.log == (*scenario.log, "devices.cow.chunk: 8 KiB -> 64 KiB (overrides)")


def test_overrides_add_up_and_the_last_one_wins() -> None:
    scenario = load(SAME_DISK, {"devices.cow.chunk": "64 KiB"})
    again = scenario.with_({"data.file.size": "1 GiB"}).with_({"devices.cow.chunk": "16 KiB"})
    assert again.spec.data["file"].size.si == 2.0**30
    assert again.spec.devices["cow"].chunk.si == 16384.0  # type: ignore[attr-defined]
    assert set(again.overrides) == {"devices.cow.chunk", "data.file.size"}
    assert again.hash == load(SAME_DISK, {"data.file.size": "1 GiB", "devices.cow.chunk": "16 KiB"}).hash


@for_each(
    "address, message",
    [
        ("devices.cwo.chunk", "there is no 'cwo' under devices; did you mean 'cow'?"),
        ("links.lan.rate", "there is no 'lan' under links; none is defined"),
        ("devics.cow.chunk", "is not the address of a value; did you mean 'devices'?"),
        ("sdb.model", "is not the address of a value; did you mean 'devices.sdb.model'?"),
        ("devices.cow.chunck", "is not known here; did you mean 'chunk'?"),
        ("", "is not the address of a value; choose from: "),
        ("extends", "is not the address of a value; choose from: "),
    ],
)
def test_overrides_of_what_is_not_there_are_reported(address: str, message: str) -> None:
    (line,) = reported(SAME_DISK, {address: "16 KiB"})
    assert message in line
    assert line.startswith("overrides: ")


def test_the_hash_is_stable_and_sees_every_change(write: Write) -> None:
    path = write("a.yaml", BASE)
    first = load(path).hash
    assert len(first) == 16
    assert int(first, 16) >= 0
    assert load(path).hash == first
    assert load(write("elsewhere/b.yaml", BASE)).hash == first
    for address, value in {
        "data.file.size": "1.5 GB", "devices.sda.command_overhead": "1 ms", "jobs.dd.begin": "1 s",
        "hosts.server.model": "host/sun-e6500",
    }.items():  # fmt: skip
        assert load(path, {address: value}).hash != first


def test_the_hash_sees_the_datasheets(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a.yaml", BASE)
    first = load(path).hash
    sheet = (shelf.roots()[-1] / "models/disk/scsi-10k-146gb-2004.yaml").read_text()
    write("own/models/disk/scsi-10k-146gb-2004.yaml", sheet.replace("value: 0.2 ms", "value: 0.3 ms"))
    monkeypatch.setenv(shelf.SEARCH_PATH, str(tmp_path / "own"))
    assert load(path).hash != first


def test_own_folders_come_first(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("one/models/network/own-lan.yaml", DRIVE)
    write("two/models/network/own-lan.yaml", DRIVE.replace("100 MB/s", "50 MB/s"))
    write("two/models/network/other-lan.yaml", DRIVE)
    write("two/scenarios/own/run.yaml", BASE)
    monkeypatch.setenv(shelf.SEARCH_PATH, os.pathsep.join(str(tmp_path / name) for name in ("one", "two")))
    rates = {
        name: dict(shelf.load_datasheet(f"network/{name}").values())["rate"].si for name in ("own-lan", "other-lan")
    }
    assert rates == {"own-lan": 100e6, "other-lan": 100e6}
    assert {"network/own-lan", "network/other-lan", "network/gigabit-ethernet"} <= set(shelf.names())
    assert "own/run" in names()
    assert load("own/run").title == "The base"
    assert load("own/run").values[0].place.file.startswith("models/")
    monkeypatch.delenv(shelf.SEARCH_PATH)
    assert "network/own-lan" not in shelf.names()


def test_a_relative_folder_is_below_the_working_one(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("one/own/models/network/own-lan.yaml", DRIVE)
    write("two/own/models/network/own-lan.yaml", DRIVE.replace("100 MB/s", "50 MB/s"))
    monkeypatch.setenv(shelf.SEARCH_PATH, "own")
    for folder, rate in (("one", 100e6), ("two", 50e6)):
        monkeypatch.chdir(tmp_path / folder)
        assert shelf.roots()[0] == tmp_path / folder / "own"
        assert dict(shelf.load_datasheet("network/own-lan").values())["rate"].si == rate


def test_a_broken_datasheet_is_reported_once_at_its_place(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("own/models/disk/odd.yaml", "title: Odd\nkind: disk\nparameters:\n  capacity: 5 GB\n")
    text = BASE.replace("disk/scsi-10k-146gb-2004}", "disk/odd}\n  sdb: {model: disk/odd}")
    monkeypatch.setenv(shelf.SEARCH_PATH, str(tmp_path / "own"))
    lines = reported(write("a.yaml", text))
    assert any(line.startswith("models/disk/odd.yaml:4:13: parameters.capacity: does not say") for line in lines)
    *lines, note = lines
    assert all(line.startswith("models/disk/odd.yaml:4:") for line in lines)
    assert "not checked further" in note
    assert len(lines) == len(set(lines))


def test_a_datasheet_in_the_wrong_folder(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("own/models/disk/lan.yaml", DRIVE)
    monkeypatch.setenv(shelf.SEARCH_PATH, str(tmp_path / "own"))
    with pytest.raises(InputError, match="kind: 'network' is in the folder 'disk'"):
        shelf.load_datasheet("disk/lan")


@for_each("name", ["disk/../disk/scsi-10k-146gb-2004", "/etc/passwd", "disk/", "", "disk/" + "x" * 400, "a/b/c"])
def test_only_names_are_names_of_datasheets(name: str) -> None:
    assert not shelf.exists(name)
    with pytest.raises(InputError, match="there is no datasheet"):
        shelf.load_datasheet(name)


def test_a_circle_of_files_is_reported(write: Write) -> None:
    write("a.yaml", "title: a\nextends: sub/b.yaml\n")
    write("sub/b.yaml", "title: b\nextends: c.yaml\n")
    path = write("sub/c.yaml", "title: c\nextends: ../a.yaml\n")
    (line,) = reported(path.parent.parent / "a.yaml")
    assert line.endswith("c.yaml:2:10: extends: '../a.yaml' leads back to this file; break the circle")


def test_a_missing_base_is_reported_with_a_suggestion(write: Write) -> None:
    write("base/small.yaml", BASE)
    (line,) = reported(write("a.yaml", "title: a\nextends: base/smal.yaml\n"))
    assert line.endswith("a.yaml:2:10: extends: there is no file 'base/smal.yaml'; did you mean 'small.yaml'?")


def test_places_show_the_file_as_it_was_named(write: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write("sub/a.yaml", BASE.replace("1 GB, basis", "1 s, basis"))
    monkeypatch.chdir(tmp_path)
    assert reported("sub/a.yaml")[0].startswith("sub/a.yaml:8:33: data.file.size.value: ")
    assert reported(tmp_path / "sub/a.yaml")[0].startswith(f"{tmp_path}/sub/a.yaml:8:33: ")


def test_scenarios_are_found_by_name_and_by_path() -> None:
    written = {find(name).resolve() for name in (SAME_DISK, f"scenarios/{SAME_DISK}.yaml", f"{SAME_DISK}.yaml")}
    assert len(written) == 1
    assert load(find(SAME_DISK)).hash == load(SAME_DISK).hash
    assert SAME_DISK in names()
    assert SAME_DISK in names("published")
    assert not any(name.endswith(("/measured", "/calibration", ".study")) for name in names())
    with pytest.raises(InputError, match="did you mean 'published/003-lvm-snapshots/same-disk'"):
        find("published/003-lvm-snapshots/same-disc")


def test_an_unknown_source_is_reported_where_it_is_cited(write: Write) -> None:
    text = BASE.replace("why: one file", "why: one file, source: my-memory")
    (line,) = reported(write("a.yaml", text))
    assert ":8:99: data.file.size.source: there is no source 'my-memory'; " in line


def test_an_override_leaves_other_parts_as_they_are() -> None:
    before = load("teaching/snapshot-slows-writes")
    after = before.with_({"devices.cow.chunk": "64 KiB"})
    changed = {address for address in _parts(before) if _parts(before)[address] is not _parts(after)[address]}
    assert changed == {"devices.cow"}


def _parts(scenario: Scenario) -> dict[str, Part]:
    return {f"{section}.{name}": part for section in PARTS for name, part in getattr(scenario.spec, section).items()}


def test_what_stands_in_the_file_keeps_its_place_beside_an_override(write: Write) -> None:
    site = "title: x\nhosts: {a: {model: host/linux-modern-server}}\njobs:\n  save: {method: image, data: d}\n"
    with pytest.raises(InputError) as wrong:
        load(write("a.yaml", site), {"jobs.save.begin": "1 s"})
    assert ("jobs.save.to", 4) in {(problem.address, problem.place.line) for problem in wrong.value.problems}


def test_the_name_of_a_site_is_refused_with_its_command() -> None:
    with pytest.raises(InputError, match="it is a site: simbackup plan run planning/forty-systems"):
        load("planning/forty-systems")


TWO = """\
title: Two disks
hosts:
  server: {model: host/linux-modern-server, owns: [sda, sdb]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
  sdb: {model: disk/scsi-10k-146gb-2004}
data:
  one: {on: {value: sda, alternatives: [sdb], why: not decided, shared: where}, size: 1 GB}
  other: {on: {value: sda, alternatives: [OTHER], why: not decided, shared: where}, size: 1 GB}
jobs:
  dd: {method: write, data: one}
"""


def test_alternatives_of_one_unknown_are_tried_together(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[list[str]] = []
    replaced = Scenario.with_

    def counted(self: Scenario, overrides: dict[str, object]) -> Scenario:
        tried.append([*overrides])
        return replaced(self, overrides)

    monkeypatch.setattr(Scenario, "with_", counted)
    load(TWO.replace("OTHER", "sdb"))
    assert tried == [["data.one.on", "data.other.on"]]


def test_an_alternative_that_is_wrong_in_one_part_is_reported_there() -> None:
    with pytest.raises(InputError) as wrong:
        load(TWO.replace("OTHER", "sdc"))
    [problem] = wrong.value.problems
    assert (problem.address, problem.place.line) == ("data.other.on", 9)
    assert problem.message == "with the alternative 'sdc', there is no device 'sdc'"
