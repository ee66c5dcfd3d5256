from typing import Any

import pytest

from simbackup import load
from simbackup.build import build
from simbackup.devices.store import Store
from simbackup.run import simulate
from tests.cases import for_each

SITE: dict[str, Any] = {
    "title": "Levels",
    "hosts": {
        "filer": {"model": "host/linux-modern-server", "owns": ["array"]},
        "backup": {"model": "host/linux-modern-server", "owns": ["staging"]},
    },
    "devices": {
        "array": {"model": "disk/nearline-20tb-2022"},
        "staging": {"model": "raid/software-raid5", "disk": "disk/nearline-20tb-2022", "disks": 8},
        "library": {"model": "tape_library/autoloader-8", "drive": "tape_drive/lto-5", "drives": 1},
    },
    "links": {
        "lan": {"model": "network/ten-gigabit-ethernet", "joins": ["filer", "backup"]},
        "bus": {"joins": ["backup", "library"], "rate": "600 MB/s", "latency": "0.1 ms"},
    },
    "data": {
        "users": {
            "on": "array", "size": "500 GB", "files": 2_000_000, "layout": "scattered", "filesystem": "filesystem/xfs",
            "change": {"daily": "2 %", "daily_files": "1 %", "growth": "20 %", "run": "256 KiB"},
        }
    },
}  # fmt: skip


def run(**jobs: Any) -> Any:
    return simulate(SITE | {"jobs": jobs})


def test_an_array_reads_runs_far_apart_one_by_one() -> None:
    """A request for 256 KiB reaches four of 22 data disks: no faster than they seek, whatever all of them stream."""
    array = {"model": "raid/midrange-array-2013", "disk": "disk/sas-10k-600gb-2011", "disks": 24, "groups": 2}
    job = {"method": "image", "data": "users", "to": "staging", "level": "incremental", "since": "24 h"}
    data = {"users": SITE["data"]["users"] | {"change": {"daily": "4 %", "run": "256 KiB"}}}
    site = SITE | {"data": data, "devices": SITE["devices"] | {"array": array}}
    result = simulate(site | {"jobs": {"night": job}})
    store = build(load(site).spec, 0)[0].of(Store)["array"]
    run, between = 262144.0, 262144.0 * 0.96 / 0.04
    apart = store.request("read", 0.0, between, run).latency
    assert store.stream("read", 0.0, 500e9) * (run + between) < 0.75 * apart  # all disks would stream across sooner
    read = sum(s for (where, _), s in result.causes("night").items() if where == "devices.array")
    assert read == pytest.approx(0.04 * 500e9 / run * apart, rel=0.02)


CONTROLLER = {"model": "raid/hardware-raid6-2018", "disk": "disk/sas-10k-1200gb-2014", "disks": 12}
WAITING = {"start_time": "0 s", "mount_time": "0 s", "request": "1 MiB", "copy_cpu": "10 ns/B"}


def test_an_incremental_image_takes_longer_the_more_has_changed_and_as_long_as_a_full_one_in_the_end() -> None:
    """A program that asks for one run at a time works on each before it asks for the next, far apart or not."""
    job = {"method": "image", "data": "users", "to": "staging", "tool": WAITING}
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}

    def took(share: str | None) -> float:
        data = {"users": SITE["data"]["users"] | {"change": {"daily": share or "1 %", "run": "1 MiB"}}}
        how = {} if share is None else {"level": "incremental", "since": "24 h"}
        return float(simulate(site | {"data": data, "jobs": {"night": job | how}}).get("jobs.night.elapsed"))

    few, more = took("0.1 %"), took("1 %")
    assert more == pytest.approx(10.0 * few, rel=0.1)  # run by run: in proportion
    dense = [took(f"{share} %") for share in (30, 50, 70, 90, 99)]
    assert dense == sorted(dense)
    speed = build(load(site).spec, 0)[0].hosts["filer"].speed
    slope = (dense[3] - dense[1]) / 0.4  # disks pass all meanwhile: what more costs is the work, and to get it
    assert slope == pytest.approx(500e9 * (10e-9 / speed + 1 / 5.5e9), rel=0.05)  # over the controller
    assert dense[-1] == pytest.approx(took(None), rel=0.05)


