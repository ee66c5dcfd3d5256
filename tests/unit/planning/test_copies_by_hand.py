"""Copies of a plan next to what one counts by hand: windows, and bytes of synthetic full backups."""

from typing import Any

import simbackup as sb

ARRAY = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022", "disks": 12}


def copies_of(site: dict[str, Any], days: int, **copy: Any) -> list[dict[str, Any]]:
    """The rows of the only copy in the nights of a plan."""
    common = {
        "title": "one copy",
        "network": "network/ten-gigabit-ethernet",
        "machines": {"guest": {"host": "host/linux-modern-server", "storage": "ssd/nvme-gen3-2018"}},
        "systems": {"a": {"size": "1 TB", "change": {"daily": "1 %", "run": "256 KiB"}, "policy": "p"}},
    }
    policy = {"to": "pool", "at": "20:00", "retention": {"age": "3 weeks"}, "copies": {"c": copy}}
    policies = {"p": policy | site.pop("policy")}
    nights = sb.plan({**common, **site, "policies": policies}, f"{days} days").tables()["nights"]
    return [row for row in nights if row["copy"] == "c"]


def second(**site: Any) -> dict[str, Any]:
    pool = {"host": "host/linux-modern-server", "device": ARRAY}
    return {"targets": {"pool": pool, "second": pool | {"place": "second"}}, **site}


def test_a_copy_has_until_the_first_such_time_after_it_begins() -> None:
    site = second(start="2027-01-08", policy={"schedule": {"incremental": "daily"}, "merges": True})
    found = copies_of(site, 3, to="second", at="08:00", by="monday 06:00")
    assert [row["window"] / 3600 for row in found] == [58.0, 34.0, 178.0]  # that of Sunday begins on Monday at 08:00


def test_a_copy_has_an_hour_more_when_clocks_go_back() -> None:
    site = second(start="2027-11-05", zone="America/New_York", policy={"schedule": {"full": "daily"}})
    assert [row["window"] for row in copies_of(site, 3, to="second", by="20:00")] == [86_400.0, 90_000.0, 86_400.0]


def test_a_synthetic_full_backup_leaves_a_deduplicating_pool_as_a_whole() -> None:
    drive = {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 2}
    chunks = {"model": "deduplication/appliance-2010", "at": "target"}
    site = {
        "start": "2027-01-06",
        "targets": {
            "pool": {"host": "host/linux-modern-server", "device": ARRAY, "deduplication": chunks},
            "vault": {"beside": "pool", "link": {"rate": "800 MB/s", "latency": "0.1 ms"}, "device": drive},
        },
        "policy": {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}},
    }
    first, synthetic = copies_of(site, 5, to="vault", which="full")
    assert first["bytes"] == synthetic["bytes"] == 1e12
    assert synthetic["elapsed"] > 1e12 / 400e6  # an LTO-9 drive writes 400 MB/s
