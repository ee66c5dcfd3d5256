"""Random sites whose plans are compared with a ledger by hand."""

from datetime import date, timedelta
from random import Random
from typing import Any

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata")
TIMES = ("20:00", "22:30", "18:15", "23:59", "00:15", "02:30", "05:00")
SCHEDULES: tuple[dict[str, Any], ...] = (
    {"full": "saturday", "incremental": "daily"},
    {"full": "sunday", "differential": "daily"},
    {"full": "first saturday", "differential": "saturday", "incremental": "monday to friday"},
    {"full": "first sunday", "cumulative": ["wednesday", "sunday"], "incremental": "daily"},
    {"full": "last day", "differential": "sunday", "cumulative": "wednesday", "incremental": "daily"},
    {"full": "every 2 weeks on friday", "incremental": "every 2 days"},
    {"full": "last friday", "incremental": "tuesday to friday"},
    {"full": "daily"},
    {"full": "every 3 days"},
    {"full": ["monday", "thursday"], "incremental": "friday to sunday"},
    {"synthetic_full": "saturday", "incremental": "daily"},
    {"full": "first saturday", "synthetic_full": "saturday", "incremental": "monday to friday"},
    {
        "full": "second tuesday of march",
        "synthetic_full": "sunday",
        "differential": "wednesday",
        "incremental": "daily",
    },
)
FOR_EVER: tuple[dict[str, Any], ...] = ({"incremental": "daily"}, {"incremental": "monday to friday"})
RETENTIONS: tuple[dict[str, Any], ...] = (
    {"age": "10 days"},
    {"age": "3 weeks"},
    {"age": "1 month"},
    {"last": 5},
    {"last": 12, "age": "1 week"},
    {"daily": 5, "weekly": 3},
    {"daily": 7, "weekly": 4, "monthly": 3, "yearly": 2},
    {"age": "2 weeks", "monthly": 3},
    {"age": "1 week", "weekly": 4, "monthly": 2, "of": "full"},
    {"weekly": 2, "yearly": 2},
)
WINDOWS: tuple[dict[str, Any], ...] = (
    {},
    {"window": "20:00 to 06:00"},
    {"window": "19:00 to 08:00", "windows": {"saturday": "18:00 to 12:00"}},
    {
        "window": "21:30 to 02:00",
        "windows": {"first sunday": "12:00 to 20:00", "monday to wednesday": "22:00 to 07:00"},
    },
)


def random_site(seed: int) -> tuple[dict[str, Any], int]:
    """A site and a number of days.

    Parameters
    ----------
    seed
        The same seed gives the same site.
    """
    pick = Random(seed)  # noqa: S311 (sites, not secrets)
    start = date(2026, 1, 1) + timedelta(pick.randrange(1000))
    site: dict[str, Any] = {
        "title": f"site {seed}",
        "start": start.isoformat(),
        "zone": pick.choice(ZONES),
        "network": "network/ten-gigabit-ethernet",
        "machines": {"guest": {"host": "host/linux-modern-server", "storage": "ssd/nvme-gen3-2018"}},
        "targets": _targets(pick),
    }
    if pick.random() < 0.5:
        site["growth"] = pick.choice(("20 %", "80 %"))
    if pick.random() < 0.5:
        site["index_record"] = "200 B/file"
    if pick.random() < 0.7:
        site["prices"] = _prices(pick)
    site["policies"] = {f"p{each}": _policy(pick, start) for each in range(pick.choice((1, 1, 2)))}
    site["systems"] = _systems(pick, list(site["policies"]))
    _trim(site)
    return site, 60 + int(341 * pick.random() ** 3)