@pytest.mark.parametrize("ahead", [None, "4 MiB"])
def test_what_passes_below_the_heads_does_not_cross_the_network_of_an_array(ahead: str | None) -> None:
    """Nine of ten bytes lie between those that changed, and only a host that reads ahead asks for them."""
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}
    filer = {"model": "host/windows-2019-server", "owns": ["array"]} | ({"read_ahead": ahead} if ahead else {})
    san = {"model": "network/fibre-channel-8g", "joins": ["filer", "array"]}
    data = {"users": SITE["data"]["users"] | {"change": {"daily": "10 %", "run": "64 KiB"}}}
    job = {"method": "image", "data": "users", "to": "staging", "level": "incremental", "since": "24 h"}
    parts = {"hosts": SITE["hosts"] | {"filer": filer}, "links": SITE["links"] | {"san": san}, "data": data}
    result = simulate(site | parts | {"jobs": {"night": job}})
    moved = sum(row["bytes"] for row in result.device_rows if row["device"].startswith("links.san"))
    assert moved == pytest.approx(500e9 if ahead else 50e9, rel=0.01)
    busy = next(row["busy_s"] for row in result.device_rows if row["device"] == "devices.array")
    store = build(load(site).spec, 0)[0].of(Store)["array"]
    assert busy == pytest.approx(500e9 * store.stream("read", 0.0, 500e9), rel=0.01)


def test_a_dense_incremental_is_restored_across_its_gaps() -> None:
    """Run by run where they are few; never longer than it takes to read all stripes and to write them again."""
    site = SITE | {"devices": SITE["devices"] | {"array": CONTROLLER}}
    full = {"method": "image", "data": "users", "to": "staging", "exists": True}

    def applied(share: str) -> float:
        data = {"users": SITE["data"]["users"] | {"change": {"daily": share, "run": "256 KiB"}}}
        jobs = {"full": full, "night": full | {"level": "incremental", "since": "24 h"}}
        back = {"restore": "full", "replay": "night"}
        alone = {"restore": "full", "after": "back"}
        result = simulate(site | {"data": data, "jobs": {**jobs, "back": back, "alone": alone}})
        return float(result.get("jobs.back.elapsed") - result.get("jobs.alone.elapsed"))

    store = build(load(site).spec, 0)[0].of(Store)["array"]
    everything = 500e9 * (store.stream("read", 0.0, 500e9) + store.stream("write", 0.0, 500e9))
    assert applied("2 %") == pytest.approx(2.0 * applied("1 %"), rel=0.1)
    assert applied("5 %") > 0.3 * everything
    for share in ("30 %", "60 %", "95 %"):
        assert 0.5 * everything < applied(share) < 1.2 * everything


@pytest.mark.parametrize("to", ["staging", "library"])
def test_an_incremental_image_reads_all_where_nothing_tracks_changes(to: str) -> None:
    """As of a database without change tracking: 500 GB are read and looked at for 10 GB that are sent."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "scan_cpu": "2 ns/B", "copy_cpu": "0.01 ns/B"}
    job = {"method": "image", "data": "users", "to": to, "level": "incremental", "since": "24 h", "tool": tool}
    site = SITE | {"data": {"users": SITE["data"]["users"] | {"change": {"daily": "2 %"}}}}
    result = simulate(site | {"jobs": {"night": job}})
    assert result.get("jobs.night.bytes") == pytest.approx(10e9)
    assert next(row["bytes"] for row in result.device_rows if row["device"] == "devices.array") == pytest.approx(500e9)
    system = build(load(site).spec, 0)[0]
    read = system.of(Store)["array"].stream("read", 0.0, 500e9) * 500e9
    least = max(read, 500e9 * system.hosts["filer"].seconds(2e-9))
    assert 0.999 * least <= result.get("jobs.night.elapsed") <= least * 1.05 + 120.0  # a cartridge is mounted for it


@for_each("to", ["staging", "library"])
@for_each("share", [False, True])
def test_a_search_that_finds_everything_changed_is_no_full_backup(to: str, *, share: bool) -> None:
    """500 GB are looked at with 100 ns/B of the reference core, whether all of them have changed or nearly all."""
    tool = {"start_time": "0 s", "mount_time": "0 s", "scan_cpu": "100 ns/B", "copy_cpu": "0.01 ns/B"}
    job = {"method": "image", "data": "users", "to": to, "level": "incremental", "since": "24 h", "tool": tool}
    if share:
        job["share"] = {"host": "backup", "calls": 0, "request": "1 MiB"}

    def took(daily: str) -> float:
        site = SITE | {"data": {"users": SITE["data"]["users"] | {"change": {"daily": daily}}}}
        return float(simulate(site | {"jobs": {"night": job}}).get("jobs.night.elapsed"))

    reader = build(load(SITE).spec, 0)[0].hosts["backup" if share else "filer"]
    assert took("100 %") == pytest.approx(took("99.999 %"), rel=1e-3)
    assert took("100 %") >= 0.999 * 500e9 * reader.seconds(100e-9)
