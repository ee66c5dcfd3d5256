"""Random small systems, drawn from a seed and a number alone, and the same with more load or with a faster part."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

CHANGING = {"database/mysql-5.0-innodb"}
"""Databases whose files change even under a read lock, so that nobody may copy them as they are."""

Plan = dict[str, Any]
"""A scenario as its file holds it."""


def system(seed: int, number: int) -> Plan:
    """The system of a number, drawn at random."""
    draw = random.Random(f"{seed} {number}")  # noqa: S311 (nothing is secret here)
    plan: Plan = {"title": f"Random system {number} of seed {seed}", **_parts(draw)}
    plan["jobs"] = _jobs(draw, plan["data"]["db"]["database"])
    if draw.random() < 0.5:
        plan["workloads"] = _workloads(draw)
    if draw.random() < 0.3:
        plan["fleets"] = {"more": _fleet(draw)}
    return plan


def _parts(draw: random.Random) -> Plan:
    """Hosts, devices, links and data: always the same names, of any kind and size."""
    disk = draw.choice(["disk/scsi-10k-146gb-2004", "disk/sata-7200-1tb-2008"])
    second: Plan = draw.choice(
        [
            {"model": disk},
            {"model": "ssd/sata-ssd-2015"},
            {"model": "raid/software-raid5", "disk": disk, "disks": draw.randint(3, 6)},
        ]
    )
    sizes = {name: draw.randint(10, 600) for name in ("db", "files", "more", "lun", "far")}
    server: Plan = {"model": "host/linux-modern-server", "memory": f"{draw.choice([300, 1000, 8000])} MB"}
    if draw.random() < 0.5:
        server["read_ahead"] = draw.choice(["64 KiB", "512 KiB"])
    return {
        "hosts": {
            "server": server | {"owns": ["disk", "second", "spare", "array", "jukebox"]},
            "client": {"model": "host/linux-modern-server", "owns": ["remote"]},
        },
        "devices": {
            "disk": {"model": disk},
            "second": second,
            "spare": {"model": disk},
            "array": {"model": "raid/wafl-raid-dp", "disk": "disk/sata-7200-250gb-2005", "disks": draw.randint(5, 8)},
            "remote": {"model": "disk/sata-7200-1tb-2008"},
            "jukebox": {
                "model": "tape_library/atl-p3000",
                "drive": {"model": "tape_drive/quantum-dlt7000", "cartridge_capacity": f"{draw.randint(100, 2000)} MB"},
                "drives": draw.randint(1, 3),
                "robots": draw.randint(1, 2),
            },
            "volume": {"kind": "logical_volume", "on": "disk", "size": "10 GB"},
            "cow": {
                "model": "snapshot/lvm2-2.6.9", "of": "volume", "on": draw.choice(["disk", "spare"]),
                "size": f"{draw.choice([20, 200, 2000])} MB",
            },
            "mirror": {
                "model": "mirror/vxvm-split-mirror", "of": "volume", "on": "spare",
                "state": draw.choice(["attached", "new"]),
            },
            "redirect": {"model": "redirect_volume/wafl-lun", "on": "array", "size": "5 GB"},
            "pointers": {"kind": "redirect_snapshot", "of": "redirect"},
        },
        "links": {
            "lan": {
                "model": "network/gigabit-ethernet", "joins": ["server", "client"], "count": draw.randint(1, 2),
                "window": "64 KiB",
            },
            "san": {"model": "network/fibre-channel-1g", "joins": ["client", "jukebox"]},
        },
        "data": {
            "db": {
                "on": "volume", "size": f"{sizes['db']} MB", "compression": draw.choice([1, 2]),
                "database": draw.choice(["database/mysql-5.0-innodb", "database/mysql-5.0-myisam"]),
            },
            "files": {
                "on": "volume", "size": f"{sizes['files']} MB", "files": draw.choice([10, 1000]),
                "filesystem": "filesystem/ext3", "layout": draw.choice(["scattered", "together"]),
                "compression": draw.choice([0.95, 1, 2]),
            },
            "more": {"on": "second", "size": f"{sizes['more']} MB"},
            "lun": {"on": "redirect", "size": f"{sizes['lun']} MB"},
            "far": {"on": "remote", "size": f"{sizes['far']} MB", "files": 20, "filesystem": "filesystem/xfs"},
        },
    }  # fmt: skip


def _work(draw: random.Random, engine: str) -> list[Plan]:
    """Some jobs that belong together, in their order, with a database of an engine."""
    data = draw.choice(["db", "files", "more", "lun", "far"])
    tape: Plan = {"method": "image", "data": data, "to": "jukebox"}
    disk: Plan = {"method": "image", "data": data, "to": draw.choice(["second", "remote"])}
    walk: Plan = {
        "method": "file_level", "data": draw.choice(["files", "far"]),
        "to": draw.choice(["jukebox", "remote", "second"]),
    }  # fmt: skip
    native: Plan = {
        "method": "database_native", "data": draw.choice(["db", "more", ["db", "more"]]),
        "to": draw.choice(["second", "remote", ["second", "remote"]]), "engine": "backup_engine/sql-server-2008",
        "buffers": draw.randint(2, 16), "compress": draw.random() < 0.3,
    }  # fmt: skip
    dump: Plan = {"method": draw.choice(["logical_dump", "hot_copy"]), "data": "db", "to": "second"}
    if dump["method"] == "hot_copy" and engine in CHANGING:
        dump["method"] = "logical_dump"
    if dump["method"] == "hot_copy":
        dump["tool"] = "backup_tool/zrm-1.1"
    by_snapshot: Plan = {"method": "snapshot_copy", "data": "db", "to": "second", "snapshot": "cow"}
    restore: Plan = {"restore": ""}  # of the job before it
    split_off: Plan = {"method": "create_snapshot", "snapshot": "mirror"}
    join: Plan = {"method": "synchronise", "mirror": "mirror"}
    freeze: Plan = {"method": "create_snapshot", "snapshot": "pointers"}
    write: Plan = {"method": "write", "data": data, "flush": draw.random() < 0.5}
    synchronous: Plan = {"method": "write", "data": data, "request": "64 KiB", "portion": "10 %"}
    back = [restore] if draw.random() < 0.6 else []
    return draw.choice(
        [
            [write], [synchronous], [tape, *back], [tape | {"streams": 1}, *back], [disk, *back], [walk, *back],
            [native, *back], [dump, *back], [by_snapshot, *back], [split_off, write | {"data": "db"}, join],
            [split_off, join],
            [freeze, write | {"data": "lun"}, tape | {"data": "lun", "source": "pointers"}],
            [{"method": "frozen_image", "data": "db", "to": "mirror"}, *back],
            [{"method": "copy", "data": "more", "to": "more"}],
        ]
    )  # fmt: skip


def _jobs(draw: random.Random, engine: str) -> dict[str, Plan]:
    """A few such groups, at once, at times of their own, or one after the other."""
    jobs: dict[str, Plan] = {}
    order, last = draw.choice(["at once", "at times", "in turn"]), ""
    for _ in range(draw.randint(1, 4)):
        group, before = _work(draw, engine), ""
        for i, work in enumerate(group):
            name, job = f"job{len(jobs) + 1}", copy.deepcopy(work)
            if i:
                job["after"] = before
            elif order == "in turn" and last:
                job["after"] = last
            elif order == "at times":
                job["begin"] = f"{draw.randint(0, 60)} s"
            if "restore" in job:
                job["restore"] = before
            jobs[name], before = job, name
        last = before
    return jobs


def _workloads(draw: random.Random) -> dict[str, Plan]:
    """Users of some data, and an application on the network."""
    users: Plan = {
        "data": draw.choice(["db", "lun", "more"]), "reads": draw.choice([0.5, 2]), "read_size": "8 KiB", "cpu": "1 ms",
        "writes": "20 %", "updates": draw.choice([0.2, 1]), "synchronous": draw.random() < 0.5,
    }  # fmt: skip
    users |= draw.choice([{"transactions": f"{draw.randint(1, 60)} /s"}, {"clients": 5, "think_time": "50 ms"}])
    app: Plan = {"via": "lan", "request": "64 KiB", "timeout": "1 s"}
    app |= draw.choice([{"transactions": f"{draw.randint(50, 800)} /s"}, {"clients": 20, "think_time": "20 ms"}])
    return {name: part for name, part in (("users", users), ("app", app)) if draw.random() < 0.7}


def _fleet(draw: random.Random) -> Plan:
    """A few servers alike, with a disk and a backup each."""
    return {
        "count": draw.randint(2, 4),
        "hosts": {"s-{number}": {"model": "host/windows-2013-server", "owns": ["d-{number}"]}},
        "devices": {"d-{number}": {"model": "disk/sata-7200-1tb-2008"}},
        "links": {"n-{number}": {"model": "network/gigabit-ethernet", "joins": ["s-{number}", "server"]}},
        "data": {"x-{number}": {"on": "d-{number}", "size": f"{draw.randint(50, 500)} MB"}},
        "jobs": {"save-{number}": {"method": "image", "data": "x-{number}", "to": "spare", "begin": "5 s"}},
    }


def loads(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The system with more load on it, of several kinds."""
    writer: Plan = {"method": "write", "data": "more", "flush": True}
    yield "a writer", plan | {"jobs": plan["jobs"] | {"extra": writer}}
    reader: Plan = {"method": "image", "data": "db", "to": "second"}
    yield "a backup", plan | {"jobs": plan["jobs"] | {"extra": reader}}
    users: Plan = {
        "data": "db", "reads": 1, "read_size": "8 KiB", "cpu": "1 ms", "writes": 0, "transactions": "20 /s",
    }  # fmt: skip
    yield "users who read", plan | {"workloads": plan.get("workloads", {}) | {"extra": users}}
    yield "users who update", plan | {"workloads": plan.get("workloads", {}) | {"extra": users | {"updates": 1}}}


def faster(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The system with one part twice as fast, of several kinds."""
    links, devices, hosts = plan["links"], plan["devices"], plan["hosts"]
    yield "a network", plan | {"links": links | {"lan": links["lan"] | {"rate": "235.4 MB/s"}}}
    remote = devices["remote"] | {"outer_rate": "222 MB/s", "inner_rate": "103.2 MB/s"}
    yield "a disk", plan | {"devices": devices | {"remote": remote}}
    drive = devices["jukebox"]["drive"] | {"native_rate": "10 MB/s"}
    yield "a tape drive", plan | {"devices": devices | {"jukebox": devices["jukebox"] | {"drive": drive}}}
    yield "a processor", plan | {"hosts": hosts | {"server": hosts["server"] | {"speed": 10}}}
