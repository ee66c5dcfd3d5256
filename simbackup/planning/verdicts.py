"""Whether backups and copies of a night ended in their windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple

from simbackup.planning.ledger import Day
from simbackup.planning.night import LOGS, LevelRun
from simbackup.planning.playing import Outcome, job_of
from simbackup.planning.policy import PolicySpec, SecondCopySpec
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import PlannedSite
from simbackup.policies.clock import deadline, elapsed

FIRST = "first full"
"""The level that plans report for the first backup of a system."""


class Verdict(NamedTuple):
    """Whether a backup or copy of a system met its window in a night."""

    night: date
    """The date."""
    system: str
    """The system."""
    policy: str
    """Its policy."""
    level: str
    """The level, in words."""
    copy: str
    """The copy; empty for the backup."""
    due: datetime
    """When the backup was due."""
    elapsed: float
    """Seconds from then until it ended."""
    bytes: float
    """Bytes that it moved."""
    window: float | None
    """Seconds until its window closes; None without a window."""
    met: bool
    """Whether it ended in its window."""
    cause: str
    """Why it failed, or else what took most of its time."""

    @property
    def counts(self) -> bool:
        """Whether it counts; the first full backup of a system does not, as nobody repeats it."""
        return self.level != FIRST


def verdicts_of(
    site: PlannedSite, day: Day, later: int, outcomes: Mapping[str, Outcome], firsts: Mapping[str, date]
) -> Iterator[Verdict]:
    """The verdicts on a night that is `later` days after the first of those that are simulated together.

    `firsts` is the day of the first backup by each policy.
    """
    for run, time in day.runs:
        level = FIRST if firsts[run.policy] == day.day else run.level.value
        policy = site.file.spec.policies[run.policy]
        opening = site.opening(run.policy, time)
        room = None if opening is None else elapsed(time, opening.closes)
        night, copies = time.date(), tuple(_copies(run, policy, time))
        for system in site.of_policy(run.policy):
            name = system.name
            yield _verdict((night, name, run.policy, level, ""), time, outcomes[job_of(name, later)], room)
            for copy, left in copies:
                outcome = outcomes[job_of(name, later, copy)]
                yield _verdict((night, name, run.policy, level, copy), time, outcome, left)
            logs = [outcomes[job] for job in logs_jobs(policy, name, later).values() if job in outcomes]
            if policy.logs is not None and logs:
                slowest, every = max(logs, key=lambda one: one.end - one.due), policy.logs.every.si
                yield _verdict((night, name, run.policy, level, LOGS), time, slowest, every)


def _copies(run: LevelRun, policy: PolicySpec, due: datetime) -> Iterator[tuple[str, float | None]]:
    """The copies of a run, and what targets make of it, with the seconds until their deadlines; None without one."""
    for name in (*run.copies, *dict.fromkeys(made.name for made in run.made)):
        yield name, _room(policy.copies[name], due) if name in run.copies else None


def _room(copy: SecondCopySpec, due: datetime) -> float | None:
    """Seconds from when a backup is due until the next deadline after its copy begins; None without a deadline."""
    if copy.by is None:
        return None
    begins = due if copy.at is None else deadline(copy.at).following(due - timedelta(microseconds=1))
    return elapsed(due, deadline(copy.by).following(begins))


def _verdict(what: tuple[date, str, str, str, str], time: datetime, outcome: Outcome, room: float | None) -> Verdict:
    night, system, policy, level, copy = what
    took = outcome.end - outcome.due
    met = not outcome.reason and (room is None or took <= room)
    return Verdict(
        night, system, policy, level, copy, time, took, outcome.bytes, room, met,
        outcome.reason or outcome.cause,
    )  # fmt: skip
