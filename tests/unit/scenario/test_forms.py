"""Parts that are written like others, against the same parts read by themselves."""

from dataclasses import replace
from typing import Any

import pytest

from simbackup.planning.loading import read_site
from simbackup.planning.night import Night
from simbackup.planning.scenarios import night_scenario
from simbackup.scenario import Scenario, load
from tests.cases import for_each

SITES = ("forty-systems", "hospital", "bank", "university", "protection")


def nights_of(name: str) -> list[dict[str, Any]]:
    """The first night of a site, a later one, and that when all have grown, each by another factor."""
    file = read_site(f"planning/{name}")
    later = Night.later(file)
    grown = {f"{system}": 1.1 + i / 100.0 for i, system in enumerate(file.spec.systems)}
    each = (Night.first(file), later, replace(later, factors=grown))
    return [night_scenario(file, night, overtime=True) for night in each]


def loaded(nights: list[dict[str, Any]]) -> list[Scenario]:
    """Their scenarios, each of which is read with the one before at hand."""
    found: list[Scenario] = []
    for parts in nights:
        found.append(load(parts, like=found[-1] if found else None))
    return found


@pytest.mark.slow
@for_each("name", SITES)
def test_what_is_written_like_something_else_is_read_as_if_it_were_alone(name: str) -> None:
    nights, asked = nights_of(name), list[tuple[str, ...]]()
    quickly = loaded(nights)
    with pytest.MonkeyPatch.context() as patched:

        def alone(example: object, other: object, path: tuple[str, ...], node: object) -> None:
            del example, other, node
            asked.append(path)

        patched.setattr("simbackup.scenario.reading.read_like", alone)
        slowly = loaded(nights)
    assert asked
    for one, other in zip(quickly, slowly, strict=True):
        assert one.spec == other.spec
        assert one.tree == other.tree
        assert one.log == other.log
        assert one.choices == other.choices
        assert one.library == other.library


def test_what_is_wrong_with_one_of_many_is_reported_as_with_any() -> None:
    """Its size, the device that it names, and its name."""
    devices = {f"d{i}": {"model": "disk/sata-7200-1tb-2008", "capacity": f"{i + 1} TB"} for i in range(80)}
    data: dict[str, Any] = {f"x{i}": {"on": f"d{i}", "size": "1 GB"} for i in range(80)}
    scenario = {"title": "t", "devices": devices, "data": data}
    assert [each.given.si for each in load(scenario).values if each.address == "devices.d7.capacity"] == [8e12]
    wrong = {"x70": {"on": "d70", "size": "1 Gb"}, "x71": {"on": "d99", "size": "1 GB"}, "7": data["x7"]}
    with pytest.raises(Exception, match="x70") as found:
        load({**scenario, "data": data | wrong})
    text = str(found.value)
    assert "data.x70.size" in text
    assert "there is no device 'd99'" in text or "data.x71" in text
    assert "'7' is not a valid name" in text
