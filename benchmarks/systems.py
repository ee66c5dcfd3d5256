"""Random small systems: each runs, conserves bytes, exceeds no capacity, and explains all of the time of its jobs.

A system depends only on the seed and its number. One that breaks an invariant is reduced to the parts that it needs.
Each system is also run with more load, and with parts twice as fast. Jobs that then finish earlier, or later, are
counted by the reason (`speed_ups`); those without a reason are shown with their system.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.random_systems import Plan, faster, loads, system
from benchmarks.speed_ups import Side, reasons
from benchmarks.watch import Watch
from simbackup import load
from simbackup.build import build
from simbackup.devices.image import FrozenImage
from simbackup.devices.library import Library
from simbackup.devices.snapshot.live import Snapshot
from simbackup.devices.store import Store
from simbackup.engine.link import Link
from simbackup.errors import InputError
from simbackup.methods.job import start
from simbackup.results.causes import split
from simbackup.results.result import Result
from simbackup.run import ended
from simbackup.system import System

ROUNDING = 1e-6
"""Share by which sums of many numbers may differ."""
EXCESS = 1e-9
"""Share by which the uses of a link may be more than its capacity, in rounding."""
SOONER = 1e-3
"""Share of its time by which a job is faster, rather than rounded."""
EXPLAINED = 0.99
"""Share of a gain for which there has to be a reason."""
IN_PART = 0.9
"""Share of a gain from which on only a part of it lacks a reason."""
UNEXPLAINED = "unexplained"
MOST_STEPS = 200_000
"""Events after which a small system counts as endless."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a run: its result, its live system, and what went wrong."""

    result: Result | None
    system: System
    watch: Watch
    wrong: tuple[str, ...]


def run(plan: Plan) -> Ran:
    """The outcome of a system, observed at every event.

    Raises
    ------
    InputError
        The system is not one that may be run.
    """
    scenario = load(plan)
    live, jobs = build(scenario.spec, 0)
    finished, wrong, watch = start(live, jobs), dict[str, None](), Watch()
    for _ in range(MOST_STEPS):
        if finished.processed:
            break
        live.env.step()
        if live.env.peek() > live.env.now:  # all that happens now has happened
            wrong |= dict.fromkeys(exceeded(live))
            watch.note(live.network, live.env.peek())
    else:
        return Ran(None, live, watch, ("goes on for ever",))
    return Ran(ended(live, scenario, 0, None), live, watch, tuple(wrong))


def exceeded(live: System) -> Iterator[str]:
    """Links, volumes and libraries that hold or carry more than they can."""
    links: dict[Link, None] = dict.fromkeys(link for flow in live.network.flows for link in flow.links)
    for link in links:
        used = sum(link.demand(flow) * flow.rate for flow in link.flows)
        if used > link.capacity * (1.0 + EXCESS):
            yield f"{link.name} carries more than its capacity"
    for name, snapshot in live.of(FrozenImage).items():
        if isinstance(snapshot, Snapshot) and snapshot.used * snapshot.parameters.chunk > snapshot.area.size * (
            1.0 + ROUNDING
        ):
            yield f"devices.{name} holds more than its area"
    for name, used in live.taken.items():
        if used > live.of(Store)[name].size * (1.0 + ROUNDING):
            yield f"devices.{name} holds more than its size"
    for library in live.of(Library).values():
        for cartridge in library.cartridges:
            if cartridge.end > cartridge.capacity * (1.0 + ROUNDING):
                yield f"{cartridge.name} holds more than its capacity"


def broken(plan: Plan) -> list[str]:
    """The invariants that a system breaks, in words without figures."""
    return breaks(plan, run(plan))


def breaks(plan: Plan, ran: Ran) -> list[str]:
    """The invariants that a system broke in a run, in words without figures."""
    found, result = list(ran.wrong), ran.result
    if result is None:
        return found
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
        if what.startswith("broken") or UNEXPLAINED in what:
            print(f"\n{what}:\n{json.dumps({k: v for k, v in example.items() if k not in {'hosts', 'data'}})}")


def findings(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Findings of a system: whether it ran, what it breaks, why jobs gain by load or lose by a faster part."""
    try:
        base = run(plan)
    except InputError as error:
        yield f"refused: {error.problems[0].message}", plan
        return
    yield "ran", plan
    for what in breaks(plan, base):
        yield f"broken: {what}", cut_down(plan, lambda fewer, what=what: what in broken(fewer))
    for changes, told, up in ((loads, "sooner with {}", True), (faster, "later with {} twice as fast", False)):
        for kind, other in changes(plan):
            try:
                changed = run(other)
            except InputError as error:
                yield f"refused with {kind}: {error.problems[0].message}", other
                continue
            yield f"ran with {'more load' if up else 'a faster part'}", plan
            for what in changed.wrong:
                yield f"broken with {kind}: {what}", other
            for why in _gains(base, changed) if up else _gains(changed, base):
                yield f"{told.format(kind)}: {why}", other


def _gains(before: Ran, after: Ran) -> Iterator[str]:
    """For each job that takes less time in the second run why it does."""
    if before.result is None or after.result is None:
        return
    for job, method, _ in sooner(before.result, after.result):
        sides = Side.of(job, before.result, before.watch), Side.of(job, after.result, after.watch)
        why, explained = reasons(*sides)
        rest = "in part" if explained >= IN_PART else "in all"
        yield " and ".join(sorted(why)) if explained >= EXPLAINED else f"{UNEXPLAINED} {rest}, {method}"


if __name__ == "__main__":
    main()
