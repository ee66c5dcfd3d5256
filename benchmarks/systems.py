"""Random small systems: each runs, conserves bytes, exceeds no capacity, and explains all of the time of its jobs.

A system depends only on the seed and its number. One that breaks an invariant is reduced to the parts that it needs.
Each system is also run with more load; jobs that then finish earlier are counted, and shown with their system.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simbackup import load
from simbackup.build import build
from simbackup.devices.snapshot.live import Snapshot
from simbackup.engine.flows import Link
from simbackup.errors import InputError
from simbackup.methods.job import start
from simbackup.results.causes import split
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.system import System

ROUNDING = 1e-6
"""Share by which sums of many numbers may differ."""
SOONER = 1e-3
"""Share of its time by which a job is faster, rather than rounded."""
MOST_STEPS = 200_000
"""Events after which a small system counts as endless."""

Plan = dict[str, Any]
"""A scenario as its file holds it."""


def system(seed: int, number: int) -> Plan:
    """The system of a number, drawn at random."""
    draw = random.Random(f"{seed} {number}")  # noqa: S311 (nothing is secret here)
    plan: Plan = {"title": f"Random system {number} of seed {seed}", **_parts(draw)}
    plan["jobs"] = _jobs(draw)
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


def _work(draw: random.Random) -> list[Plan]:
    """Some jobs that belong together, in their order."""
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
    if dump["method"] == "hot_copy":
        dump["tool"] = "backup_tool/zrm-1.1"
    by_snapshot: Plan = {"method": "snapshot_copy", "data": "db", "to": "second", "snapshot": "cow"}
    restore: Plan = {"restore": ""}  # of the job before it
    split_off: Plan = {"method": "create_snapshot", "snapshot": "mirror"}
    join: Plan = {"method": "synchronise", "mirror": "mirror"}
    freeze: Plan = {"method": "create_snapshot", "snapshot": "pointers"}
    write: Plan = {"method": "write", "data": data, "flush": draw.random() < 0.5}
    synchronous: Plan = {"method": "write", "data": data, "synchronous": True, "request": "64 KiB", "portion": "10 %"}
    back = [restore] if draw.random() < 0.6 else []
    return draw.choice(
        [
            [write], [synchronous], [tape, *back], [tape | {"streams": 1}, *back], [disk, *back], [walk, *back],
            [native, *back], [dump, *back], [by_snapshot, *back], [split_off, write | {"data": "db"}, join], [join],
            [freeze, write | {"data": "lun"}, tape | {"data": "lun", "source": "pointers"}],
            [{"method": "frozen_image", "data": "db", "to": "mirror"}, *back],
            [{"method": "copy", "data": "more", "to": "more"}],
        ]
    )  # fmt: skip


def _jobs(draw: random.Random) -> dict[str, Plan]:
    """A few such groups, at once, at times of their own, or one after the other."""
    jobs: dict[str, Plan] = {}
    order, last = draw.choice(["at once", "at times", "in turn"]), ""
    for _ in range(draw.randint(1, 4)):
        group, before = _work(draw), ""
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


def file_of(plan: Plan, folder: str) -> Path:
    """The file of a system in a folder."""
    path = Path(folder) / "system.yaml"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Ran:
    """The outcome of a run: its result, its live system, and what went wrong."""

    result: Result
    system: System
    wrong: tuple[str, ...]


def run(plan: Plan) -> Ran:
    """The outcome of a system, observed at every event.

    Raises
    ------
    InputError
        The system is not one that may be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        scenario = load(file_of(plan, folder))
    live, jobs = build(scenario.spec, 0)
    finished, wrong = start(live, jobs), list[str]()
    for _ in range(MOST_STEPS):
        if finished.processed:
            break
        live.env.step()
        if live.env.peek() > live.env.now:  # all that happens now has happened
            wrong += _exceeded(live)
    else:
        wrong.append("goes on for ever")
    result = simulate(scenario)
    return Ran(result, live, tuple(dict.fromkeys(wrong)))


def _exceeded(live: System) -> Iterator[str]:
    """Links, volumes and libraries that hold or carry more than they can."""
    links: dict[Link, None] = dict.fromkeys(link for flow in live.network.flows for link in flow.links)
    for link in links:
        used = sum(link.demand(flow) * flow.rate for flow in link.flows)
        if used > link.capacity * (1.0 + ROUNDING):
            yield f"{link.name} carries more than its capacity"
    for name, snapshot in live.images.items():
        if isinstance(snapshot, Snapshot) and snapshot.used * snapshot.parameters.chunk > snapshot.area.size * (
            1.0 + ROUNDING
        ):
            yield f"devices.{name} holds more than its area"
    for name, used in live.taken.items():
        if used > live.stores[name].size * (1.0 + ROUNDING):
            yield f"devices.{name} holds more than its size"
    for library in live.libraries.values():
        for cartridge in library.cartridges:
            if cartridge.end > cartridge.capacity * (1.0 + ROUNDING):
                yield f"{cartridge.name} holds more than its capacity"


