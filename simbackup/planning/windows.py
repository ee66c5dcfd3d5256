"""Whether backups and copies ended in their windows: each of them, and what they come to by system and level."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple

from simbackup.planning.ledger import Day
from simbackup.planning.night import DAY, LOGS, LevelRun, job_of
from simbackup.planning.playing import Outcome
from simbackup.planning.policy import PolicySpec, SecondCopySpec
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import PlannedSite
from simbackup.policies.clock import deadline, elapsed

NUMBERED = re.compile(r"(.*?)(\d+)")
FEW = 2
"""Systems that are all named."""


def called(names: Sequence[str], kind: str = "systems") -> str:
    """Some systems in few words: the first and the last of those that are numbered without a gap.

    >>> called(("sql01",)), called(("vm01", "vm02")), called(("vm09", "vm10", "vm11"))
    ('sql01', 'vm01 and vm02', 'vm09 to vm11 (3 systems)')
    >>> called(("vm01", "vm02", "vm04")), called(("mail", "vm01", "web"))
    ('vm01 and 2 more', 'mail and 2 more')
    """
    first, *others = names or ("",)
    if len(names) > FEW and (ends := _row(names)) is not None:
        return f"{ends[0]} to {ends[1]} ({len(names)} {kind})"
    rest = others if len(others) == 1 else [f"{len(others)} more"] * bool(others)
    return " and ".join([first, *rest])


def _row(systems: Sequence[str]) -> tuple[str, str] | None:
    """The first and the last of some systems whose names count up by one, whatever their order; None otherwise."""
    found = [NUMBERED.fullmatch(system) for system in systems]
    parts = [(each[1], int(each[2])) for each in found if each is not None]
    if len(parts) < len(systems) or len({name for name, _ in parts}) > 1:
        return None
    numbers = {number: system for (_, number), system in zip(parts, systems, strict=True)}
    low, high = min(numbers), max(numbers)
    return (numbers[low], numbers[high]) if high - low + 1 == len(numbers) == len(systems) else None


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


LevelKey = tuple[str, str, str]
"""A policy, or all parts of one that was divided; a level; and a copy or nothing."""


class Counted(NamedTuple):
    """The windows of a system or of a level; a night counts once, whether its backup, a copy or both are late."""

    nights: int = 0
    """Number of nights."""
    missed: int = 0
    """Nights that miss a window."""
    first_missed: date | None = None
    """The first of these; None without one."""
    cause: str = ""
    """Its cause."""
    longest: float = 0.0
    """Seconds of the longest backup."""


@dataclass(slots=True)
class _Nights:
    """Nights of a system or of a level, counted one after the other, each once."""

    nights: int = 0
    missed: int = 0
    longest: float = 0.0
    first: Verdict | None = None
    last: date | None = None
    last_missed: date | None = None

    def miss(self, one: Verdict) -> None:
        """Count that a night misses a window, if none of its verdicts did before."""
        if one.night != self.last_missed:
            self.first = self.first or one
            self.missed += 1
            self.last_missed = one.night

    @property
    def counted(self) -> Counted:
        """What they come to."""
        night, cause = (None, "") if self.first is None else (self.first.night, self.first.cause)
        return Counted(self.nights, self.missed, night, cause, self.longest)


@dataclass(slots=True)
class _RunCopy:
    """The backups of a run, or a copy of them: the longest, the first that misses its window, and their share of it."""

    longest: Verdict
    missed: Verdict | None = None
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a plan."""

    systems: dict[str, Counted]
    """By system."""
    levels: dict[LevelKey, Counted] = field(default_factory=dict[LevelKey, Counted])
    """By level."""
    tight: dict[LevelKey, dict[date, float]] = field(default_factory=dict[LevelKey, "dict[date, float]"])
    """Of each level the share of its window that each night takes; infinite where a job fails."""
    tightest: Verdict | None = None
    """The one that uses most of its window; without windows, the longest."""
    stated: bool = False
    """Whether anything has a window."""
    ends: dict[tuple[str, str, datetime], float] = field(default_factory=dict[tuple[str, str, datetime], float])
    """Seconds of the longest backup or copy of each run, by policy, copy and when it was due."""
    running_on: int = 0
    """Backups and copies that take more than a day, and so slow those of later nights."""
    first_missed: Verdict | None = None
    """The first window that was missed."""

    def missed_if(self, slower: Callable[[date], float]) -> dict[LevelKey, int]:
        """How many nights of each level with a window miss it if all of a night took so many times as long."""
        return {
            key: sum(share * slower(night) > 1.0 for night, share in each.items())
            for key, each in self.tight.items()
            if any(each.values())
        }

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], systems: Iterable[str], called: Callable[[str], str]) -> Windows:
        """What some verdicts come to; `called` is how a policy is called, those alike that are counted together.

        Those of a run follow each other.
        """
        by_system, runs = {system: _Nights() for system in systems}, list[dict[str, _RunCopy]]()
        due, policy, level = None, "", ""
        running_on, missed, run, counts = 0, None, dict[str, _RunCopy](), True
        for one in verdicts:
            if one.due is not due or one.policy != policy or one.level != level:
                due, policy, level, counts = one.due, one.policy, one.level, one.counts
                run = dict[str, _RunCopy]()
                runs.append(run)
            own, elapsed, copy, night = by_system[one.system], one.elapsed, one.copy, one.night
            there = run.get(copy)
            if there is None:
                there = run[copy] = _RunCopy(one)
            elif elapsed > there.longest.elapsed:
                there.longest = one
            if own.last != night:
                own.last = night
                own.nights += 1
            if counts and not copy and elapsed > own.longest:
                own.longest = elapsed
            if not one.met:
                there.missed, there.share = there.missed or one, max(there.share, share_of_window(one))
                if counts:
                    own.miss(one)
                    missed = missed or one
            running_on += elapsed > DAY
        found = {name: own.counted for name, own in by_system.items()}
        longest = ((copy, each.longest) for run in runs for copy, each in run.items())
        ends = {(one.policy, copy, one.due): one.elapsed for copy, one in longest}
        return cls(found, *_of_levels(runs, called), ends, running_on, missed)

    def late(self) -> list[tuple[tuple[str, ...], Counted]]:
        """The systems that miss a window, those alike together with the longest backup; the first to miss one first."""
        alike: dict[Counted, list[str]] = {}
        for system, one in self.systems.items():
            if one.missed:
                alike.setdefault(one._replace(longest=0.0), []).append(system)
        found = [
            (tuple(sorted(systems)), one._replace(longest=max(self.systems[each].longest for each in systems)))
            for one, systems in alike.items()
        ]
        return sorted(found, key=lambda each: (each[1].first_missed or date.max, each[0]))

    @property
    def missed(self) -> int:
        """Nights that miss a window, those of all systems together."""
        return sum(one.missed for one in self.systems.values())