def shared_site(seed: int) -> tuple[dict[str, Any], int]:
    """A random site with shared hosts, a datastore, a library of two targets, growth in bytes, and own reductions."""
    site, days = random_site(seed)
    pick = Random(f"shared {seed}")  # noqa: S311 (sites, not secrets)
    host = {"host": "host/linux-modern-server"}
    site["hosts"] = {"esx1": host, "esx2": host, "proxy": host | {"slots": 4}}
    array = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022", "disks": 8}
    site["datastores"] = {"san": {"device": array, "link": "network/fibre-channel-16g"}}
    for policy in site["policies"].values():
        if pick.random() < 0.3:
            policy["proxy"] = "proxy"
    if "growth" in site and pick.random() < 0.5:
        site["growth"] = pick.choice(("5 GB/year", "0.01 TB/year"))
    for system in site["systems"].values():
        _share(pick, system, reduced="cloud" not in site["targets"])
    if "vault" in site["targets"]:
        vault = site["targets"]["vault"]
        drives = max(vault["device"]["drives"], 2)  # copies from pool to pool need two
        vault |= {"pool": "one", "device": vault["device"] | {"pools": {"one": 100, "two": 100}, "drives": drives}}
        site["targets"]["safe"] = {"device": "vault", "pool": "two", "place": "safe"}
        for policy in site["policies"].values():
            policy.setdefault("copies", {})["to-safe"] = _copy(pick, "safe", for_ever="full" not in policy["schedule"])
    return site, days


def _share(pick: Random, system: dict[str, Any], *, reduced: bool) -> None:
    """Put a system on a shared host, let it grow by bytes, and reduce it by itself, each with some chance."""
    if system["change"].get("growth") == "150 %":  # an hour of it, when clocks change, is more than `BETWEEN`
        system["change"]["growth"] = "60 %"
    if pick.random() < 0.7:
        system["host"] = pick.choice(("esx1", "esx2"))
    if pick.random() < 0.4:
        system["growth"] = pick.choice(("1 GB/year", "6 GB/year", "50 %"))
    if pick.random() < 0.4 and reduced:
        system["reduction"] = pick.choice(("3:1", 1.25))


def _targets(pick: Random) -> dict[str, Any]:
    """A pool, a second one, a library and a bucket."""
    array = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022"}
    capacity = pick.choice(("3 GB", "7 GB", "40 GB", "200 GB"))
    library = {
        "model": "tape_library/storagetek-sl8500-small",
        "drive": {"model": "tape_drive/lto-9", "cartridge_capacity": capacity},
        "drives": pick.choice((1, 2, 3)),
    }
    targets: dict[str, Any] = {
        "pool": {"host": "host/linux-modern-server", "device": array | {"disks": pick.choice((8, 12))}},
        "second": {"host": "host/linux-modern-server", "device": array | {"disks": 6}, "place": "second"},
        "vault": {
            "beside": "pool",
            "link": {"rate": "800 MB/s", "latency": "0.1 ms"},
            "device": library,
            "place": pick.choice(("vault", "second")),
        },
        "cloud": {
            "beside": "pool",
            "link": "network/wan-1g",
            "device": "object_store/amazon-s3-standard",
            "place": "cloud",
            "connections": 8,
        },
    }
    kind = pick.random()
    if kind < 0.4:
        targets["pool"]["clones"] = True
    elif kind < 0.6:
        for name in pick.choice((("pool",), ("pool", "second"))):
            at = pick.choice(("target", "client"))
            targets[name]["deduplication"] = {"model": "deduplication/appliance-2010", "at": at}
    if pick.random() < 0.3:
        targets[pick.choice(("pool", "second", "cloud"))]["reduction"] = pick.choice(("2:1", "150 %"))
    if pick.random() < 0.5:
        targets["vault"]["offsite"] = True
    if pick.random() < 0.3:
        targets["vault"]["cartridges"] = pick.choice((2, 20))
    if pick.random() < 0.5:
        targets["cloud"]["object_size"] = "64 MiB"
    return targets


