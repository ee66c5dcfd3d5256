"""Nights of a plan: each kind is simulated at chosen dates, and interpolated between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

from simbackup.planning.ledger import Day
from simbackup.planning.scenarios import LevelRun, Night, begin, night_scenario
from simbackup.planning.site import PlannedSite
from simbackup.policies.clock import elapsed
from simbackup.run import simulate
from simbackup.scenario import load

DAY = 86_400.0
GOOD = frozenset({"done", "late"})
MOST_OF_A_POOL = 0.999
"""Share of a pool that older save sets and those of the night may fill together in a simulation."""


FIRST = "first full"
"""The level of the first backup of a system, as plans report it."""


class Outcome(NamedTuple):
    """How a backup or copy went: seconds from the midnight before until it was due, and until it ended; bytes.

    A reason is what made it fail; a cause is the address on which it spent most of its time, and for what.
    """

    due: float
    end: float
    bytes: float
    reason: str = ""
    cause: str = ""


class Verdict(NamedTuple):
    """Whether a system met its window in a night, with when it ended and what it waited for most."""

    night: date
    system: str
    policy: str
    level: str
    copy: str
    due: datetime
    elapsed: float
    bytes: float
    window: float | None
    met: bool
    cause: str

    @property
    def counts(self) -> bool:
        """Whether it counts: the first backup of a system, of everything at once, is one that nobody repeats."""
        return self.level != FIRST


Kind = tuple[LevelRun, ...]
Play = Callable[[Night], dict[str, Outcome]]
"""Simulates a night: the outcome of each job."""


def kind_of(day: Day) -> Kind:
    """What runs in a night, with ages in whole days: an hour more or less through daylight saving changes no kind."""
    return tuple(sorted(run._replace(age=round(run.age / DAY) * DAY) for run, _ in day.runs))


@dataclass
class Nights:
    """The nights of a site, simulated when they are needed."""

    site: PlannedSite
    days: Sequence[Day]
    play: Play
    kinds: dict[Kind, list[int]] = field(default_factory=dict[Kind, list[int]])
    played: dict[Kind, dict[int, dict[str, Outcome]]] = field(default_factory=dict[Kind, dict[int, dict[str, Outcome]]])
    error: float = 0.0
    """The greatest error of an interpolated elapsed time that was found, as a share of the simulated one."""
    firsts: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        for i, day in enumerate(self.days):
            for run, _ in day.runs:
                self.firsts.setdefault(run.policy, i)
            if day.runs:
                self.kinds.setdefault(kind_of(day), []).append(i)

    @property
    def simulated(self) -> int:
        """Nights that were simulated."""
        return sum(len(samples) for samples in self.played.values())

    def sample(self) -> None:
        """Simulate each kind at its first night, its last, and one between; then look for the first missed window."""
        for kind, at in self.kinds.items():
            self._played(kind, at[0])
            if at[-1] != at[0]:
                self._played(kind, at[-1])
            between = at[len(at) // 2]
            if between not in self.played[kind]:
                guessed = self._between(kind, between)
                self.error = max(self.error, _difference(self._played(kind, between), guessed))
            self._bisect(kind, at)

    def verdicts(self) -> Iterator[Verdict]:
        """The verdict on each backup and copy of each night, in order."""
        for kind, i in sorted(((kind, i) for kind, at in self.kinds.items() for i in at), key=lambda each: each[1]):
            yield from self._verdicts(kind, i)

    def _verdicts(self, kind: Kind, i: int) -> Iterator[Verdict]:
        day, outcomes = self.days[i], self._between(kind, i)
        for run, time in day.runs:
            level = FIRST if self.firsts[run.policy] == i else run.level.value
            policy = self.site.file.spec.policies[run.policy]
            opening = self.site.opening(run.policy, day.day)
            room = None if opening is None else elapsed(time, opening.closes)
            for system in self.site.of_policy(run.policy):
                yield _verdict((day.day, system.name, run.policy, level, ""), time, outcomes[system.name], room)
                for name in run.copies:
                    done = outcomes[f"{system.name}-{name}"]
                    by = policy.copies[name].by
                    left = None if by is None else _after(by, policy.at)
                    yield _verdict((day.day, system.name, run.policy, level, name), time, done, left)

    def _missed(self, kind: Kind, i: int) -> bool:
        return any(not verdict.met and verdict.counts for verdict in self._verdicts(kind, i))

    def _bisect(self, kind: Kind, at: Sequence[int]) -> None:
        """Simulate nights around the first one that misses a window, until it and the one before are simulated."""
        samples = sorted(self.played[kind])
        first = next((i for i in samples if self._missed(kind, i)), None)
        if first is None or first == samples[0]:
            return
        low, high = at.index(samples[samples.index(first) - 1]), at.index(first)
        while high - low > 1:
            middle = (low + high) // 2
            self._played(kind, at[middle])
            low, high = (low, middle) if self._missed(kind, at[middle]) else (middle, high)

    def _played(self, kind: Kind, i: int) -> dict[str, Outcome]:
        """The outcome of a night, simulated."""
        samples = self.played.setdefault(kind, {})
        if i not in samples:
            samples[i] = self.play(self.night(kind, i))
        return samples[i]

    def night(self, kind: Kind, i: int) -> Night:
        """The night of a kind on a date: sizes have grown, and targets hold what the ledger has."""
        day = self.days[i]
        factors = {
            system.name: system.size_at(self.site.seconds(time)) / system.size
            for run, time in day.runs
            for system in self.site.of_policy(run.policy)
        }
        before = self.days[i - 1].stocks if i else {}
        used = {name: _older(self.site, name, stock.used, factors) for name, stock in before.items()}
        return Night(day.day, kind, factors, used)

    def _size(self, i: int) -> float:
        """Bytes of all systems in a night."""
        seconds = self.site.seconds(self.days[i].runs[0][1])
        return sum(system.size_at(seconds) for system in self.site.systems)

    def _between(self, kind: Kind, i: int) -> dict[str, Outcome]:
        """The outcome of a night: as simulated, or on the line over all bytes between simulated nights around it."""
        samples = self.played[kind]
        if i in samples:
            return samples[i]
        known = sorted(samples)
        after = bisect_left(known, i)
        if after in {0, len(known)}:
            return samples[known[min(after, len(known) - 1)]]
        low, high = known[after - 1], known[after]
        sizes = [self._size(at) for at in (low, i, high)]
        share = (sizes[1] - sizes[0]) / (sizes[2] - sizes[0]) if sizes[2] > sizes[0] else (i - low) / (high - low)
        return {name: _mixed(one, samples[high][name], share) for name, one in samples[low].items()}


def _older(site: PlannedSite, name: str, used: float, factors: Mapping[str, float]) -> float:
    """Bytes of older save sets on a pool, as many as leave room for everything to be saved once more."""
    target = site.targets[name]
    if target.tape or target.capacity == float("inf"):
        return 0.0
    coming = sum(2.0 * system.size * factors.get(system.name, 1.0) for system in site.systems)
    return max(min(used, MOST_OF_A_POOL * target.capacity - coming), 0.0)


def _mixed(one: Outcome, other: Outcome, share: float) -> Outcome:
    nearer = one if share < 0.5 else other  # noqa: PLR2004 (the middle)
    return nearer._replace(
        end=one.end + share * (other.end - one.end), bytes=one.bytes + share * (other.bytes - one.bytes)
    )


def _difference(found: Mapping[str, Outcome], guessed: Mapping[str, Outcome]) -> float:
    """The greatest error of guessed elapsed times, as a share of the longest one that was found."""
    longest = max((one.end - one.due for one in found.values()), default=0.0)
    return max((abs(one.end - guessed[name].end) for name, one in found.items()), default=0.0) / max(longest, 1.0)


def _after(by: str, at: str) -> float:
    """Seconds from when backups begin until a time of day after that."""
    return (begin(by) - begin(at)) % DAY or DAY


def _verdict(what: tuple[date, str, str, str, str], time: datetime, outcome: Outcome, room: float | None) -> Verdict:
    night, system, policy, level, copy = what
    took = outcome.end - outcome.due
    met = not outcome.reason and (room is None or took <= room)
    return Verdict(
        night, system, policy, level, copy, time, took, outcome.bytes, room, met,
        outcome.reason or outcome.cause,
    )  # fmt: skip


def played(site: PlannedSite, night: Night) -> dict[str, Outcome]:
    """The outcome of a night by the simulator: backups by the names of systems, copies as `SYSTEM-COPY`."""
    result = simulate(load(night_scenario(site.file, night)))
    due = {name: begin(site.file.spec.policies[system.policy].at) for name, system in site.file.spec.systems.items()}
    found: dict[str, Outcome] = {}
    for row in result.job_rows:
        name = str(row["job"])
        since = due.get(name)
        if since is None:
            since = due[max((system for system in due if name.startswith(f"{system}-")), key=len)]
        causes = result.causes(name)
        cause = " on ".join(reversed(next(iter(causes)))) if causes else ""
        reason = "" if row["status"] in GOOD else str(row["reason"])
        found[name] = Outcome(since, float(row["end"]), float(row["bytes"]), reason, cause)
    return found
