"""Scenarios that are found, extended and changed, and the ways between their parts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simbackup import shelf
from simbackup.cli import checking
from simbackup.errors import InputError
from simbackup.run import simulate
from simbackup.scenario import Scenario, find, inheritance, load, names
from simbackup.scenario.spec import Spec
from simbackup.schema.capability import Device
from simbackup.schema.quantity import Text
from simbackup.schema.registry import DeviceKind
from simbackup.schema.yaml_file import parse
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


# Files that extend others
EXTENDED_BASE = """\
title: The base
hosts:
  server: {model: host/linux-modern-server, owns: [sda]}
devices:
  sda: {model: disk/scsi-10k-146gb-2004}
  tape: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1, pools: {old: 2, new: 3}}
links:
  lan: {model: network/gigabit-ethernet, joins: [server, tape]}
data:
  files: {on: sda, size: 10 GB, cached: 50 %, layout: together}
jobs:
  full: {method: image, data: files, to: tape, pool: new, begin: 5 s}
  back: {restore: full, after: full}
"""
Extended = Callable[[str], Scenario]


@pytest.fixture
def over(tmp_path: Path) -> Extended:
    """Loads a file that extends the base and says so much more."""

    def read(text: str) -> Scenario:
        (tmp_path / "base.yaml").write_text(EXTENDED_BASE)
        (tmp_path / "top.yaml").write_text(f"title: The top\nextends: base.yaml\n{text}\n")
        return load(tmp_path / "top.yaml")

    return read


def reported_extended(read: Extended, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text)
    return [f"{p.address}: {p.message}; {p.remedy}" for p in caught.value.problems]


def test_what_is_removed_has_to_be_there(over: Extended) -> None:
    assert reported_extended(over, "jobs: {bakc: null}") == [
        "jobs.bakc: there is no 'bakc' to remove; did you mean 'back'?"
    ]
    assert reported_extended(over, "devices: {tape: {pools: {odl: null}}}") == [
        "devices.tape.pools.odl: there is no 'odl' to remove; did you mean 'old'?"
    ]


def test_what_others_need_is_missed_by_them(over: Extended) -> None:
    assert reported_extended(over, "jobs: {full: null}") == [
        "jobs.back.restore: there is no job 'full'; none is defined",
        "jobs.back.after: there is no job 'full'; choose from: back",
    ]


def test_a_file_without_jobs_is_right_once_another_extends_it(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text(EXTENDED_BASE.partition("jobs:")[0])
    (found,) = checking.check_file(base)
    assert (found.address, found.message) == ("jobs", "there is nothing to simulate")
    with pytest.raises(InputError, match="nothing to simulate"):
        simulate(base)
    (tmp_path / "top.yaml").write_text("title: The top\nextends: base.yaml  # of all\njobs: {}\n")
    assert checking.check_file(base) == []


def test_a_study_of_a_file_without_jobs_is_wrong_before_it_runs(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(EXTENDED_BASE.partition("jobs:")[0])
    (tmp_path / "a.study.yaml").write_text("title: A\nscenarios: {one: base.yaml}\nshow: [jobs.full.elapsed]\n")
    assert any("nothing to simulate" in p.message for p in checking.check_file(tmp_path / "a.study.yaml"))


def test_a_study_removes_jobs_and_takes_values_with_their_origin(tmp_path: Path) -> None:
    from simbackup.experiments.study import study  # noqa: PLC0415

    (tmp_path / "base.yaml").write_text(EXTENDED_BASE)
    (tmp_path / "a.study.yaml").write_text(
        "title: A\nscenarios: {one: base.yaml}\ncases: {alone: {jobs.back: null}}\nshow: [jobs.full.elapsed]\n"
        "vary: {data.files.size: [1 GB, {value: 2 GB, basis: assumed, range: [1 GB, 3 GB], why: a guess}]}\n"
    )
    assert [row["data.files.size"] for row in study(tmp_path / "a.study.yaml", intervals="none").rows] == [
        "1 GB",
        "2 GB",
    ]


def test_a_base_whose_name_no_file_can_have_is_reported(tmp_path: Path) -> None:
    (tmp_path / "top.yaml").write_text(f"title: The top\nextends: {'a' * 400}\n")
    (found,) = checking.check_file(tmp_path / "top.yaml")
    assert found.address == "extends"


@for_each("address", ["jobs", "jobs.dd", "devices"])
def test_an_empty_override_that_would_change_nothing_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=rf"{address}: is empty, and so changes nothing; name the keys to change"):
        load("published/003-lvm-snapshots/same-disk", {address: {}})


def test_a_long_chain_of_files_is_no_circle(tmp_path: Path) -> None:
    for i in range(30):
        (tmp_path / f"{i}.yaml").write_text(f"title: t\nextends: {i - 1}.yaml\n" if i else EXTENDED_BASE)
    assert len(load(tmp_path / "20.yaml").spec.jobs) == 2
    with pytest.raises(InputError, match=r"9\.yaml:2:10: extends: more than 20 files extend each other"):
        load(tmp_path / "29.yaml")


class Cart(Device):
    """A device with a key that elsewhere takes a datasheet."""

    drive: Text
    """A word of its own."""


def test_a_key_of_ones_own_kind_may_be_named_like_one_that_takes_a_datasheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inheritance, "device_kinds", lambda: {"cart": DeviceKind("cart", Cart, "cart:make")})
    tree = inheritance.references(parse("devices: {a: {kind: cart, drive: two}, b: {kind: other, drive: two}}", "text"))
    assert tree.find(("devices", "a", "drive"))[0].plain() == "two"
    assert tree.find(("devices", "b", "drive"))[0].plain() == {"model": "two"}


# Ways
HEAD = """
title: Hosts, devices and what lies between them
hosts:
  filer: {model: host/linux-modern-server, owns: [array]}
  server: {model: host/linux-modern-server, owns: [disk]}
devices:
  array: {model: disk/nearline-20tb-2022}
  disk: {model: disk/nearline-20tb-2022}
  jukebox: {model: tape_library/autoloader-8, drive: tape_drive/lto-3, drives: 1}
links:
"""


def spec(**links: list[str]) -> Spec:
    """A scenario with links of 100 MB/s that join what is named."""
    lines = (
        f"  {name}: {{joins: [{', '.join(ends)}], rate: 100 MB/s, latency: 0 s, medium: shared}}"
        for name, ends in links.items()
    )
    return load(HEAD + "\n".join(lines) + "\n").spec


def test_a_device_and_its_owner_are_at_one_place() -> None:
    site = spec(lan=["filer", "server", "jukebox"])
    assert site.route("filer", "array") == ()
    assert site.route("filer", "filer") == ()
    assert site.route("filer", "disk") == ("lan",)
    assert site.route("array", "jukebox") == ("lan",)
