"""Scenarios that are loaded with what they have in common with another one."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.errors import InputError
from simbackup.scenario.loading import load


def night(size: str, **job: Any) -> dict[str, Any]:
    """Two backups to one disk, of which one saves so much."""
    return {
        "title": "Two backups",
        "hosts": {name: {"model": "host/linux-modern-server", "owns": [f"{name}-disk"]} for name in ("a", "b", "to")},
        "devices": {f"{name}-disk": {"model": "disk/nearline-20tb-2022"} for name in ("a", "b", "to")},
        "links": {"net": {"model": "network/ten-gigabit-ethernet", "joins": ["a", "b", "to"]}},
        "data": {"a-data": {"on": "a-disk", "size": size}, "b-data": {"on": "b-disk", "size": "1 TB"}},
        "jobs": {
            "a": {"method": "image", "data": "a-data", "to": "to-disk", **job},
            "b": {"method": "image", "data": "b-data", "to": "to-disk"},
        },
    }


def test_it_is_the_scenario_that_is_loaded_alone_and_shares_the_parts_that_are_the_same() -> None:
    first = load(night("1 TB"))
    found, alone = load(night("2 TB"), like=first), load(night("2 TB"))
    assert (found.hash, found.spec, found.values, found.log) == (alone.hash, alone.spec, alone.values, alone.log)
    shared = {path for path, part in found.known.parts.items() if part is first.known.parts[path]}
    assert found.known.parts.keys() - shared == {("data", "a-data")}
    assert found.with_({"data.a-data.size": "3 TB"}).hash == load(night("3 TB")).hash
    assert sb.simulate(found).get("jobs.a.elapsed") == sb.simulate(alone).get("jobs.a.elapsed")


@pytest.mark.parametrize("wrong", [night("30 TB"), night("2 TB", level="sometimes"), night("2 TB", after="c")])
def test_what_is_wrong_is_found_as_without_the_other(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError) as alone:
        load(wrong)
    with pytest.raises(InputError) as beside:
        load(wrong, like=load(night("1 TB")))
    assert str(beside.value) == str(alone.value)
