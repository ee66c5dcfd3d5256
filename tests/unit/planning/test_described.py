"""Sites described in few words: each machine has its share, pools are large enough, and what is wrong has its place."""

import pytest

from simbackup.errors import InputError
from simbackup.planning.described import Group, described
from simbackup.planning.plan import stocked
from simbackup.planning.site import load_site
from tests.cases import for_each

GUESTS = Group("vm", "40", "20 TB", change="2 %")
FILES = Group("file server", "2", "16 TB", files="12,000,000")


def test_each_machine_has_its_share() -> None:
    site = load_site(described([GUESTS, FILES], "virtualised", {}))
    systems = site.file.spec.systems
    assert len(systems) == 42
    assert {one.size.si for name, one in systems.items() if name.startswith("vm-1-")} == {500e9}
    files = [one for name, one in systems.items() if name.startswith("file-server-2-")]
    assert [(one.size.si, one.files.si if one.files else 0.0) for one in files] == [(8e12, 6e6)] * 2


@pytest.mark.slow
def test_pools_hold_three_years() -> None:
    kept = {"policies.nightly.retention": {"daily": "14", "monthly": "12"}}
    text = described([GUESTS, FILES], "virtualised", kept)
    assert "disks: 12}" not in text
    assert [limit.date for limit in stocked(load_site(text), "3y").full] == [None, None, None]  # and the array
    small = described([Group("vm", "2", "1 TB")], "virtualised", kept)
    assert "disks: 12}" in small  # what is large enough stays
    assert "retention: {daily: 14, monthly: 12}" in small


@for_each(
    "group, place, message",
    [
        (Group("vm", "4.5", "1 TB"), "machines:1", "machines: '4.5' must be a whole number"),
        (Group("vm", "0", "1 TB"), "machines:1", "machines: '0' is not a number of machines"),
        (Group("vm", "4", "one"), "machines:1", "data: 'one' is not a number"),
        (Group("vm", "4", "10 Tb"), "machines:1", "bits"),
        (Group("file server", "1", "1 TB"), "machines:1", "files: the number of files is missing"),
        (Group("vm", "4", "1 TB", change="200 %"), "machines:1", "'200 %' is more than all of the data"),
        (Group("teapot", "4", "1 TB"), "machines:1", "'teapot' is not a kind of system"),
    ],
)
def test_what_is_wrong_has_its_row(group: Group, place: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        described([group], "virtualised", {})
    first = raised.value.problems[0]
    assert str(first.place).startswith(place)
    assert message in str(first)


def test_there_are_machines_and_not_too_many() -> None:
    with pytest.raises(InputError, match="there are no machines"):
        described([], "virtualised", {})
    with pytest.raises(InputError, match="6000 machines are too many"):
        described([Group("vm", "3000", "1 PB")] * 2, "virtualised", {})


def test_a_wrong_window_is_reported() -> None:
    with pytest.raises(InputError, match=r"policies\.nightly\.window"):
        described([GUESTS], "virtualised", {"policies.nightly.window": "late to early"})
