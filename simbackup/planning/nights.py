"""The nights of a plan: of which kinds they are, how each went, how far backups are behind, and what failures cost."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from typing import NamedTuple

from simbackup.equations.change import Change
from simbackup.planning.failure import DISK, SECTOR, NightFailure, in_night, outages, unreadable
from simbackup.planning.ledger import Day, Ledger, evenings
from simbackup.planning.loading import site_of
from simbackup.planning.night import DAY, SYNTHETIC, LevelRun, Night, NightKind, Work, job_of, work_of
from simbackup.planning.playing import BEHIND, NEVER, Outcome, Play, Simulator, of_site
from simbackup.planning.sampling import Sampling
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import NOTHING_LACKS, Client, Lacking, PlannedSite, Target, numbers
from simbackup.planning.windows import Verdict, verdicts_of
from simbackup.policies.calendar import evening
from simbackup.policies.levels import Level
from simbackup.schema.tree import Node
from simbackup.units import show_short

MOST_OF_A_POOL = 0.999
"""Share of a pool that older save sets and those of the night may fill together in a simulation."""
SPARE = 1.02
"""Room for save sets of a night over their bytes, for what is rounded up."""


def moved_by(site: PlannedSite, runs: Sequence[LevelRun], factors: Mapping[str, float]) -> dict[str, float]:
    """Bytes that targets read and write for what they make by themselves, by job."""
    found: dict[str, float] = {}
    for run in runs:
        policy = site.file.spec.policies[run.policy]
        for made in run.made:
            to = policy.copies[made.copy].to if made.copy else policy.target
            if made.what == SYNTHETIC and not site.targets[to].clones:
                continue  # all of it
            for system in site.of_policy(run.policy):
                name = job_of(system.name, run.later, made.name)
                change = system.sent(Level.INCREMENTAL, made.age, factors.get(job_of(system.name, run.later), 1.0))
                found[name] = found.get(name, 0.0) + change
    return found


def logged_by(site: PlannedSite, runs: Sequence[LevelRun], factors: Mapping[str, float]) -> dict[str, float]:
    """Bytes of each backup of transaction logs, by the backup of the system that night."""
    found: dict[str, float] = {}
    for run in runs:
        logs = site.file.spec.policies[run.policy].logs
        for system in site.of_policy(run.policy) if logs is not None else ():
            name = job_of(system.name, run.later)
            size = system.log_over(logs.every.si, 0.0) * factors.get(name, 1.0) if logs is not None else 0.0
            found[name] = max(size, 1.0)
    return found


def older_on(
    site: PlannedSite, name: str, used: float, runs: Sequence[LevelRun], factors: Mapping[str, float]
) -> float:
    """Bytes of older save sets on a pool, no more than leave room for what is saved in the nights."""
    target = site.targets[name]
    if target.tape or math.isinf(target.capacity):
        return 0.0
    coming = [
        _kept(system, target, run, factors.get(job_of(system.name, run.later), 1.0))
        for run in runs
        for system in site.of_policy(run.policy)
    ]
    sizes = (
        system.size * factors.get(job_of(system.name, run.later), 1.0)
        for run in runs
        for system in site.of_policy(run.policy)
    )
    most = max([*(system.size for system in site.systems), *sizes])  # what the checks ask for
    return max(min(used, MOST_OF_A_POOL * target.capacity - SPARE * max(sum(coming), most)), 0.0)


def _kept(system: Client, target: Target, run: LevelRun, factor: float) -> float:
    """Bytes that a run of a policy adds to a pool for a system that is larger than at the start by a factor."""
    if target.chunking is not None:
        return system.size * system.new_chunks(target.chunking, dict(run.before).get(""), factor) * factor
    return system.sent(run.level if run.made else run.sent, run.age, factor)


class Queue(NamedTuple):
    """Backups of a system, or their copies, that begin late, as those before them still run."""

    system: str
    """The system."""
    since: date
    """The first such night."""
    night: date
    """The last such night."""
    late: float
    """Seconds of work that is still before it on the last night; a backup begins so much later."""
    copy: str = ""
    """The copy; empty for the backup itself."""

    @property
    def sentence(self) -> str:
        """That it never catches up, and by how much, in words."""
        late = show_short(self.late, "s", 3)
        behind = f"its backup begins {late} late"
        if self.copy:
            behind = f"{late} of copies '{self.copy}' are still to be made"
        return f"'{self.system}' never catches up: on {self.night}, {behind}"


class BusyPeriod(NamedTuple):
    """The work of a station in nights that are simulated together: when it ends, and how much later it does in fact."""

    end: float
    """Seconds from the midnight before, after nights with nothing to do."""
    delay: float
    """Seconds by which it ends later as the nights before have not ended."""

    def after(self, begin: float, end: float) -> BusyPeriod:
        """With more work; what it was idle before that makes up for some of its delay."""
        return BusyPeriod(max(self.end, end), max(self.delay - max(begin - self.end, 0.0), 0.0))


@dataclass
class Backlog:
    """How late backups and copies begin, as the ones before still run.

    Nights that are simulated together begin with nothing to do. Where those before them have not ended by then, a
    system first ends its backups before: each then takes as long as it did. Copies share what holds them up, such as
    the line to a target, with the copies that are still under way: each takes as long again for each of these, and no
    longer than until all before it are done.
    """

    site: PlannedSite
    ends: dict[str, float] = field(default_factory=dict[str, float])
    """When the last work of each station ends, in seconds of the calendar."""
    shifts: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])
    """Seconds by which jobs end later than after nights with nothing to do, by the first of their nights."""
    queues: dict[tuple[str, str], Queue] = field(default_factory=dict[tuple[str, str], Queue])
    copying: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """When copies end that are under way, by what holds them up, in seconds of the calendar."""

    def carry(self, kind: NightKind, i: int, day: date, outcomes: Mapping[str, Outcome]) -> None:
        """Let the nights that are simulated together from a day on begin when those before them have ended."""
        midnight, shifts, busy = day.toordinal() * DAY, self.shifts.setdefault(i, {}), dict[str, BusyPeriod]()
        copied: list[tuple[str, float]] = []
        before_night: dict[date, dict[str, float]] = {}
        for run in sorted(kind.runs, key=lambda run: run.later):
            night = date.fromordinal(day.toordinal() + run.later)
            ends = before_night.setdefault(night, {**self.ends})  # what runs beside it in the same night is no queue
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in (each.name for each in self.site.of_policy(run.policy)):
                backup, late = outcomes[job_of(system, run.later)], 0.0
                for part in parts:
                    one = outcomes.get(job := job_of(system, run.later, part))
                    if one is None:
                        continue
                    station = _station(system, part, one)
                    begin = max(one.due, backup.end) if part and backup.end < one.end else one.due
                    if station not in busy:
                        free = self.ends.get(station, -math.inf) - midnight
                        busy[station] = BusyPeriod(begin, max(free - begin, 0.0))
                    before = busy[station]
                    waits = ends.get(station, -math.inf) > midnight + begin
                    self._note(system, part, night, (before.end + before.delay - begin) * waits)
                    now = busy[station] = before.after(begin, one.end)
                    self.ends[station] = midnight + now.end + now.delay
                    if part:
                        others = sum(end > midnight + begin for end in self.copying.get(station, ()))
                        shift = max(min(now.delay, others * (one.end - begin)), late)
                        copied.append((station, midnight + one.end + shift))
                    else:
                        shift = late = now.delay
                    if shift > 0.0:
                        shifts[job] = shift
        self.copying = {station: [end for end in ends if end > midnight] for station, ends in self.copying.items()}
        for station, end in copied:
            self.copying.setdefault(station, []).append(end)

    def late(self, i: int, outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
        """The outcomes of nights with what they are late by."""
        shifts = self.shifts.get(i)
        if not shifts:
            return outcomes
        return {name: one._replace(end=one.end + shifts.get(name, 0.0)) for name, one in outcomes.items()}

    @property
    def longest(self) -> Queue | None:
        """The queue that is furthest behind at the end, None if all have caught up."""
        return max(self.queues.values(), key=lambda one: one.late, default=None)

    def _note(self, system: str, part: str, night: date, late: float) -> None:
        """Take note of how late a backup or copy begins as those of earlier nights still run."""
        key = system, part
        if late > 0.0:
            since = self.queues[key].since if key in self.queues else night
            self.queues[key] = Queue(system, since, night, late, part)
        else:
            self.queues.pop(key, None)


def _station(system: str, part: str, one: Outcome) -> str:
    """What a backup or copy waits for: its own predecessor, or the part of a target that limits all copies."""
    at = one.cause.partition(BEHIND)[0].rpartition(" on ")[2]
    return at if part and at.startswith("targets.") else job_of(system, 0, part)


def kind_of(days: Sequence[Day], failures: tuple[NightFailure, ...] = ()) -> NightKind:
    """The kind of nights that are simulated together: what runs, what fails, and how many new cartridges are begun.

    Ages are in whole days: an hour more or less through daylight saving changes no kind.
    """
    runs = sorted(_rounded(run, (day.day - days[0].day).days) for day in days for run, _ in day.runs)
    new = {name: sum(day.stocks[name].new for day in days) for name in days[0].stocks}
    return NightKind(tuple(runs), tuple((name, number) for name, number in new.items() if number), failures)


def _lacking(run: LevelRun, system: str, later: int, outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """What did not come about of a run: the backup, with an empty name, or copies, all of them without a backup."""
    made = [made.name for made in run.made if made.what == SYNTHETIC and not made.copy]
    if any(outcomes[job_of(system, later, name)].reason for name in ("", *made)):
        yield from ("", *run.copies)
        return
    yield from (copy for copy in run.copies if outcomes[job_of(system, later, copy)].reason)


@lru_cache(maxsize=10_000)
def _rounded(run: LevelRun, later: int) -> LevelRun:
    """A run some days after the first of several nights, with ages in whole days."""
    return run._replace(
        age=_whole_days(run.age), later=later,
        made=tuple(one._replace(age=_whole_days(one.age)) for one in run.made),
        before=tuple((copy, _whole_days(age)) for copy, age in run.before),
    )  # fmt: skip


def _whole_days(seconds: float) -> float:
    return round(seconds / DAY) * DAY


Times = tuple[float, float, float]
"""Seconds from the start until a night, one after it, and one after that."""


@dataclass
class Growing:
    """How the jobs of nights grow: the bytes of each follow those of its system, and so does its time in between."""

    site: PlannedSite
    kinds: dict[NightKind, dict[str, Change]] = field(default_factory=dict[NightKind, dict[str, Change]])
    """The growth of the system of each job of a kind of night."""

    def between(
        self, kind: NightKind, times: Times, low: Mapping[str, Outcome], high: Mapping[str, Outcome]
    ) -> dict[str, Outcome]:
        """The outcomes of a night between two others."""
        if kind not in self.kinds:
            self.kinds[kind] = dict(self._jobs(kind))
        growths = self.kinds[kind]
        shares = {growth: share_of(growth, times) for growth in dict.fromkeys(growths.values())}
        return {name: mixed(low[name], high[name], shares[by]) for name, by in growths.items() if name in low}

    def _jobs(self, kind: NightKind) -> Iterator[tuple[str, Change]]:
        for run in kind.runs:
            policy = self.site.file.spec.policies[run.policy]
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in self.site.of_policy(run.policy):
                names = [job_of(system.name, run.later, part) for part in parts]
                for name in (*names, *logs_jobs(policy, system.name, run.later).values()):
                    yield name, system.change


def share_of(growth: Change, times: Times) -> float:
    """How far a system is on the way from its bytes in one night to those in another; in time where it does not grow.

    >>> year = 365 * 86_400.0
    >>> [round(share_of(Change(growth=each), (0.0, year, 2 * year)), 3) for each in (0.0, 1.0)]
    [0.5, 0.333]
    """
    low, here, high = (growth.factor(at) for at in times)
    if high == low:
        low, here, high = times
    return (here - low) / (high - low)


def mixed(one: Outcome, other: Outcome, share: float) -> Outcome:
    """An outcome on the line between two others, with the cause of the nearer."""
    due, _, _, reason, cause, failed, unsaved = one if share < 0.5 else other  # noqa: PLR2004 (the middle)
    end, size = one.end + share * (other.end - one.end), one.bytes + share * (other.bytes - one.bytes)
    # `_replace` takes four times as long, and plans have a million
    return Outcome(due, end, size, reason, cause, failed, unsaved)


@dataclass
class Nights:
    """The nights of a site, simulated when they are needed.

    Jobs that continue into the next night compete with its jobs: such nights are simulated together.
    """

    site: PlannedSite
    """The site."""
    days: Sequence[Day]
    """All days of the plan."""
    play: Play
    """Simulates nights."""
    played: dict[NightKind, dict[int, Mapping[str, Outcome]]] = field(
        default_factory=dict[NightKind, dict[int, Mapping[str, Outcome]]]
    )
    """Outcomes of simulated nights, by kind and index of the day, and by job."""
    done: dict[Work, Mapping[str, Outcome]] = field(default_factory=dict[Work, Mapping[str, Outcome]])
    """Outcomes by everything that they depend on; nights of equal work are simulated once."""
    firsts: dict[str, date] = field(default_factory=dict[str, date])
    """The day of the first backup of each policy."""
    lengths: dict[int, int] = field(default_factory=dict[int, int])
    """Number of nights that are simulated together, by the index of the first; one unless noted."""
    error: float = 0.0
    """Greatest expected relative error of a time that is interpolated between simulated nights."""
    doubt: str = ""
    """Which time shows that error, in words."""
    behind: date | None = None
    """The first night whose jobs still run after a week, so that they are carried on from week to week."""

    def __post_init__(self) -> None:
        self.running = [i for i, day in enumerate(self.days) if day.runs]
        for i in self.running:
            for run, _ in self.days[i].runs:
                self.firsts.setdefault(run.policy, self.days[i].day)
        self._outages = outages(self.site.file.spec, self.days[-1].day) if self.days else []
        self.kinds = self._kinds()
        self._known: dict[NightKind, list[int]] = {}
        self._early: dict[Work, Mapping[str, Outcome]] = {}
        self._begun: dict[tuple[NightKind, int], Work] = {}
        self._growing, self._backlog = Growing(self.site), Backlog(self.site)

    @property
    def simulated(self) -> int:
        """Number of nights that were simulated."""
        return len(self.done)

    def sample(self, *, every_night: bool = False) -> None:
        """Simulate nights of each kind until interpolation is good enough; or every night."""
        sampling = Sampling(self)
        sampling.run(every_night=every_night)
        (self.error, self.doubt), self.behind = sampling.error, sampling.behind
        self._backlog = Backlog(self.site)
        if self.behind is not None:
            for kind, i in self.in_order():
                self._backlog.carry(kind, i, self.days[i].day, self.between(kind, i))

    def sample_failures(self) -> dict[str, dict[datetime, frozenset[str]]]:
        """Simulate only the nights in which something fails; what did not come about, by system and time due.

        That are its backup, with an empty name, and its copies.
        """
        Sampling(self, failing=True).run(every_night=False)
        found: dict[str, dict[datetime, frozenset[str]]] = {}
        for kind, i in self.in_order():
            if not kind.failures:
                continue
            outcomes = self.played[kind][i]
            for day in self.together(i):
                later = (day.day - self.days[i].day).days
                for run, time in day.runs:
                    for system in (each.name for each in self.site.of_policy(run.policy)):
                        lacking = frozenset(_lacking(run, system, later, outcomes))
                        if lacking:
                            found.setdefault(system, {})[time] = lacking
        return found

    @property
    def queue(self) -> Queue | None:
        """The backups or copies that are furthest behind at the end; None if all have caught up."""
        return self._backlog.longest

    @property
    def runs_on(self) -> bool:
        """Whether jobs still run a day after the end of the last night, or after a week."""
        ends = (
            self.days[i].day.toordinal() * DAY + max((one.end for one in self.between(kind, i).values()), default=0.0)
            for kind, i in self.in_order()
        )
        return self.behind is not None or max(ends, default=0.0) > (self.days[-1].day.toordinal() + 2) * DAY

    def unending(self) -> Iterator[tuple[date, str, str]]:
        """The simulated nights in which jobs never end, the jobs, and why."""
        for kind in self.kinds:
            for i, outcomes in self.played.get(kind, {}).items():
                for job, one in outcomes.items():
                    if one.reason.startswith(NEVER):
                        yield self.days[i].day, job, one.reason

    def in_order(self) -> list[tuple[NightKind, int]]:
        """The first nights of those that are simulated together, with their kinds, by date."""
        return sorted(((kind, i) for kind, at in self.kinds.items() for i in at), key=lambda each: each[1])

    def verdicts(self) -> Iterator[Verdict]:
        """The verdict on each backup and copy of each night, in order."""
        for kind, i in self.in_order():
            yield from self.verdicts_on(kind, i)

    def verdicts_on(self, kind: NightKind, i: int) -> Iterator[Verdict]:
        """The verdicts on the nights that are simulated together from a date on."""
        outcomes = self.between(kind, i)
        for day in self.together(i):
            later = (day.day - self.days[i].day).days
            yield from verdicts_of(self.site, day, later, outcomes, self.firsts)

    def seen(self) -> Iterator[Verdict]:
        """The verdicts on the nights that were simulated so far, by date."""
        for kind, i in self.in_order():
            if i in self.played.get(kind, {}):
                yield from self.verdicts_on(kind, i)

    def night(self, kind: NightKind, i: int) -> Night:
        """The nights of a kind from a day on, with the sizes of systems and the contents of targets then."""
        factors = {
            job_of(system.name, (day.day - self.days[i].day).days): self.site.held(system, self.site.seconds(time))
            for day in self.together(i)
            for run, time in day.runs
            for system in self.site.of_policy(run.policy)
        }
        before = self.days[i - 1].stocks if i else {}
        used = {name: older_on(self.site, name, stock.used, kind.runs, factors) for name, stock in before.items()}
        moved, logs = moved_by(self.site, kind.runs, factors), logged_by(self.site, kind.runs, factors)
        new = {
            name: min(dict(kind.new).get(name, 0), target.slots)
            for name, target in self.site.targets.items()
            if target.new is not None
        }
        points = self.days[i - 1].points if i and any(run.before for run in kind.runs) else {}
        return Night(self.days[i].day, kind.runs, factors, used, moved, logs, new, points, kind.failures)

    def found(self, night: date) -> tuple[NightKind, int, int]:
        """The kind of a night, the index of the first night simulated with it, and the days between the two."""
        kind, i = self._firsts[night]
        return kind, i, (night - self.days[i].day).days

    def of(self, verdict: Verdict) -> tuple[NightKind, int, str]:
        """The kind and the index of the first of the nights in which a backup or copy was simulated, and its job."""
        kind, i, later = self.found(evening(verdict.due))
        return kind, i, job_of(verdict.system, later, verdict.copy)

    def group(self) -> None:
        """Find the kinds again, when more nights are simulated together."""
        self.kinds = self._kinds()

    def together(self, i: int) -> list[Day]:
        """The nights that are simulated together with one."""
        place = bisect_left(self.running, i)
        return [self.days[j] for j in self.running[place : place + self.lengths.get(i, 1)]]

    def simulate(self, kind: NightKind, i: int) -> Mapping[str, Outcome]:
        """The outcome of a night, from a simulation of it or of a night with equal work."""
        samples = self.played.setdefault(kind, {})
        if i not in samples:
            night = self.night(kind, i)
            work = work_of(self.site.file, night)
            if work not in self.done:
                self.done[work] = self._early.pop(work) if work in self._early else self.play(night)
            samples[i] = self.done[work]
        return samples[i]

    @property
    def at_once(self) -> int:
        """How many nights can be simulated at once."""
        return self.play.at_once if isinstance(self.play, Simulator) else 1

    def begin(self, wanted: Collection[tuple[NightKind, int]], expected: int = 0) -> None:
        """Simulate several nights at once that will be, or may be, asked for; a single process does not.

        `expected` is the number of nights that will be simulated in all from now on, including these.
        """
        if not isinstance(self.play, Simulator):
            return
        self.play.expected = len(self.done) + max(expected, len(wanted))
        if self.at_once == 1:
            return
        new: dict[Work, Night] = {}
        for kind, i in wanted:
            if i not in self.played.get(kind, {}):
                night = self.night(kind, i)
                work = self._begun[kind, i] = work_of(self.site.file, night)
                if work not in self.done and work not in self._early:
                    new[work] = night
        for work, outcomes in zip(new, self.play.each(list(new.values())), strict=True):
            self._early[work] = outcomes

    def give_up(self) -> None:
        """Count the nights that were simulated before they were asked for as simulated: nobody will ask for them."""
        for (kind, i), work in self._begun.items():
            outcomes = self.done.get(work) or self._early.get(work)
            if outcomes is not None:
                self.played.setdefault(kind, {})[i] = self.done[work] = outcomes

    def between(self, kind: NightKind, i: int) -> Mapping[str, Outcome]:
        """The outcome of a night, simulated or interpolated between simulated ones, with delays carried on."""
        samples = self.played[kind]
        low, high = self.around(kind, i)
        found = samples[low] if low == high else self._growing.between(
            kind, (self.time(low), self.time(i), self.time(high)), samples[low], samples[high]
        )  # fmt: skip
        return self._backlog.late(i, found)

    def around(self, kind: NightKind, i: int) -> tuple[int, int]:
        """The simulated nights before and after one; twice the same if it is simulated itself, or one is missing."""
        known = self.known(kind)
        after = bisect_left(known, i)
        if after == len(known) or known[after] == i or after == 0:
            near = known[min(after, len(known) - 1)]
            return near, near
        return known[after - 1], known[after]

    def known(self, kind: NightKind) -> list[int]:
        """The simulated nights of a kind, by date."""
        samples = self.played.get(kind, {})
        if len(self._known.get(kind, ())) != len(samples):
            self._known[kind] = sorted(samples)
        return self._known.get(kind, [])

    def time(self, i: int) -> float:
        """Seconds from the start until the first backup of a night."""
        return self.site.seconds(self.days[i].runs[0][1])

    def _failures(self, i: int, following: int) -> tuple[NightFailure, ...]:
        """What fails from the first backup of a night until the next of those that are not simulated with it.

        Of the day of the first night of all, an array may still be rebuilt in it.
        """
        first = min(time for _, time in self.days[i].runs)
        after = self.running[following] if following < len(self.running) else None
        end = None if after is None else min(time for _, time in self.days[after].runs)
        found = [one for one in self._outages if one.end > first and (end is None or one.begin < end)]
        if i == self.running[0]:
            rebuilt = (one for one in self._outages if one.end <= first and one.begin.date() == self.days[i].day)
            found = [*(one for one in rebuilt if self.site.file.spec.failures[one.name].what in {DISK, SECTOR}), *found]
        return tuple(in_night(one, self.days[i].day) for one in found)

    def _kinds(self) -> dict[NightKind, list[int]]:
        """The first nights of those that are simulated together, by kind; also notes the first night of each night."""
        found: dict[NightKind, list[int]] = {}
        same: dict[NightKind, NightKind] = {}
        self._firsts = dict[date, tuple[NightKind, int]]()
        following = 0
        for place, i in enumerate(self.running):
            if place >= following:
                days = self.together(i)
                following = place + len(days)
                kind = kind_of(days, self._failures(i, following))
                kind = same.setdefault(kind, kind)
                found.setdefault(kind, []).append(i)
                for day in days:
                    self._firsts.setdefault(day.day, (kind, i))
        return found


def settled(site: PlannedSite, last: date, play: Play | None = None) -> PlannedSite:
    """The site with what does not come about, or becomes unreadable, until a day.

    The nights in which something fails are simulated.

    What fails in a night decides what later nights have to save, so this is repeated until nothing changes. Systems
    of a policy that do not fail alike get policies of their own.
    """
    return _with_unreadable(_with_lacking(site, last, play) if outages(site.file.spec, last) else site, last)


def _with_unreadable(site: PlannedSite, last: date) -> PlannedSite:
    """The site with the save sets on cartridges that become unreadable until a day."""
    found: dict[str, dict[tuple[str, datetime], datetime]] = {}
    for target, at in unreadable(site.file.spec, last):
        ledger = Ledger(site)
        for _ in ledger.days(at):
            pass
        for policy, copy, number in ledger.on_newest_cartridge(target):
            due = ledger.stocks[policy].times[number]
            found.setdefault(policy, {}).setdefault((copy, due), at)
    return replace(site, unreadable=found) if found else site


def _with_lacking(site: PlannedSite, last: date, play: Play | None) -> PlannedSite:
    """The site with what does not come about until a day."""
    lacking: Mapping[str, Lacking] = {
        system.name: found for system in site.systems if (found := site.lacking_of(system.policy))
    }
    seen: list[Mapping[str, Lacking]] = []
    while lacking not in seen:
        seen.append(lacking)
        lacking = Nights(site, evenings([*Ledger(site).days(last)]), of_site(play, site)).sample_failures()
        site = _apart(site, lacking)
    return site


def _apart(site: PlannedSite, lacking: Mapping[str, Lacking]) -> PlannedSite:
    """The site in which some things do not come about, with policies divided as far as their systems differ in that."""
    alike: dict[str, dict[tuple[tuple[datetime, frozenset[str]], ...], list[str]]] = {}
    for system in site.systems:
        found = tuple(sorted(lacking.get(system.name, NOTHING_LACKS).items(), key=lambda each: each[0]))
        alike.setdefault(system.policy, {}).setdefault(found, []).append(system.name)
    tree, parts, taken = site.file.tree, dict[str, Lacking](), {*site.file.spec.policies}
    policies, systems = dict[str, Node](), dict(tree.mapping["systems"].mapping)
    for name, node in tree.mapping["policies"].mapping.items():
        for i, (what, those) in enumerate(alike.get(name, {(): []}).items()):
            part = name if not i else next(each for n in range(2, 10**6) if (each := f"{name}-{n}") not in taken)
            taken.add(part)
            policies[part], parts[part] = node, dict(what)
            for system in those if i else ():
                before = systems[system]
                policy = before.mapping["policy"]
                inner = {**before.mapping, "policy": Node(part, policy.place, policy.key)}
                systems[system] = Node(inner, before.place, before.key)
    if len(policies) == len(site.file.spec.policies):
        return replace(site, lacking=parts)
    above = tree.mapping["policies"], tree.mapping["systems"]
    changed = {
        key: Node(inner, node.place, node.key)
        for key, inner, node in zip(("policies", "systems"), (policies, systems), above, strict=True)
    }
    apart = site_of(Node({**tree.mapping, **changed}, tree.place, tree.key), site.file.name, site.file.source)
    return replace(numbers(apart), lacking=parts)
