"""How systems are divided over days and targets."""

from typing import Any

from sites.plan import site

from simbackup.planning.site import load_site

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
