from collections.abc import Callable
from pathlib import Path

import pytest

from simbackup.cli import checking
from simbackup.errors import InputError
from simbackup.run import simulate
from simbackup.scenario import Scenario, inheritance, load
from simbackup.schema.capability import Device
from simbackup.schema.quantity import Text
from simbackup.schema.registry import DeviceKind
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

BASE = """\
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
        (tmp_path / "base.yaml").write_text(BASE)
        (tmp_path / "top.yaml").write_text(f"title: The top\nextends: base.yaml\n{text}\n")
        return load(tmp_path / "top.yaml")

    return read


def reported(read: Extended, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text)
    return [f"{p.address}: {p.message}; {p.remedy}" for p in caught.value.problems]


def test_what_is_removed_has_to_be_there(over: Extended) -> None:
    assert reported(over, "jobs: {bakc: null}") == ["jobs.bakc: there is no 'bakc' to remove; did you mean 'back'?"]
    assert reported(over, "devices: {tape: {pools: {odl: null}}}") == [
        "devices.tape.pools.odl: there is no 'odl' to remove; did you mean 'old'?"
    ]


def test_what_others_need_is_missed_by_them(over: Extended) -> None:
    assert reported(over, "jobs: {full: null}") == [
        "jobs.back.restore: there is no job 'full'; none is defined",
        "jobs.back.after: there is no job 'full'; choose from: back",
    ]


def test_a_file_without_jobs_is_right_once_another_extends_it(tmp_path: Path) -> None:
    base = tmp_path / "base.yaml"
    base.write_text(BASE.partition("jobs:")[0])
    (found,) = checking.check_file(base)
    assert (found.address, found.message) == ("jobs", "there is nothing to simulate")
    with pytest.raises(InputError, match="nothing to simulate"):
        simulate(base)
    (tmp_path / "top.yaml").write_text("title: The top\nextends: base.yaml  # of all\njobs: {}\n")
    assert checking.check_file(base) == []


def test_a_study_of_a_file_without_jobs_is_wrong_before_it_runs(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(BASE.partition("jobs:")[0])
    (tmp_path / "a.study.yaml").write_text("title: A\nscenarios: {one: base.yaml}\nshow: [jobs.full.elapsed]\n")
    assert any("nothing to simulate" in p.message for p in checking.check_file(tmp_path / "a.study.yaml"))


def test_a_study_removes_jobs_and_takes_values_with_their_origin(tmp_path: Path) -> None:
    from simbackup.experiments.study import study  # noqa: PLC0415

    (tmp_path / "base.yaml").write_text(BASE)
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
        (tmp_path / f"{i}.yaml").write_text(f"title: t\nextends: {i - 1}.yaml\n" if i else BASE)
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
