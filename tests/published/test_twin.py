import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import simbackup
from simbackup.results.result import Result
from tests.cases import for_each

TWIN = runpy.run_path(str(Path(__file__).with_name("twin_same_disk.py")))

LITERALS = {
    "data.file.size": "FILE",
    "hosts.server.copy_rate": "COPY_RATE",
    "hosts.server.memory": "MEMORY",
    "hosts.server.dirty_limit": "DIRTY_LIMIT",
    "hosts.server.dirty_background": "DIRTY_BACKGROUND",
    "devices.sdb.capacity": "CAPACITY",
    "devices.sdb.outer_rate": "OUTER_RATE",
    "devices.sdb.inner_rate": "INNER_RATE",
    "devices.sdb.track_to_track_seek": "SHORT_SEEK",
    "devices.sdb.average_seek": "MEAN_SEEK",
    "devices.sdb.full_stroke_seek": "LONG_SEEK",
    "devices.sdb.command_overhead": "OVERHEAD",
    "devices.vmware.size": "VOLUME",
    "devices.cow.chunk": "CHUNK",
    "devices.cow.record": "RECORD",
    "devices.cow.commit_backlog": "BACKLOG",
    "devices.cow.unplug_delay": "QUEUE",
}


@cache
def composed(name: str) -> Result:
    return simbackup.simulate(f"published/003-lvm-snapshots/{name}")


def stated(address: str) -> float:
    return next(value.value for value in composed("same-disk").values if value.address == address)


@for_each("address, literal", LITERALS.items())
def test_the_numbers_of_the_twin_are_those_of_the_datasheets(address: str, literal: str) -> None:
    assert TWIN[literal] == pytest.approx(stated(address), rel=1e-12)


def test_the_disk_of_the_twin_turns_as_the_datasheet_says() -> None:
    assert pytest.approx(stated("devices.sdb.rotation_speed"), rel=1e-12) == 1 / TWIN["REVOLUTION"]


def test_the_twin_needs_nothing_of_simbackup() -> None:
    source = Path(__file__).with_name("twin_same_disk.py").read_text(encoding="utf-8")
    imports = [line for line in source.splitlines() if line.startswith(("import ", "from "))]
    assert not [line for line in imports if "simbackup" in line]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "options"), [("same-disk", {}), ("second-disk", {"second_disk": True})])
def test_composed_system_and_twin_agree(scenario: str, options: dict[str, Any]) -> None:
    assert composed(scenario).get("jobs.dd.elapsed") == pytest.approx(TWIN["elapsed"](**options), rel=0.01)
