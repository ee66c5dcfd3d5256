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


def test_days_on_which_others_save_are_avoided() -> None:
    """Full backups of one policy are on Saturday, and those that are spread on the other six days."""
    fixed = site()["policies"]["nightly"]
    systems = {"large": {"size": "9 TB", "policy": "fixed"} | CHANGE}
    systems |= {f"s{i}": {"size": "1 TB", "policy": "wide"} | CHANGE for i in range(12)}
    found = loads(systems, {"fixed": fixed, "wide": fixed | {"spread": True}})
    assert "saturday" not in found
    assert [size for part, size in found.items() if part != "fixed"] == [2e12] * 6