def _of_levels(
    runs: Iterable[Mapping[str, _RunCopy]], called: Callable[[str], str]
) -> tuple[dict[LevelKey, Counted], dict[LevelKey, dict[date, float]], Verdict | None, bool]:
    """Levels, the share of its window that each night takes, what is tightest, and whether anything has a window."""
    levels, tight = dict[LevelKey, _Nights](), dict[LevelKey, dict[date, float]]()
    tightest, most, stated = None, (False, -math.inf), False
    for copy, each in (pair for run in runs for pair in run.items()):
        longest = each.longest
        key = called(longest.policy), longest.level, copy
        own, shares = levels.setdefault(key, _Nights()), tight.setdefault(key, {})
        own.nights, own.last = own.nights + (own.last != longest.night), longest.night
        own.longest = max(own.longest, longest.elapsed)
        shares[longest.night] = max(shares.get(longest.night, 0.0), each.share, share_of_window(longest))
        if each.missed is not None:
            own.miss(each.missed)
        stated |= longest.window is not None and copy != LOGS
        if longest.counts and (now := tightness(longest)) > most:
            tightest, most = longest, now
    return {key: one.counted for key, one in levels.items()}, tight, tightest, stated


def share_of_window(one: Verdict) -> float:
    """The share of its window that a backup or copy takes: 0 without a window, infinite if it fails."""
    if one.window is None:
        return 0.0 if one.met else math.inf
    if not one.met and one.elapsed <= one.window:
        return math.inf
    return one.elapsed / one.window if one.window else math.inf


def tightness(one: Verdict) -> tuple[bool, float]:
    """How much of its window a backup takes; without one, how long it is."""
    return (True, one.elapsed / one.window) if one.window else (False, one.elapsed)
