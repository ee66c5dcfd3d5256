"""Several receiving hosts: systems divided among them, each with its own limit, before one library."""

from collections import Counter
from typing import Any

import pytest
from sites.plan import site

from simbackup.planning.ledger import Ledger
from simbackup.planning.plan import plan
from simbackup.planning.restore import restore
from simbackup.planning.site import PlannedSite, load_site

TB = 1e12


def media(servers: int, **policy: Any) -> PlannedSite:
    """Twelve systems of 1 TB on a fast network; each server takes two at a time over 10 GbE of its own."""
    made = site(
        systems={
            f"s{i}": {"size": "1 TB", "change": {"daily": "3 %", "run": "256 KiB"}, "policy": "nightly"}
            for i in range(12)
        },
        zone="UTC",
    )
    one = made["targets"].pop("pool") | {
        "network": "network/ten-gigabit-ethernet", "limit": {"at_once": 2, "order": "longest_first"},
    }  # fmt: skip
    names = [f"media{i}" for i in range(servers)]
    made["targets"] = {name: dict(one) for name in names} | {"vault": made["targets"]["vault"] | {"beside": names}}
    made["network"] = "network/hundred-gigabit-ethernet"
    made["policies"]["nightly"] |= {"to": names, **policy}
    return load_site(made)


def test_systems_are_divided_among_media_servers() -> None:
    loaded = media(3)
    assert Counter(system.policy for system in loaded.systems) == {f"nightly-media{i}": 4 for i in range(3)}
    last = list(Ledger(loaded).days(loaded.start))[-1]
    assert [last.stocks[f"media{i}"].used for i in range(3)] == pytest.approx([4 * TB] * 3)


def test_three_media_servers_take_a_third_of_the_time() -> None:
    """12 TB through one card of 1.25 GB/s, or 4 TB through each of three."""
    one, three = (plan(media(n), "1 day") for n in (1, 3))
    ends = [max(one.elapsed for one in found.verdicts if not one.copy) for found in (one, three)]
    assert ends[0] >= 12 * TB / 1.25e9
    assert ends[0] / ends[1] == pytest.approx(3.0, rel=0.02)
    assert [key[0] for key in three.windows.levels] == ["nightly-*", "nightly-*"]  # backups, and their copies


def test_what_one_media_server_had_is_lost_with_it() -> None:
    """The others are as new as last night; those that it had come from the tapes of Saturday."""
    loaded = media(2)
    found = restore(loaded, "site", loaded.start.replace(day=13), "media0")
    assert Counter(one.source for one in found.systems) == {"vault": 6, "media1": 6}
    assert {one.lost for one in found.systems} == {16 * 3600.0, (3 * 24 + 16) * 3600.0}


def test_divided_among_servers_and_days() -> None:
    loaded = media(2, spread=True)
    assert max(Counter(system.policy for system in loaded.systems).values()) == 1
    assert loaded.file.written(loaded.systems[0].policy) == "nightly"