def _prices(pick: Random) -> dict[str, Any]:
    prices = {"currency": "EUR", "date": "2026-01-01", "pool_month": 3, "cartridge": 90, "object_month": 2000}
    if pick.random() < 0.5:
        prices["minimum_storage"] = pick.choice(("30 d", "90 d"))
    if pick.random() < 0.5:
        prices["write_requests"] = 5000
        if pick.random() < 0.5:
            prices["part_requests"] = 400
    return prices


def _policy(pick: Random, start: date) -> dict[str, Any]:
    for_ever = pick.random() < 0.2
    policy: dict[str, Any] = {
        "to": "pool",
        "at": pick.choice(TIMES),
        "schedule": dict(pick.choice(FOR_EVER if for_ever else SCHEDULES)),
        "retention": dict(pick.choice(RETENTIONS)),
        **pick.choice(WINDOWS),
    }
    if for_ever:
        policy["merges"] = True
        policy["retention"].pop("of", None)
    elif pick.random() < 0.15:
        policy["spread"] = True
        policy["schedule"] = {"full": "saturday", "incremental": "daily"}
    elif pick.random() < 0.15 and "synthetic_full" not in policy["schedule"]:
        policy["to"] = pick.choice((["pool", "second"], "second", "vault"))
    if pick.random() < 0.3:
        policy["without"] = pick.choice(
            ("wednesday", [(start + timedelta(pick.randrange(5, 50))).isoformat(), "first monday"])
        )
    if pick.random() < 0.25:
        policy["logs"] = {
            "every": pick.choice(("6 h", "12 h")),
            "to": pick.choice(("pool", ["pool", "second"], "cloud")),
        }
    copies = {}
    for target in ("second", "vault", "cloud"):
        if pick.random() < 0.5 and target not in policy["to"]:
            copies[f"to-{target}"] = _copy(pick, target, for_ever)
    if copies:
        policy["copies"] = copies
    return policy


def _copy(pick: Random, target: str, for_ever: bool) -> dict[str, Any]:
    copy: dict[str, Any] = {"to": target, "retention": dict(pick.choice(RETENTIONS))}
    if not for_ever and pick.random() < 0.6:
        copy["which"] = "full"
    if pick.random() < 0.3:
        copy["on"] = pick.choice(("saturday", "first sunday", ["monday", "thursday"], "monday to friday"))
    if pick.random() < 0.3:
        copy["at"] = pick.choice(("08:00", "23:30"))
    if pick.random() < 0.3:
        copy["by"] = pick.choice(("20:00", "monday 06:00"))
    return copy


def _systems(pick: Random, policies: list[str]) -> dict[str, Any]:
    systems: dict[str, Any] = {}
    for number in range(pick.choice((1, 2, 3)) * len(policies)):
        change: dict[str, Any] = {"daily": pick.choice(("1 %", "3 %", "8 %")), "run": "256 KiB"}
        if pick.random() < 0.5:
            change |= {"hot_data": "20 %", "hot_changes": "80 %"}
        if pick.random() < 0.5:
            change["growth"] = pick.choice(("0 %", "30 %", "150 %"))
        if pick.random() < 0.3:
            change["replaced"] = "0.3 %"
        keys: dict[str, Any] = {
            "size": f"{pick.randrange(10, 100) / 10} GB",
            "policy": policies[number % len(policies)],
            "change": change,
        }
        if pick.random() < 0.5:
            keys["compression"] = pick.choice((1.3, 2))
        if pick.random() < 0.3:
            keys |= {"files": 100_000, "filesystem": "filesystem/xfs"}
            if pick.random() < 0.5:
                change["daily_files"] = "2 %"
            elif pick.random() < 0.5:
                change["in_place"] = True
        if pick.random() < 0.3:
            keys["log"] = "8 %"
        systems[f"s{number}"] = keys
    return systems


def _trim(site: dict[str, Any]) -> None:
    """Leave out targets that no policy names."""
    named = str(site["policies"])
    for target in ("second", "vault", "cloud"):
        if f"'{target}'" not in named:
            del site["targets"][target]
