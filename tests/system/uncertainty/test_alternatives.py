"""Values that are one of several, and unknowns that several places share."""

import copy
from typing import Any

import pytest

import simbackup as sb
from simbackup.uncertainty.effort import LEAN, QUICK
from simbackup.uncertainty.inputs import changes, inputs
from simbackup.uncertainty.sampling import latin_hypercube
from simbackup.uncertainty.verdict import job_intervals

SITE: dict[str, Any] = {
    "title": "A disk that is saved to one of two others",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "slow", "fast"]}},
    "devices": {
        "source": {"model": "ssd/nvme-gen3-2018"},
        "slow": {"model": "ssd/sata-ssd-2015", "write_rate": "100 MB/s"},
        "fast": {"model": "ssd/sata-ssd-2015", "write_rate": "400 MB/s"},
    },
    "data": {"files": {"on": "source", "size": "100 GB"}},
    "jobs": {"save": {"method": "image", "data": "files", "to": "slow", "tool": "backup_tool/raw-blocks"}},
}  # fmt: skip
EITHER = {"value": "slow", "alternatives": ["fast"], "why": "not yet decided"}


def site(address: str, value: Any) -> sb.Scenario:
    changed = copy.deepcopy(SITE)
    *path, last = address.split(".")
    part = changed
    for name in path:
        part = part[name]
    part[last] = value
    return sb.load(changed)


def test_a_choice_is_the_stated_value_in_a_run_and_any_of_them_in_an_interval() -> None:
    scenario = site("jobs.save.to", EITHER)
    result = sb.simulate(scenario)
    assert result.get("jobs.save.elapsed") == sb.simulate(SITE).get("jobs.save.elapsed")
    found = job_intervals(result)["save"]
    fast = sb.simulate(scenario, {"jobs.save.to": "fast"}).get("jobs.save.elapsed")
    assert found.from_inputs.low == pytest.approx(fast, rel=0.1)
    assert found.from_inputs.high == pytest.approx(result.get("jobs.save.elapsed"), rel=0.1)
    assert found.decides[0].input.name == "jobs.save.to"
    assert "easure jobs.save.to first" in found.sentence()
    assert {"value": "slow", "alternatives": ["fast"]}.items() <= found.as_dict()["inputs"][0].items()


def test_each_option_is_as_likely_as_the_others() -> None:
    three = {"value": "slow", "alternatives": ["fast", "source"], "why": "a test"}
    scenario = site("jobs.save.to", three)
    unknown = inputs({"it": scenario})
    taken = [changes(unknown, case).get("it", {}).get("jobs.save.to") for case in latin_hypercube(unknown, 30, 0)]
    assert [taken.count(option) for option in (None, "fast", "source")] == [10, 10, 10]


def test_a_choice_stays_one_where_something_inside_it_is_moved() -> None:
    either = {"value": "disk/nearline-20tb-2022", "alternatives": ["disk/sas-10k-300gb-2009"], "why": "not yet bought"}
    changed = copy.deepcopy(SITE)
    changed["devices"]["slow"] = {"model": "raid/software-raid6", "disk": either, "disks": 12}
    scenario = sb.load(changed)
    assert scenario.choices[0].address == "devices.slow.disk"
    moved = scenario.with_({"devices.slow.disk.outer_rate": "200 MB/s"})
    assert moved.spec.devices["slow"].disk.outer_rate.si == 200e6  # type: ignore[attr-defined]
    found = job_intervals(sb.simulate(scenario), effort=LEAN)["save"]
    assert found.cases == found.asked


@pytest.mark.slow
def test_the_kind_of_an_array_may_be_assumed() -> None:
    changed = copy.deepcopy(SITE)
    level = {"value": "6", "alternatives": ["10"], "basis": "assumed", "why": "the document names none"}
    changed["devices"]["slow"] = {
        "model": "raid/software-raid6", "level": level, "disk": "disk/nearline-20tb-2022", "disks": 12,
    }  # fmt: skip
    scenario = sb.load(changed)
    assert [choice.options for choice in scenario.choices] == [("6", "10")]
    assert job_intervals(sb.simulate(scenario), effort=LEAN)["save"].cases == LEAN.cases


def rate(**more: Any) -> dict[str, Any]:
    return {"value": "100 MB/s", "basis": "assumed", "range": ["50 MB/s", "200 MB/s"], "why": "a test", **more}


def in_turn(**more: Any) -> sb.Scenario:
    """Two disks of an uncertain rate, written one after the other."""
    changed = copy.deepcopy(SITE)
    changed["devices"]["slow"]["write_rate"] = rate(**more)
    changed["devices"]["fast"]["write_rate"] = rate(**more) | {"range": ["90 MB/s", "110 MB/s"]}
    changed["jobs"]["again"] = {**changed["jobs"]["save"], "to": "fast", "after": "save"}
    return sb.load(changed)


def test_what_is_shared_is_one_contributor_whose_places_are_named() -> None:
    found = job_intervals(sb.simulate(in_turn(shared="write rate")), effort=QUICK)["save"]
    places = ["devices.slow.write_rate", "devices.fast.write_rate"]
    assert f"easure write rate ({' and '.join(places)}) first" in found.sentence()
    assert found.as_dict()["inputs"][0]["at"] == places
