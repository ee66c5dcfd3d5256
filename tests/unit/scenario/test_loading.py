from collections.abc import Callable
from pathlib import Path

import pytest

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import find, load, names
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


def reported(path: Path | str, changes: dict[str, object] | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(path, changes)
    return str(caught.value).splitlines()


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


def test_an_alternative_that_is_wrong_in_one_part_is_reported_there() -> None:
    with pytest.raises(InputError) as wrong:
        load(TWO.replace("OTHER", "sdc"))
    [problem] = wrong.value.problems
    assert (problem.address, problem.place.line) == ("data.other.on", 9)
    assert problem.message == "with the alternative 'sdc', there is no device 'sdc'"
