"""Datasheets of programs: the values inside their operations are values like all others."""

import re
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.errors import InputError
from simbackup.scenario import Scenario
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

PACKS = "planning/program-in-packs"
SHEETS = [name for name in shelf.names() if name.startswith("program/")]
AROUND: dict[str, Any] = {
    "title": "A program saves to the disk of another host",
    "hosts": {
        "server": {"model": "host/linux-2020-server", "owns": ["fast"]},
        "keeper": {"model": "host/linux-2020-server", "owns": ["store", "further"]},
    },
    "devices": {
        "fast": {"model": "ssd/nvme-gen3-2018"},
        "store": {"model": "disk/nearline-20tb-2022"},
        "further": {"model": "disk/nearline-20tb-2022"},
        "bucket": {"model": "object_store/amazon-s3-standard"},
    },
    "links": {"lan": {"model": "network/ten-gigabit-ethernet", "joins": ["server", "keeper", "bucket"]}},
    "data": {
        "files": {"on": "fast", "size": "2 GB", "files": 200, "filesystem": "filesystem/ext4", "compression": 2,
                  "largest": "20 %", "change": {"daily": "2 %"}},
        "copy": {"on": "store", "at": "1 TB", "size": "2 GB", "files": 200, "filesystem": "filesystem/ext4"},
    },
}  # fmt: skip


ON_DISK: dict[str, Any] = {
    "target": "store", "filesystem": "filesystem/ext4", "share": {"model": "share/sftp", "host": "server"},
}  # fmt: skip
"""How a program keeps objects on the disk of another host."""


def jobs(name: str, operation: str) -> list[dict[str, Any]]:
    """Jobs of an operation, to a data set if files are made there, to a store and to a disk if objects are kept."""
    text = (shelf.roots()[-1] / "models" / f"{name}.yaml").read_text("utf-8")
    targets: list[dict[str, Any]] = [{"target": "copy" if "{at: target, do: create" in text else "store"}]
    if "{at: target, do: put" in text:
        targets = [{"target": "bucket"}, ON_DISK]
    common = {"method": "program", "program": name, "operation": operation, "data": "files",
              "roles": {"remote": "further", "spool": "fast"}, "compressor": "compressor/lz4"}  # fmt: skip
    return [{**common, **target} for target in targets]


@pytest.mark.slow
@pytest.mark.parametrize("name", SHEETS)
def test_each_operation_of_each_program_runs(name: str) -> None:
    sheet: Any = parse((shelf.roots()[-1] / "models" / f"{name}.yaml").read_text("utf-8"), name).plain()
    for_each("operation", sheet["parameters"]["operations"])(operation_runs)(name=name)


def operation_runs(name: str, operation: str) -> None:
    """In full, and of a day's changes, which take no longer, to a disk of another host over a network."""
    for full in jobs(name, operation):
        found = sb.simulate({**AROUND, "jobs": {"full": full, "later": {**full, "since": "24 h", "after": "full"}}})
        elapsed = [float(found.get(f"jobs.{one}.elapsed")) for one in ("full", "later")]
        assert 0.0 < elapsed[1] <= elapsed[0] * (1.0 + 1e-9)


@pytest.mark.slow
@for_each("name", SHEETS)
def test_every_value_inside_a_program_says_where_it_comes_from(name: str) -> None:
    values = dict(shelf.load_datasheet(name).values())
    text = (Path(shelf.roots()[-1]) / f"models/{name}.yaml").read_text(encoding="utf-8")
    assert len(values) == len(re.findall(r"\bvalue:(?!\s+true\b)", text)) > 0  # a word is no quantity
    assert all(given.basis for given in values.values())
    assert any(path.startswith("operations.") for path in values)


def test_a_value_inside_a_program_without_a_basis_is_reported_with_its_place(tmp_path: Path) -> None:
    text = Path(shelf.roots()[-1] / "models/program/gnu-tar.yaml").read_text(encoding="utf-8")
    stated = 'basis: datasheet, source: gnu-tar-manual, at: "--create, the order of members"'
    broken = tmp_path / "broken.yaml"
    broken.write_text(text.replace(f"{{value: files, {stated}}}", "files"), encoding="utf-8")
    with pytest.raises(InputError) as found:
        shelf.read_datasheet(broken, "program/broken")
    [problem] = found.value.problems
    assert problem.address == "parameters.operations.create.phases.archive.tar.items"
    assert problem.message == "does not say where it comes from"
    assert problem.place.line > 1


def cut(scenario: Scenario) -> float:
    """Seconds of a core to cut a byte."""
    job: Any = scenario.spec.jobs["first"]
    return float(job.program.operations["backup"].phases["save"]["readers"].steps["cut"].byte.si)


def test_a_key_of_a_step_that_does_nothing_is_named() -> None:
    address = "jobs.first.program.operations.backup.phases.save.readers.steps.cut.times"
    warned = sb.simulate(sb.load(PACKS).with_({address: 3})).warnings
    assert any("steps.cut.times: has no effect here" in line for line in warned), warned


def test_data_without_a_device_are_reported_once_and_no_way_from_nowhere() -> None:
    """The host of a program is that of its data; without it, nobody asks for a way to the target."""
    with pytest.raises(sb.InputError) as caught:
        sb.simulate("planning/program-of-ones-own", {"data.users.on": None})
    assert not [problem.message for problem in caught.value.problems if "from ''" in problem.message]
    assert any(problem.address == "data.users.on" for problem in caught.value.problems)


CHANGED = """
title: Runs of what has changed
hosts:
  a: {{model: host/linux-modern-server, owns: [src]}}
  b: {{model: host/linux-modern-server, owns: [dst]}}
links: {{net: {{model: network/ten-gigabit-ethernet, joins: [a, b]}}}}
devices:
  src: {{model: disk/sata-7200-1tb-2008}}
  dst: {{model: disk/sata-7200-1tb-2008}}
data:
  d:
    {{on: src, size: 200 GB, files: 1000, filesystem: filesystem/zfs,
    change: {{model: change/{change}, daily: {daily}}}}}
jobs: {{send: {{method: program, program: program/zfs-send, operation: send, data: d, target: dst{since}}}}}
"""


@pytest.mark.parametrize("change", ["database", "file-server", "virtual-machine"])
def test_what_has_changed_is_sent_no_later_than_everything(change: str) -> None:
    """Where runs lie close, what is between them is read."""

    def elapsed(daily: int, since: str = ", since: 24 h") -> float:
        text = CHANGED.format(change=change, daily=f"{daily} %", since=since)
        return sb.simulate(sb.load(text)).get("jobs.send.elapsed")

    everything, times = elapsed(1, ""), [elapsed(daily) for daily in (1, 5, 20, 50, 90)]
    assert times == sorted(times)
    assert times[0] < everything / 10.0
    assert times[-1] <= everything
