"""Nights of a plan: which are of one kind, how each went, and how far backups are behind."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache

from simbackup.planning.backlog import Backlog, Queue
from simbackup.planning.contents import NightKind, logged_by, moved_by, older_on
from simbackup.planning.failure import DISK, NightFailure, in_night, outages
from simbackup.planning.growing import Growing
from simbackup.planning.ledger import Day
from simbackup.planning.night import DAY, SYNTHETIC, LevelRun, Night, Work, work_of
from simbackup.planning.playing import NEVER, Outcome, Play, Simulator, job_of
from simbackup.planning.sampling import Sampling
from simbackup.planning.site import PlannedSite
from simbackup.planning.verdicts import Verdict, verdicts_of


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
                work = work_of(self.site.file, night)
                if work not in self.done and work not in self._early:
                    new[work] = night
        self._early.update(zip(new, self.play.each(list(new.values())), strict=True))

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
            found = [*(one for one in rebuilt if self.site.file.spec.failures[one.name].what == DISK), *found]
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
