"""Values that replace those of a site file, by their addresses; and how systems are divided over days and targets."""

from __future__ import annotations

from typing import Any

import pytest
from sites.plan import TEXT, site

from simbackup import shelf
from simbackup.errors import InputError
from simbackup.planning.goals import goals_of
from simbackup.planning.loading import read_site
from simbackup.planning.site import load_site
from simbackup.planning.variants import compared
from simbackup.schema.yaml_file import parse
from tests.cases import for_each

PRICED = TEXT.replace("machines:", "prices: prices/list-2026\nmachines:")
SOLD = TEXT.replace("    place: vault\n", "    place: vault\n    prices: prices/list-2026\n")


def figures(prices: Any) -> dict[str, Any]:
    """What a site or a datasheet states, in SI units."""
    return {key: getattr(value, "si", value) for key, value in prices if key != "model" and value is not None}


@pytest.mark.parametrize(("text", "where"), [(PRICED, ""), (SOLD, "targets.vault.")])
def test_a_key_below_the_name_of_a_datasheet_changes_that_key_alone(text: str, where: str) -> None:
    spec = read_site(text, {f"{where}prices.cartridge": 77}).spec
    found = spec.targets["vault"].prices if where else spec.prices
    assert figures(found) == figures(shelf.load_datasheet("prices/list-2026").parameters) | {"cartridge": 77.0}


def test_devices_in_devices_and_hosts_keep_their_datasheets() -> None:
    changes = {"targets.pool.device.disk.capacity": "18 TB", "machines.guest.host.cores": 3, "network.rate": "1 GB/s"}
    loaded = load_site(TEXT, changes)
    assert loaded.targets["pool"].capacity == 10 * 18e12  # twelve disks, two of them for parity
    host, network = loaded.file.part("machines", "guest", "host"), loaded.file.part("network")
    assert host is not None
    assert host.plain() == {"model": "host/linux-modern-server", "cores": 3}
    assert network is not None
    assert network.plain() == {"model": "network/ten-gigabit-ethernet", "rate": "1 GB/s"}


