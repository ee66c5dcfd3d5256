"""Why a night or a restore takes as long as it does: what is late or last, with its bottleneck."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from simbackup.errors import InputError, Place, Problem, ResultError, choices
from simbackup.experiments.what_if import Reasons, reasons
from simbackup.planning.night import DAY, LOGS, begin, job_of
from simbackup.planning.origins import Origins
from simbackup.planning.plan import Plan
from simbackup.planning.playing import GOOD, Player, outcomes
from simbackup.planning.policy import PolicySpec
from simbackup.planning.recovery import Restored, RestorePhase, RestoreReasons
from simbackup.planning.scenarios import logs_jobs, logs_of
from simbackup.planning.site import PlannedSite
from simbackup.planning.windows import Verdict, tightness, verdicts_of
from simbackup.policies.calendar import evening
from simbackup.results.causes import Cause, spent, split
from simbackup.results.result import Result
from simbackup.trace.activity import Activity, queue_of

Waited = tuple[tuple[str, float], ...]
"""What a copy waits for before it begins, and the seconds."""
BACKUP, AT = "the backup", "its time of day"


class NightJob(NamedTuple):
    """A backup or copy of a night."""

    job: str
    """The name of the system, with that of the copy."""
    elapsed: float
    """Seconds since the backups began."""
    window: float | None
    """Its window in seconds; None without one."""
    verdict: str
    """`late`, `fails`, or empty if it ends in time."""
    bottleneck: str | None
    """What took most of its time: a part that could be faster, or a wait; None without either."""
    share: float
    """Share (0 to 1) of the time of the job itself that the bottleneck took."""
    waited: Waited = ()
    """Waits of a copy before it began: for its backup, and for its time of day."""


@dataclass(frozen=True, slots=True)
class NightReasons:
    """Why a night takes as long as it does."""

    night: date
    """The day on which it begins."""
    jobs: tuple[NightJob, ...]
    """Late backups and copies, or those asked for; if none is late, the one that uses most of its window."""
    late: int
    """Number of backups and copies that are late or fail."""
    count: int
    """Number of all backups and copies."""
    found: tuple[Reasons, ...]
    """The explanation of the latest job with each bottleneck, or of each job that was asked for."""

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "night": self.night, "late": self.late, "count": self.count,
            "backups": [one._asdict() for one in self.jobs], "jobs": [one.as_dict() for one in self.found],
        }  # fmt: skip


def night_reasons(plan: Plan, night: date | None = None, jobs: Sequence[str] = ()) -> NightReasons:
    """Why a night of a plan takes as long as it does, with runs in which bottlenecks are twice as fast, or removed.

    Parameters
    ----------
    plan
        The plan.
    night
        The day on which the night begins; by default that of the backup which uses most of its window.
    jobs
        Backups, by the names of their systems, and copies, as `SYSTEM-COPY`; by default those that are late.

    Raises
    ------
    InputError
        Nothing is backed up in that night.
    ResultError
        There is no such backup, or no night decides.
    """
    deciding = plan.windows.tightest
    if night is None and deciding is None:
        remedy = "name a --night, or a later day with --until"
        raise ResultError(f"until {plan.until}, only first backups run, and those are not judged; {remedy}")
    day = night or (deciding.night if deciding is not None else plan.until)
    due = [time for each in plan.days if each.day == day for _, time in each.runs]
    if night is None and deciding is not None:
        due = [deciding.due]
    if not due:
        days = [str(each.day) for each in plan.days if each.runs]
        raise InputError(
            [Problem(Place("--night"), "", f"nothing is backed up in the night of {day}", choices(str(day), days))]
        )
    evening_of = evening(max(due))
    kind, i, later = plan.nights.found(evening_of)
    night_there = plan.nights.night(kind, i)
    result = Player(plan.site).result(night_there)
    found = outcomes(plan.site, night_there, result)
    if result.unfinished:
        never = next((job, one.reason) for job, one in found.items() if job in result.unfinished)
        raise ResultError(f"in the night of {day}, '{never[0]}' {never[1]}")
    today = next(each for each in plan.nights.days if each.day == evening_of)
    verdicts = {_name(one): one for one in verdicts_of(plan.site, today, later, found, plan.nights.firsts)}
    for job in jobs:
        if job not in verdicts:
            raise ResultError(f"there is no backup '{job}' in the night of {day}; {choices(job, verdicts)}")
    late = [one for one in verdicts.values() if not one.met]
    chosen = [verdicts[job] for job in jobs] or late or [max(verdicts.values(), key=tightness)]
    chosen.sort(key=tightness, reverse=True)
    policies, start = plan.site.file.spec.policies, later * DAY
    runs = {_name(one): _run(result, one, policies[one.policy], later) for one in chosen}
    first = {one.name: one for one in reasons(result, None, list(runs.values()))}
    origins = Origins(plan.site.file, {})
    rows = [
        _row(one, first[run], origins)._replace(
            waited=_before(result, run, one, start + begin(policies[one.policy].at))
        )
        for one, run in zip(chosen, runs.values(), strict=True)
    ]
    alike = {row.bottleneck: row.job for row in reversed(rows)}  # the latest with each bottleneck comes last, and stays
    shown = [row.job for row in rows if jobs or alike[row.bottleneck] == row.job]
    told = {one.name: one for one in reasons(result, result.scenario, [runs[name] for name in shown])}
    explained = tuple(replace(origins.explained(told[runs[name]]), name=name) for name in shown)
    return NightReasons(day, tuple(rows), len(late), len(verdicts), explained)


def _name(one: Verdict) -> str:
    return f"{one.system}-{one.copy}" if one.copy else one.system


def _before(result: Result, run: str, one: Verdict, due: float) -> Waited:
    """What a copy waited for before it began, and for how many seconds: its backup first, and then its time of day."""
    if one.copy in {"", LOGS}:
        return ()
    begun, after = result.row_of[run]["start"], result.scenario.spec.jobs[run].after
    saved = max(result.row_of[name]["end"] for name in after)
    return tuple((what, each) for what, each in ((BACKUP, saved - due), (AT, begun - saved)) if each > 0.0)


def _run(result: Result, one: Verdict, policy: PolicySpec, later: int) -> str:
    """The job of the scenario; of backups of logs the longest."""
    if one.copy != LOGS:
        return job_of(one.system, later, one.copy)
    names = {*logs_jobs(policy, one.system, later).values()}
    rows = [row for row in result.job_rows if logs_of(row["job"]) in names]
    return str(max(rows, key=lambda row: row["end"] - row["due"])["job"])


def _row(one: Verdict, why: Reasons, origins: Origins) -> NightJob:
    verdict = "" if one.met else "late" if why.status in GOOD else "fails"
    bottleneck, seconds = why.bottleneck and origins.called(why.bottleneck), why.share
    if why.wait is not None:
        bottleneck = f"{why.wait.activity} on {origins.called(why.wait.address)}"
        bottleneck = one.cause if one.cause.startswith(bottleneck) else bottleneck  # with what is behind a queue
        seconds = why.causes[why.wait]
    share = seconds / why.elapsed if why.elapsed else 0.0
    return NightJob(_name(one), one.elapsed, one.window, verdict, bottleneck, share)


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
    """The cause for the time in which a database applies its logs after they have been read."""
    policy = next(client.policy for client in site.systems if client.name == one.system)
    return Cause(f"policies.{site.file.written(policy)}.logs.replay", Activity.REPLAY)


def _with_replay(one: Reasons, cause: Cause, seconds: float) -> Reasons:
    """An explanation that includes the replay of logs after the simulated restore, which no faster part shortens."""
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
