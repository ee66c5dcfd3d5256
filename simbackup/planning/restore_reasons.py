"""Why a restore takes as long as it does: the phases of all systems, and what holds up the last one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from simbackup.experiments.what_if import Reasons, reasons
from simbackup.planning.origins import Origins
from simbackup.planning.recovery import Restored, RestorePhase, RestoreReasons
from simbackup.planning.site import PlannedSite
from simbackup.results.causes import Cause, spent, split
from simbackup.results.result import Result
from simbackup.trace.activity import Activity, queue_of


def restore_reasons(site: PlannedSite, result: Result, systems: Collection[Restored]) -> RestoreReasons:
    """The phases of a restore, and why the system that is back last is back so late, with and without its bottleneck.

    Parameters
    ----------
    site
        The site.
    result
        The simulated restore.
    systems
        The systems that come back in it.
    """
    origins = Origins(site.file, {})
    all_of = spent(_phases(site, result, systems, origins))
    whole = sum(all_of.values())
    phases = tuple(
        RestorePhase(cause.activity, cause.address, seconds, seconds / whole)
        for cause, seconds in sorted(all_of.items(), key=lambda one: (-one[1], one[0]))
    )
    latest = max(systems, key=lambda one: one.back)
    jobs = (name for name in (f"back-{latest.system}", f"logs-{latest.system}") if name in result.row_of)
    job = max(jobs, key=lambda name: float(result.row_of[name]["elapsed"]))
    (last,) = reasons(result, result.scenario, [job])
    last = _with_replay(origins.explained(last), _replay(site, latest), latest.applies)
    return RestoreReasons(phases, replace(last, name=latest.system))


def _replay(site: PlannedSite, one: Restored) -> Cause:
    """Where a database applies its logs after they have been read, which the site declares."""
    policy = next(client.policy for client in site.systems if client.name == one.system)
    return Cause(f"policies.{site.file.written(policy)}.logs.replay", Activity.REPLAY)


def _with_replay(one: Reasons, cause: Cause, seconds: float) -> Reasons:
    """An explanation with the time that follows the simulation, which no faster part shortens."""
    if not seconds:
        return one
    causes = dict(sorted({**one.causes, cause: seconds}.items(), key=lambda each: (-each[1], each[0])))
    doubled, without = (each and each + seconds for each in (one.doubled, one.without))
    wait = cause if seconds > one.share else one.wait
    return replace(one, elapsed=one.elapsed + seconds, causes=causes, doubled=doubled, without=without, wait=wait)


def _phases(
    site: PlannedSite, result: Result, systems: Collection[Restored], origins: Origins
) -> Iterator[tuple[Cause, float]]:
    """What each system spends its time on; the drives of a library are one part, and so are those of all systems."""
    names = {client.name for client in site.systems}

    def part(address: str) -> str:
        steps = origins.called(address).split(".")
        return ".".join(step for step in steps if not step.isdigit() and step not in names)

    for one in systems:
        for job in (f"back-{one.system}", f"logs-{one.system}"):
            causes = split(result, job) if job in result.row_of else {}
            for cause, seconds in causes.items():
                if not queue_of(cause.activity):
                    yield Cause(part(cause.address), cause.activity), seconds
        if one.applies:
            yield _replay(site, one), one.applies
