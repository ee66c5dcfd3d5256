"""Nights of a site: which levels run for which policies, and what else happens in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from simbackup.planning.failure import NightFailure
from simbackup.planning.loading import SiteFile
from simbackup.planning.policy import PolicySpec, SecondCopySpec
from simbackup.policies.clock import clock, deadline, elapsed
from simbackup.policies.days import named
from simbackup.policies.levels import Level

NOON = 12 * 3600.0
DAY = 86_400.0
SENT_AS = {Level.SYNTHETIC: Level.INCREMENTAL}
"""What a client sends for a level, where that is another one."""


SYNTHETIC, MERGE = "synthetic-full", "merge"
LOGS = "logs"
"""What follows the name of a backup in that of those of its transaction logs."""


class MadeAtTarget(NamedTuple):
    """`SYNTHETIC` full backup or `MERGE`, of the backups or of a copy, and seconds over which data have changed."""

    what: str
    copy: str
    age: float

    @property
    def name(self) -> str:
        """What follows the name of the backup in that of the job."""
        return "-".join(filter(None, (self.copy, self.what)))


class LevelRun(NamedTuple):
    """A level that runs for all systems of a policy, seconds since its base was made, and the copies that follow.

    `later` are days after the first of several nights that are simulated together. `made` is what targets then
    make by themselves. `before` are seconds since the previous save set on targets that deduplicate, by copy, with an
    empty name for the backups; none where there was no save set before.
    """

    policy: str
    level: Level
    age: float
    copies: tuple[str, ...] = ()
    later: int = 0
    made: tuple[MadeAtTarget, ...] = ()
    before: tuple[tuple[str, float], ...] = ()

    @property
    def sent(self) -> Level:
        """What the clients send."""
        return SENT_AS.get(self.level, self.level) if self.age > 0.0 else Level.FULL


Work = tuple[tuple[LevelRun, ...], tuple[str, ...], tuple[float | None, ...], int | None, tuple[NightFailure, ...]]
"""What runs in a night, with how much, how long until windows close, the weekday, and what fails."""


@dataclass(frozen=True, slots=True)
class Night:
    """A night, and those after it into which its jobs run on.

    What runs, and bytes that lie on each target before. `factors` are how much larger systems are than at the start, by
    the backups of the nights, and `logs` the bytes of each backup of their transaction logs. `moved` are those that
    targets read and write for what they make by themselves, by job. `new` are the cartridges that are loaded for the
    first time, by target; those that the site states unless given. `points` are the restore points of each policy
    before. `failures` are the parts that fail.
    """

    day: date
    runs: tuple[LevelRun, ...]
    factors: Mapping[str, float] = field(default_factory=dict[str, float])
    used: Mapping[str, float] = field(default_factory=dict[str, float])
    moved: Mapping[str, float] = field(default_factory=dict[str, float])
    logs: Mapping[str, float] = field(default_factory=dict[str, float])
    new: Mapping[str, int] = field(default_factory=dict[str, int])
    points: Mapping[str, int] = field(default_factory=dict[str, int])
    failures: tuple[NightFailure, ...] = ()

    @classmethod
    def first(cls, file: SiteFile) -> Night:
        """The first night, in which everything is saved for the first time and copied everywhere."""
        runs = (LevelRun(name, Level.FULL, 0.0, tuple(policy.copies)) for name, policy in file.spec.policies.items())
        return cls(file.spec.start, tuple(runs))

    @classmethod
    def later(cls, file: SiteFile) -> Night:
        """Nights in which each policy runs its other levels, a day after what they are based on.

        A full backup is another one where the target deduplicates and has one already.
        """
        runs: list[LevelRun] = []
        for name, policy in file.spec.policies.items():
            before = (("", DAY),) if file.spec.targets[policy.target].deduplication is not None else ()
            levels = (level for level, _ in policy.levels() if before or level is not Level.FULL)
            runs += [
                LevelRun(name, level, 0.0 if level is Level.FULL else DAY, later=i, before=before)
                for i, level in enumerate(levels)
            ]
        return cls(file.spec.start + timedelta(days=1), tuple(runs))


def work_of(file: SiteFile, night: Night) -> Work:
    """All on which the outcome of a night depends, amounts to nine digits; nights of equal work go alike."""
    amounts = (
        f"{name} {amount:.9g}"
        for each in (night.factors, night.used, night.moved, night.logs, night.new, night.points)
        for name, amount in each.items()
    )
    rooms = (room_of(file, run, night.day) for run in night.runs)
    weekday = night.day.weekday() if has_weekdays(file) else None
    return night.runs, tuple(amounts), tuple(rooms), weekday, night.failures


def has_weekdays(file: SiteFile) -> bool:
    """Whether copies should have ended at times of weekdays."""
    copies = (copy for policy in file.spec.policies.values() for copy in policy.copies.values())
    return any(copy.by is not None and deadline(copy.by).weekday is not None for copy in copies)


def night_suffix(later: int) -> str:
    """What follows the name of a system in the names of its jobs of a night, the first or one after it."""
    return f"-night{later + 1}" if later else ""


def begin(text: str) -> float:
    """Seconds from midnight of the day on which a night begins until a time of day in it; nights begin at noon.

    >>> begin("20:00"), begin("02:30")
    (72000.0, 95400.0)
    """
    at = clock(text)
    seconds = timedelta(hours=at.hour, minutes=at.minute, seconds=at.second).total_seconds()
    return seconds if seconds >= NOON else seconds + DAY


def room_of(file: SiteFile, run: LevelRun, day: date) -> float | None:
    """Seconds from when the backups of a run begin until their window closes, None without a window.

    The night begins on a day, or the first of several nights that are simulated together.
    """
    policy = file.spec.policies[run.policy]
    due = datetime.combine(day, time(), UTC) + timedelta(days=run.later, seconds=begin(policy.at))
    opening = policy.opening_at(due, file.spec.start)
    return None if opening is None else elapsed(due, opening.closes)


def copied(policy: PolicySpec, level: Level, day: date, since: date) -> tuple[str, ...]:
    """The copies that are made of a save set of a level and of a date, in a plan that begins on another day."""

    def due(copy: SecondCopySpec) -> bool:
        return (copy.which == "all" or level.whole) and named(copy.on, day, since)

    return tuple(name for name, copy in policy.copies.items() if due(copy))