def broken(plan: Plan) -> list[str]:
    """The invariants that a system breaks, in words without figures."""
    ran = run(plan)
    found, result = list(ran.wrong), ran.result
    for row in result.job_rows:
        spent = sum(split(result, row["job"]).values())
        if abs(spent - row["elapsed"]) > ROUNDING * max(row["elapsed"], 1.0):
            found.append("causes do not sum to the time of a job")
        if row["elapsed"] < 0.0 or row["bytes"] < 0.0:
            found.append("a job takes less than nothing")
    found += [
        f"a {row['kind']} is busy more than all the time"
        for row in result.device_rows
        if not -ROUNDING <= row["busy"] <= 1.0 + ROUNDING
    ]
    found += _not_conserved(plan, result)
    return sorted(set(found))


def _not_conserved(plan: Plan, result: Result) -> Iterator[str]:
    """Bytes that jobs report and devices did not carry."""
    jobs: dict[str, Plan] = plan["jobs"]
    done = {row["job"]: row["bytes"] for row in result.job_rows if row["status"] == "done" and row["job"] in jobs}
    through = sum(row["bytes"] for row in result.device_rows if row["kind"] == "tape drive")
    taped = [name for name, job in jobs.items() if job.get("to") == "jukebox"]
    ours = [name for name, job in jobs.items() if name in taped or job.get("restore") in taped]
    reported = sum(done.get(name, 0.0) for name in ours)
    if through < reported * (1.0 - ROUNDING):
        yield "tape drives carried less than jobs report"
    if all(name in done for name in ours) and through > reported * (1.0 + ROUNDING) + 1.0:
        yield "tape drives carried more than jobs report"
    devices = {row["device"].removeprefix("devices."): row["bytes"] for row in result.device_rows}
    written = dict.fromkeys(devices, 0.0)
    for name, job in jobs.items():
        to, ratio = job.get("to"), 1.0
        if job.get("method") in {"image", "file_level", "logical_dump", "hot_copy", "snapshot_copy"} and to in written:
            written[str(to)] += done.get(name, 0.0) / ratio
    for name, least in written.items():
        if name != "jukebox" and devices[name] < least * (1.0 - ROUNDING):
            yield "a device carried less than jobs report"


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


def sooner(before: Result, after: Result) -> Iterator[tuple[str, str, float]]:
    """Jobs that take less time than before: name, method, share of the time that they save."""
    new = {row["job"]: row for row in after.job_rows}
    for row in before.job_rows:
        other = new.get(row["job"])
        if other is not None and row["status"] == other["status"] == "done":
            saved = row["elapsed"] - other["elapsed"]
            if saved > SOONER * row["elapsed"] and saved > SOONER:
                yield row["job"], row["method"], saved / row["elapsed"]


def cut_down(plan: Plan, still: Callable[[Plan], bool]) -> Plan:
    """The system reduced to the jobs, users and fleets that it needs."""
    for section in ("fleets", "workloads", "jobs"):
        for name in list(plan.get(section, {})):
            fewer = copy.deepcopy(plan)
            del fewer[section][name]
            try:
                if still(fewer):
                    plan = fewer
            except InputError:
                continue
    return plan


def main(arguments: Sequence[str] | None = None) -> None:
    """Run random systems, and print the findings."""
    parser = argparse.ArgumentParser(description="random small systems and their invariants")
    parser.add_argument("--count", type=int, default=100, help="systems (100)")
    parser.add_argument("--seed", type=int, default=0, help="what they are drawn from (0)")
    asked = parser.parse_args(arguments)
    reported, examples = Counter[str](), dict[str, Plan]()
    for number in range(asked.count):
        plan = system(asked.seed, number)
        for what, example in findings(plan):
            reported[what] += 1
            if what not in examples:
                examples[what] = example
    print(f"{asked.count} systems of seed {asked.seed}")
    for what, count in sorted(reported.items()):
        print(f"{count:6d}  {what}")
    for what, example in sorted(examples.items()):
        if not what.startswith("ran"):
            print(f"\n{what}:\n{json.dumps({k: v for k, v in example.items() if k not in {'hosts', 'data'}})}")


def findings(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Findings of a system: that it ran, was refused, what it breaks, which jobs finish earlier under load."""
    try:
        wrong, base = broken(plan), run(plan).result
    except InputError as error:
        yield f"refused: {error.problems[0].message}", plan
        return
    yield "ran", plan
    for what in wrong:
        yield f"broken: {what}", cut_down(plan, lambda fewer, what=what: what in broken(fewer))
    for kind, more in loads(plan):
        try:
            after = run(more).result
        except InputError:
            continue
        yield "ran under more load", plan
        methods = {method for _, method, _ in sooner(base, after)}
        for method in sorted(methods):
            fewer = cut_down(plan, lambda fewer, kind=kind, method=method: _gains(fewer, kind, method))
            yield f"sooner with {kind}: {method}, {_beside(fewer)}", fewer


def _gains(plan: Plan, kind: str, method: str) -> bool:
    """Whether a job of a method finishes earlier with more load of a kind."""
    more = dict(loads(plan))[kind]
    return any(found == method for _, found, _ in sooner(run(plan).result, run(more).result))


def _beside(plan: Plan) -> str:
    """What else is at work in a system: other jobs, whose order may change with any load, or users, or nothing."""
    first = [job for job in plan["jobs"].values() if "after" not in job]
    if len(first) > 1 or plan.get("fleets"):
        return "beside other jobs"
    return "beside users" if plan.get("workloads") else "alone"


if __name__ == "__main__":
    main()