@for_each(
    "address, message",
    [
        ("prices.cartrige", "prices.cartrige: is not known here; did you mean 'cartridge'?"),
        ("policies.nightly.tool.copy_cpu", "policies.nightly.tool.copy_cpu"),
        ("zone.name", "zone: {'name': 1} is not text; write text"),
    ],
)
def test_a_key_that_no_datasheet_has_is_refused_at_its_address(address: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        load_site(PRICED, {address: 1})
    assert message in str(wrong.value)


def test_a_misspelt_datasheet_is_still_reported_where_it_is() -> None:
    with pytest.raises(InputError) as wrong:
        read_site(PRICED.replace("list-2026", "lists-2026"))
    assert str(wrong.value).startswith("site:6:9: prices.model: there is no datasheet 'prices/lists-2026'")


def test_values_below_the_name_of_a_datasheet_vary() -> None:
    address = "targets.pool.device.disk.capacity"
    sites = {size: load_site(PRICED, {address: size}) for size in ("500 GB", "20 TB")}
    found = compared(sites, "9 days", goals_of(parse("fits: true\n", "goals")), nights=False)
    # two full backups of 3 TB, a week apart, fit ten disks of 20 TB, not ten of 500 GB
    assert {one.name: [goal.goal for goal in one.missed] for one in found} == {
        "20 TB": [], "500 GB": ["pool fits"],
    }  # fmt: skip


GROUPS = TEXT.replace(
    "  first: {size: 1 TB", "  first: {priority: 2, size: {value: 1 TB, basis: assumed, range: [500 GB, 3 TB], why: a}"
)
GROUPS += "  third: {size: 500 GiB, change: change/database, policy: gold}\n"
GROUPS = GROUPS.replace("  nightly:\n", "  gold: {to: pool, at: '20:00', schedule: {full: daily}}\n  nightly:\n")


@for_each(
    "address, value, sizes",
    [
        ("systems.*.size", "x2", [2e12, 4e12, 1000 * 1024**3]),
        ("systems.policy:gold.size", "x 0.5", [1e12, 2e12, 250 * 1024**3]),
        ("systems.*d.size", "3 TB", [1e12, 3e12, 3e12]),
        ("systems.change:change/database.size", "1 TB", [1e12, 2e12, 1e12]),
        ("systems.first.size", "x3", [3e12, 2e12, 500 * 1024**3]),
    ],
)
def test_groups_of_systems_are_changed_at_once(address: str, value: str, sizes: list[float]) -> None:
    found = read_site(GROUPS, {address: value}).spec
    assert [system.size.si for system in found.systems.values()] == sizes


def test_a_factor_multiplies_ranges_and_what_a_datasheet_states() -> None:
    loaded = load_site(GROUPS, {"systems.*.size": "x2", "systems.*.change.daily": "x2"})
    first = loaded.file.spec.systems["first"].size
    assert (first.low, first.high, first.basis) == (1e12, 6e12, "assumed")
    before = load_site(GROUPS)
    assert [each.change.daily for each in loaded.systems] == [2.0 * each.change.daily for each in before.systems]


def test_a_factor_of_a_group_leaves_out_those_that_state_nothing() -> None:
    """Only the file server has files."""
    written = {one.name: one.files for one in load_site(GROUPS).systems}
    now = {one.name: one.files for one in load_site(GROUPS, {"systems.*.files": "x2"}).systems}
    assert [now[name] / each for name, each in written.items()] == [1.0, 2.0, 1.0]


@for_each(
    "address, value, message",
    [
        ("systems.db*.size", "x2", "overrides: systems.db*.size: names nothing in the site"),
        ("systems.*.policy", "x2", "overrides: systems.first.policy: is no quantity that 'x2' could multiply"),
        ("systems.first.files", "x2", "overrides: systems.first.files: is no quantity that 'x2' could multiply"),
    ],
)
def test_groups_and_factors_without_a_quantity_are_refused(address: str, value: str, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        read_site(GROUPS, {address: value})
    assert message in str(wrong.value)


CHANGE = {"change": {"daily": "3 %", "run": "256 KiB"}}


def loads(systems: dict[str, Any], policies: dict[str, Any], **parts: Any) -> dict[str, float]:
    """Bytes by the last part of the name of a policy: a day or a target."""
    found: dict[str, float] = {}
    for client in load_site(site(systems=systems, policies=policies, **parts)).systems:
        part = client.policy.rpartition("-")[2]
        found[part] = found.get(part, 0.0) + client.size
    return found


def test_policies_that_spread_share_the_days() -> None:
    """One large system of one policy, seven small ones of another: none of these is saved on the day of the first."""
    policy = site()["policies"]["nightly"] | {"spread": True}
    systems = {"large": {"size": "7 TB", "policy": "a"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "b"} | CHANGE for i in range(7)}
    found = loads(systems, {"a": policy, "b": policy})
    assert found["monday"] == 7e12
    assert sorted(found.values()) == [1e12] * 5 + [2e12, 7e12]


def test_days_on_which_others_save_are_avoided() -> None:
    """Full backups of one policy are on Saturday, and those that are spread on the other six days."""
    fixed = site()["policies"]["nightly"]
    systems = {"large": {"size": "9 TB", "policy": "fixed"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "wide"} | CHANGE for i in range(12)}
    found = loads(systems, {"fixed": fixed, "wide": fixed | {"spread": True}})
    assert "saturday" not in found
    assert [size for part, size in found.items() if part != "fixed"] == [2e12] * 6


def test_policies_that_divide_among_targets_share_these() -> None:
    pool = site()["targets"]["pool"]
    policy = site()["policies"]["nightly"] | {"to": ["pool", "second"]}
    policy.pop("copies")
    systems = {"large": {"size": "4 TB", "policy": "a"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "b"} | CHANGE for i in range(4)}
    found = loads(systems, {"a": policy, "b": policy}, targets=site()["targets"] | {"second": pool})
    assert found == {"pool": 4e12, "second": 4e12}
