"""Nights of a site: which levels run for which policies, and what else happens in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
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
"""The level that clients send for a level, if that is another one."""


SYNTHETIC, MERGE = "synthetic-full", "merge"
LOGS = "logs"
"""Suffix of the names of jobs that back up transaction logs."""


class MadeAtTarget(NamedTuple):
    """A synthetic full backup or a merge, which a target makes by itself."""

    what: str
    """`SYNTHETIC` or `MERGE`."""
    copy: str
    """The copy from which it is made; empty for the backups."""
    age: float
    """Seconds over which data have changed since."""

    @property
    def name(self) -> str:
        """Suffix of the name of its job, after that of the backup."""
        return "-".join(filter(None, (self.copy, self.what)))


class LevelRun(NamedTuple):
    """A run of a level for all systems of a policy."""

    policy: str
    """The policy."""
    level: Level
    """The level."""
    age: float
    """Seconds since its base was made."""
    copies: tuple[str, ...] = ()
    """Copies that follow."""
    later: int = 0
    """Days after the first of several nights that are simulated together."""
    made: tuple[MadeAtTarget, ...] = ()
    """What targets then make by themselves."""
    before: tuple[tuple[str, float], ...] = ()
    """Seconds since the previous save set on targets that deduplicate, by copy (empty for the backups); none before the
    first.
    """

    @property
    def sent(self) -> Level:
        """The level that clients send."""
        return SENT_AS.get(self.level, self.level) if self.age > 0.0 else Level.FULL


Work = tuple[tuple[LevelRun, ...], tuple[str, ...], tuple[float | None, ...], int | None, tuple[NightFailure, ...]]
"""What a night's outcome depends on: runs, amounts, seconds until windows close, the weekday, and what fails."""


@dataclass(frozen=True)
class NightKind:
    """What runs in nights that are simulated together, how many new cartridges of each target begin, what fails."""

    runs: tuple[LevelRun, ...]
    new: tuple[tuple[str, int], ...] = ()
    failures: tuple[NightFailure, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return NightKind, (self.runs, self.new, self.failures)  # another process hashes names otherwise

    @cached_property
    def _hash(self) -> int:
        """Found once: hundreds of policies have a run each."""
        return hash((self.runs, self.new, self.failures))


@dataclass(frozen=True, slots=True)
class Night:
    """A night of a site, and those after it into which its jobs continue."""

    day: date
    """The date on which the first night begins."""
    runs: tuple[LevelRun, ...]
    """What runs."""
    factors: Mapping[str, float] = field(default_factory=dict[str, float])
    """Size of each system divided by that at the start, by backup."""
    used: Mapping[str, float] = field(default_factory=dict[str, float])
    """Bytes on each target before the night."""
    moved: Mapping[str, float] = field(default_factory=dict[str, float])
    """Bytes that targets read and write for what they make by themselves, by job."""
    logs: Mapping[str, float] = field(default_factory=dict[str, float])
    """Bytes of each backup of transaction logs, by job."""
    new: Mapping[str, int] = field(default_factory=dict[str, int])
    """Cartridges that are loaded for the first time, by target; without an entry, those that the site states."""
    points: Mapping[str, int] = field(default_factory=dict[str, int])
    """Number of restore points of each policy before the night."""
    failures: tuple[NightFailure, ...] = ()
    """The parts that fail."""

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
    """Everything that the outcome of a night depends on, with amounts to nine digits; equal work has equal outcomes."""
    amounts = (
        f"{name} {amount:.9g}"
        for each in (night.factors, night.used, night.moved, night.logs, night.new, night.points)
        for name, amount in each.items()
    )
    rooms = (room_of(file, run, night.day) for run in night.runs)
    weekday = night.day.weekday() if has_weekdays(file) else None
    return night.runs, tuple(amounts), tuple(rooms), weekday, night.failures


def has_weekdays(file: SiteFile) -> bool:
    """Whether copies have deadlines on weekdays."""
    copies = (copy for policy in file.spec.policies.values() for copy in policy.copies.values())
    return any(copy.by is not None and deadline(copy.by).weekday is not None for copy in copies)


def night_suffix(later: int) -> str:
    """Suffix of the names of jobs of a night: empty for the first night, `-night2` for the one after it."""
    return f"-night{later + 1}" if later else ""


def job_of(system: str, later: int = 0, copy: str = "") -> str:
    """The job that saves a system in a night, the first or one after it, or makes a copy of what it saved."""
    return f"{system}{night_suffix(later)}" + (f"-{copy}" if copy else "")


def begin(text: str) -> float:
    """Seconds from midnight of the day on which a night begins until a time of day in it; nights begin at noon.

    >>> begin("20:00"), begin("02:30")
    (72000.0, 95400.0)
    """
    at = clock(text)
    seconds = timedelta(hours=at.hour, minutes=at.minute, seconds=at.second).total_seconds()
    return seconds if seconds >= NOON else seconds + DAY


def room_of(file: SiteFile, run: LevelRun, day: date) -> float | None:
    """Seconds from the start of the backups of a run until their window closes; None without a window.

    `day` is that on which the night begins, or the first of several nights that are simulated together.
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
