"""Protection of sites whose systems share hosts and datastores: places, arrays, and who comes back together."""

from datetime import date
from typing import Any

import pytest
from sites.shared import FLASH, SERVER, line, shared_site

from simbackup.errors import InputError
from simbackup.planning.site import load_site
from simbackup.protection.fates import Group, groups_of
from simbackup.protection.losses import Loss, read_losses
from simbackup.protection.protect import Protection, protect
from tests.cases import for_each

LAST = date(2027, 12, 31)


def two_arrays(**parts: Any) -> dict[str, Any]:
    """Guests in turn on hosts at two places, each with an array, one with two volumes; the pool is at a third."""
    array = {"device": FLASH, "link": line("10 GB/s")}
    made = shared_site(
        ("here", "there"),
        datastores={"san-a": array, "more-a": {"device": "san-a"}, "san-b": array | {"place": "east"}},
    )
    made["hosts"]["here"]["place"], made["hosts"]["there"]["place"] = "west", "east"
    made["targets"]["pool"]["place"] = "south"
    for i, system in enumerate(made["systems"].values()):
        system["datastore"] = "san-b" if i % 2 else ("more-a" if i % 4 else "san-a")
    return made | parts


def loss(*strikes: str, of: str = "", what: str = "client") -> Loss:
    spec = read_losses({"usual": False, "losses": {"it": {"strikes": list(strikes), "what": what}}}).losses["it"]
    return Loss("it", spec, of)


def back(made: dict[str, Any], **how: Any) -> Protection:
    return protect(load_site(made), {"usual": False, "losses": {"it": how}}, "4 weeks")


def test_systems_on_one_device_fare_alike_whatever_their_host_and_datastore_are_called() -> None:
    groups = groups_of(load_site(two_arrays()), LAST)
    assert [(group.machine, len(group.names)) for group in groups] == [("san-a", 5), ("san-b", 5)]


@for_each("of, left", [("south", []), ("west", ["pool"]), ("east", ["pool"])])
def test_a_target_is_where_its_host_is_unless_it_says_otherwise(of: str, left: list[str]) -> None:
    made = two_arrays()
    made["hosts"]["media"] = {"host": SERVER, "network": line("100 GB/s"), "place": "south"}
    made["targets"] = {"pool": {"host": "media", "device": FLASH}}
    assert groups_of(load_site(made), LAST)[0].left(loss("place", of=of)) == left
    made["targets"]["pool"]["place"] = "north"
    assert load_site(made).targets["pool"].place == "north"


@pytest.mark.slow
def test_all_systems_of_a_lost_array_come_back_together_and_no_others() -> None:
    """Five guests of 100 GB behind one port of 1 GB/s take 500 s, while one deleted guest takes 100 s."""
    array = back(two_arrays(), strikes="array", what="site")
    assert [one.back is not None and one.back.median for one in array.answers] == pytest.approx([500.0] * 2, rel=0.05)
    disks = back(two_arrays(), strikes="disks")
    assert [one.back is not None and one.back.median for one in disks.answers] == pytest.approx([500.0] * 2, rel=0.05)
    deleted = back(two_arrays(), strikes="data")
    assert [one.back is not None and one.back.median for one in deleted.answers] == pytest.approx([100.0] * 2, rel=0.05)


def test_the_policies_of_a_datastore_are_lost_together() -> None:
    """Ten guests of two policies behind one port: 1000 s for either."""
    made = shared_site(("esx1",))
    made["policies"]["other"] = made["policies"]["nightly"]
    for i, system in enumerate(made["systems"].values()):
        system["policy"] = "other" if i % 2 else "nightly"
    found = back(made, strikes="disks")
    assert len(found.groups) == 2
    assert [one.back is not None and one.back.median for one in found.answers] == pytest.approx([1000.0] * 2, rel=0.05)


def test_a_place_with_hosts_alone_takes_their_systems_out_of_service_and_spares_the_data() -> None:
    made = two_arrays(recovery="4 h")
    made["datastores"]["san-a"]["place"] = "south"
    found = back(made, strikes="place", of="west")
    assert [one.back and one.back.median for one in found.answers] == [4 * 3600.0, 0.0]
    assert all(one.lost is None for one in found.answers)


def test_systems_of_an_array_whose_hosts_are_at_several_places_are_groups_of_their_own() -> None:
    made = shared_site(("here", "there"))
    made["hosts"]["there"]["place"] = "east"
    groups = groups_of(load_site(made), LAST)
    assert [group.machine for group in groups] == ["san from main", "san from east"]
    found = back(made | {"recovery": "4 h"}, strikes="disks")
    assert len({one.back for one in found.answers}) == 1, "they come back together"


@pytest.mark.slow
def test_disks_of_a_datastore_fail_as_often_as_its_group_says() -> None:
    """One disk without redundancy fails by itself: once in ten years."""
    found = protect(load_site(two_arrays()), {"usual": False, "losses": {"it": {"strikes": "disks", "yearly": 0.1}}})
    assert [one.yearly and one.yearly.value for one in found.answers] == pytest.approx([0.1, 0.1])


@for_each("image", ["checkpoint/vxfs-storage-checkpoint", "mirror/vxvm-split-mirror"])
def test_snapshots_of_systems_on_datastores_bring_them_back(image: str) -> None:
    """What is deleted comes back within the datastore, faster than in 100 s over the network."""
    made = two_arrays()
    made["policies"]["nightly"]["snapshots"] = {"image": image, "every": "1 h", "retention": {"last": 48}}
    found = back(made, strikes="data")
    one = found.answers[0]
    assert one.saved_by.keys() == {"snapshots"}
    assert one.back is not None
    assert 10.0 < one.back.median < 100.0


@for_each("address, value, problem", [
    ("hosts.proxy", {"host": SERVER, "within": "here", "place": "east"},
     "hosts.proxy.place: a virtual machine is at the place of its host, 'here'"),
    ("datastores.more-a.place", "east", "datastores.more-a.place: 'san-a' says where its device is"),
])  # fmt: skip
def test_places_that_something_else_decides_are_refused(address: str, value: Any, problem: str) -> None:
    made = two_arrays()
    section, name, *rest = address.split(".")
    if rest:
        made[section][name][rest[0]] = value
    else:
        made[section][name] = value
    with pytest.raises(InputError) as wrong:
        load_site(made)
    assert problem in str(wrong.value)


def test_each_data_centre_of_a_bank_outlives_the_other() -> None:
    groups = {group.policy: group for group in groups_of(load_site("planning/bank"), LAST)}
    for policy, own, other in (("systems-a", "first", "second"), ("systems-b", "second", "first")):
        group: Group = groups[policy]
        assert group.data.lost_with(loss("place", of=own)) == ("place", own)
        assert group.data.lost_with(loss("place", of=other)) is None
        assert group.left(loss("place", of=own)) == [f"pool-{'b' if own == 'first' else 'a'}"]


def test_a_hospital_has_a_group_for_each_policy_and_array() -> None:
    groups = groups_of(load_site("planning/hospital"), LAST)
    assert {group.policy: group.machine for group in groups} == {
        "databases": "flash", "files": "disks", "images": "disks", "guests": "flash",
    }  # fmt: skip
