"""A plan: what a site does, needs and costs until a date, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.errors import Place, Problem
from simbackup.planning.available import Arrivals, Loss, Remaining, losses
from simbackup.planning.cautions import endless, futile, idle_keys, unsent
from simbackup.planning.cost import TERABYTE, Month, by_year, months
from simbackup.planning.failure import outside
from simbackup.planning.ledger import Day, Ledger, evenings
from simbackup.planning.loading import Source
from simbackup.planning.night import DAY, LOGS
from simbackup.planning.nights import Nights, settled
from simbackup.planning.playing import Outcome, Play, of_site
from simbackup.planning.scenarios import is_rebuild, logs_jobs
from simbackup.planning.site import Client, PlannedSite, load_site
from simbackup.planning.windows import Verdict, Windows, called
from simbackup.policies.calendar import HORIZON, end_of
from simbackup.policies.clock import NOON, elapsed, moment
from simbackup.policies.days import each_day
from simbackup.results.tabled import Answer

if TYPE_CHECKING:
    import pandas as pd

    from simbackup.plots.of_plan import PlanPlots
    from simbackup.plots.style import Chart

Row = dict[str, Any]
MUCH = 0.1
"""Error of a guessed time from which on it is a warning."""


class FitsUntil(NamedTuple):
    """When something no longer fits."""

    what: str
    """What it is."""
    date: date | None
    """The first such date; None if it fits until the end."""
    detail: str
    """The state on that date, in words."""
    stated: bool = True
    """Whether the site states a limit; without one it cannot be missed."""


@dataclass(frozen=True)
class Plan(Answer):
    """What a site does and needs, day by day until a date."""

    site: PlannedSite
    """The site."""
    until: date
    """The last date."""
    days: tuple[Day, ...]
    """The ledger of each day."""
    nights: Nights
    """The simulated nights."""

    @property
    def verdicts(self) -> Iterator[Verdict]:
        """The verdict on each backup and copy of each night, in order; they are made as they are asked for."""
        return self.nights.verdicts()

    @cached_property
    def windows(self) -> Windows:
        """What the verdicts come to, counted in one pass."""
        return Windows.of(self.verdicts, self.site.file.spec.systems, self._called)

    @property
    def seen(self) -> Windows:
        """What the verdicts on the nights come to that were simulated so far, for a plan that was given up."""
        return Windows.of(self.nights.seen(), self.site.file.spec.systems, self._called)

    @cached_property
    def clients(self) -> list[Row]:
        """One mapping for each system: nights, windows missed, the first such night and its cause, restore points.

        The first backup of all is left out of the windows missed and of the longest.
        """
        points, seconds = self.days[-1].points, (self.until - self.site.start).days * DAY
        return [
            {
                "system": system.name, "policy": system.policy, **self.windows.systems[system.name]._asdict(),
                "restore_points": points.get(system.policy, 0), "size_at_end": system.size_at(seconds),
            }
            for system in self.site.systems
        ]  # fmt: skip

    @cached_property
    def capacity(self) -> list[Row]:
        """One mapping for each day and target: bytes used and free, the most in its night, cartridges."""
        return [
            {
                "date": day.day, "target": name, "used": stock.used, "peak": stock.peak,
                "free": self.site.targets[name].capacity - stock.peak, "cartridges": stock.cartridges,
                "bought": stock.bought, "empty": stock.empty,
            }
            for day in self.days
            for name, stock in day.stocks.items()
        ]  # fmt: skip

    @cached_property
    def points(self) -> list[Row]:
        """One mapping for each day: restore points of policies, copies that cannot be restored, bytes of catalogue."""
        return [
            {
                "date": day.day, "catalogue": day.catalogue, "not_restorable": sum(day.broken.values()), **day.points,
            }
            for day in self.days
        ]  # fmt: skip

    @cached_property
    def failures(self) -> list[Row]:
        """One mapping for each night in which parts fail: which, jobs that fail, and others that miss their window.

        Backups of transaction logs that fail are counted, with the bytes that they would have saved. What fails after
        all jobs of a night have ended costs nothing.
        """
        found: list[Row] = []
        for kind, i in self.nights.in_order():
            all_of_them = self.nights.between(kind, i) if kind.failures else dict[str, Outcome]()
            outcomes = {job: one for job, one in all_of_them.items() if not is_rebuild(job, kind.failures)}
            end = max((one.end for one in outcomes.values()), default=0.0)
            unsaved = any(one.failed for one in outcomes.values())
            names = dict.fromkeys(one.name for one in kind.failures if unsaved or one.at <= end)
            if names:
                failing = sum(bool(one.reason) for one in outcomes.values())
                missed = sum(not one.met for one in self.nights.verdicts_on(kind, i))
                found.append({
                    "night": self.nights.days[i].day, "failures": ", ".join(names), "jobs": len(outcomes),
                    "fail": failing, "late": max(missed - failing, 0),
                    "logs": sum(one.failed for one in outcomes.values()),
                    "unsaved": math.fsum(one.unsaved for one in outcomes.values()),
                })  # fmt: skip
        return found

    @cached_property
    def logs_lost(self) -> dict[str, float]:
        """Seconds of changes that a loss may cost at the most, by policy with backups of logs.

        Those between two of them, and those that come while the longest one of all nights runs. Where some fail, the
        next one after them also saves what they would have saved.
        """
        found: dict[str, float] = {}
        for (policy, _, copy), one in self.windows.levels.items():
            if copy == LOGS:
                found[policy] = max(found.get(policy, 0.0), one.longest)
        spec = self.site.file.spec.policies
        every = {self._called(name): policy.logs.every.si for name, policy in spec.items() if policy.logs is not None}
        gaps = self._failed_logs()
        return {policy: every[policy] * (1 + gaps.get(policy, 0)) + longest for policy, longest in found.items()}

    def _failed_logs(self) -> dict[str, int]:
        """The most backups of logs of a system that fail in a night at all targets, by policy."""
        found: dict[str, int] = {}
        policies = self.site.file.spec.policies
        for kind, i in (each for each in self.nights.in_order() if each[0].failures):
            outcomes = self.nights.between(kind, i)
            for run in kind.runs:
                for system in self.site.of_policy(run.policy):
                    jobs = logs_jobs(policies[run.policy], system.name, run.later).values()
                    failed = min((outcomes[job].failed for job in jobs if job in outcomes), default=0)
                    name = self._called(run.policy)
                    found[name] = max(found.get(name, 0), failed)
        return found

    @cached_property
    def arrivals(self) -> Arrivals:
        """When its backups and copies ended."""
        return Arrivals(self.nights, ends=self.windows.ends)

    def loss(self, lost: str = "", clients: Sequence[Client] | None = None) -> Loss:
        """What a loss at noon of each day, after which a target or place is gone, costs some systems, or all struck."""
        return self._losses_of(lost, self.arrivals, clients)[()]

    def _losses_of(
        self, lost: str, arrivals: Arrivals, clients: Sequence[Client] | None = None
    ) -> dict[tuple[str, ...], Loss]:
        remaining = Remaining(self.site, arrivals, frozenset(self.site.lost_with(lost)))
        if clients is None:
            clients = self.site.struck_by(lost)
        return losses(remaining, self.until, clients, self._called)

    @cached_property
    def losses(self) -> list[Row]:
        """What a loss of data alone and that of each place costs: data lost on the worst day, and the mean.

        One mapping for all policies together, and one for each of those whose restore points differ.
        """
        return self.losses_with(self.arrivals)

    def losses_with(self, arrivals: Arrivals) -> list[Row]:
        """The losses if backups and copies ended at these times."""
        places = dict.fromkeys(target.place for target in self.site.targets.values())
        lost = ["", *(places if len(places) > 1 else ())]
        return [
            {
                "after_loss_of": name,
                "policy": called(list(dict.fromkeys(map(self._called, policies))), "policies"),
                **one.row(),
            }
            for name in lost
            for policies, one in self._losses_of(name, arrivals).items()
        ]

    @cached_property
    def intervals(self) -> pd.DataFrame:  # pyright: ignore[reportIncompatibleMethodOverride] (kept)
        """Table of figures by address: the value, the ends `low` and `high` of its 90 % interval, and what decides it.

        Capacity, cartridges and cost come from the ledger in some cases of the values of the site; windows missed and
        data lost from the night that decides, which is simulated in some cases.
        """
        return import_module("simbackup.planning.intervals").frame_of(self)  # it needs plans

    @cached_property
    def limits(self) -> list[FitsUntil]:
        """For each target, the windows, and backups that never catch up: the first date on which it no longer fits."""
        queue = self.nights.queue
        if queue is None:
            return [*self.full, self._window()]
        return [*self.full, self._window(), FitsUntil("queue", queue.since, queue.sentence)]

    @cached_property
    def full(self) -> list[FitsUntil]:
        """For each target and each datastore: the first date on which it no longer fits."""
        return [*map(self._limit, self.site.targets), *map(self._filled, self.site.datastores)]

    @cached_property
    def unsaved(self) -> tuple[str, ...]:
        """Systems that no night of the plan saves."""
        saving = {run.policy for day in self.days for run, _ in day.runs}
        return tuple(system.name for system in self.site.systems if system.policy not in saving)

    @cached_property
    def warnings(self) -> list[Problem]:  # pyright: ignore[reportIncompatibleMethodOverride] (kept)
        """Keys without effect, what never happens, chains that never end, and policies by which nothing is saved."""
        return [
            *idle_keys(self.site),
            *self.doubts,
            *self._doubtful(),
            *self._unending(),
            *self._overfull(),
            *self._lost_arrays(),
        ]

    @cached_property
    def doubts(self) -> list[Problem]:
        """Of the warnings those for which no night has to be simulated."""
        tree = self.site.file.source
        never: dict[Place, Problem] = {}
        for name in self.unsaved:
            policy = tree.find(("systems", self.site.file.written_system(name), "policy"))[0]
            message = f"'{policy.word}' saves nothing until {self.until}"
            never.setdefault(policy.place, Problem(
                policy.place, f"systems.{name}.policy", message, "check the policy's schedule", "warning"
            ))  # fmt: skip
        return [
            *futile(self.site, self.until), *endless(self.site.file), *unsent(self.site), *never.values(),
            *self._never_failing(),
        ]  # fmt: skip

    def _never_failing(self) -> Iterator[Problem]:
        """A warning for each moment of a failure that the plan does not reach."""
        for name, at in outside(self.site.file.spec, self.until):
            place = self.site.file.source.find(("failures", name, "at"))[0].place
            message = f"'{at}' is not in the plan, from {self.site.start} to {self.until}: it costs nothing"
            yield Problem(place, f"failures.{name}.at", message, "name a moment in it, or plan longer", "warning")

    def _lost_arrays(self) -> Iterator[Problem]:
        """A warning for each array that is not rebuilt, as with a disk too many all that is on it is lost."""
        for kind, i in self.nights.in_order():
            outcomes = self.nights.played.get(kind, {}).get(i, {})
            lost = (job for job, one in outcomes.items() if one.reason and is_rebuild(job, kind.failures))
            job = next(lost, None)
            if job is not None:
                name = next(each.name for each in kind.failures if job.startswith(f"{each.name}-"))
                place, day = self.site.file.source.find(("failures", name))[0].key, self.nights.days[i].day
                reason = f"an array is not rebuilt: {outcomes[job].reason}"
                message = f"in the night of {day}, {reason}; later nights and restores do not count what is lost"
                yield Problem(place, f"failures.{name}", message, "'simbackup protect' does", "warning")

    def _unending(self) -> Iterator[Problem]:
        """A warning where jobs never end, with the first night in which they do not."""
        found = sorted(self.nights.unending(), key=lambda one: one[:2])
        if found:
            night, job, reason = found[0]
            jobs = len({(job, reason) for each, job, reason in found if each == night})
            more = f", and {jobs - 1} more jobs like it" if jobs > 1 else ""
            yield Problem(
                Place(self.site.file.name), "", f"in the night of {night}, '{job}' {reason}{more}", severity="warning"
            )

    def _overfull(self) -> Iterator[Problem]:
        """A warning for each datastore that becomes full: nights after that have no more data than it holds."""
        for one in self.full:
            if one.what in self.site.datastores and one.date is not None:
                message = f"is full from {one.date} on; later nights are simulated with as much data as it holds"
                place = self.site.file.source.find(("datastores", one.what))[0].key
                yield Problem(place, f"datastores.{one.what}", message, "give it more disks", "warning")

    def _doubtful(self) -> Iterator[Problem]:
        """A warning where times between simulated nights are far off."""
        if self.nights.error > MUCH:
            off = f"{100.0 * self.nights.error:.0f} %, as {self.nights.doubt}"
            message = f"times of nights that were not simulated may be off by {off}"
            yield Problem(Place(self.site.file.name), "", message, "add --every-night", "warning")

    @property
    def fits_until(self) -> date | None:
        """The first date on which anything no longer fits, None if all fits until the end."""
        first = earliest(self.limits)
        return None if first is None else first.date

    def in_cases(self, sites: Sequence[PlannedSite]) -> list[Plan]:
        """The plan for variants of its site that differ in numbers alone; one ledger counts all, without any night.

        `counted_together` says whether a site is such a variant.
        """
        days = list(Ledger(self.site, tuple(sites)).days(self.until)) if sites else []
        return [
            replace(
                self,
                site=each,
                days=tuple(own._replace(stocks=day.cases[i]) for own, day in zip(self.days, days, strict=True)),
            )
            for i, each in enumerate(sites)
        ]

    @cached_property
    def months(self) -> list[Month]:
        """What each month costs; empty without prices."""
        return months(self.site, self.days)

    @property
    def expenses(self) -> list[Row]:
        """One mapping for each thing that the site has for its backups and pays for beside storage."""
        return [one._asdict() for one in self.site.expenses]

    @property
    def costs(self) -> dict[str, dict[str, float]]:
        """What each year costs, by what for: `pools`, `hardware` and so on, and `total`; empty without prices."""
        return by_year(self.months)

    def _called(self, policy: str) -> str:
        """The name of a policy, or of all parts of one that was divided."""
        written = self.site.file.written(policy)
        return written if written in self.site.file.spec.policies else f"{written}-*"

    @property
    def frame(self) -> pd.DataFrame:
        """The main table: for each target and the windows, until when they fit, and how it stands then."""
        return self.frames()["limits"]

    @property
    def headline(self) -> str:
        """Until when everything fits, in a sentence."""
        first = self.fits_until
        return f"{self.site.file.spec.title}: " + (
            f"everything fits until the end, {self.until}" if first is None else f"everything fits until {first}"
        )

    def figure(self) -> Chart:
        """The main picture: the capacity in use over time."""
        return self.plot.capacity()

    @property
    def plot(self) -> PlanPlots:
        """Pictures of it, such as `plot.capacity()`; they need matplotlib."""
        from simbackup.plots.of_plan import PlanPlots  # noqa: PLC0415 (matplotlib is an extra, and slow to import)

        return PlanPlots(self)

    def _limit(self, name: str) -> FitsUntil:
        target = self.site.targets[name]
        if target.tape:
            inside = 0 if target.offsite else target.slots
            over = (d.day for d in self.days if inside and d.stocks[name].cartridges > inside)
            last = self.days[-1].stocks[name]
            counted = f"{last.cartridges} cartridge{'s' * (last.cartridges != 1)} in use"
            return FitsUntil(name, next(over, None), f"{counted}, {last.bought} bought")
        over = (day.day for day in self.days if day.stocks[name].peak > target.capacity)
        most = max(day.stocks[name].peak for day in self.days)
        of = "" if target.stores_objects else f" of {target.capacity / TERABYTE:.1f} TB"
        return FitsUntil(name, next(over, None), f"{most / TERABYTE:.1f} TB{of} at most")

    def _filled(self, name: str) -> FitsUntil:
        """Until when a datastore holds the data of its systems, at noon of each day."""
        datastore = self.site.datastores[name]
        used = list(map(datastore.used, _noons(self.site.begin, self.until)))
        over = (day.day for day, held in zip(self.days, used, strict=True) if held > datastore.capacity)
        of = f" of {datastore.capacity / TERABYTE:.1f} TB" if math.isfinite(datastore.capacity) else ""
        return FitsUntil(name, next(over, None), f"{max(used) / TERABYTE:.1f} TB{of} at most")

    def _window(self) -> FitsUntil:
        missed = self.windows.first_missed
        if missed is None and not self.windows.stated:
            return FitsUntil("windows", None, "no windows are stated", stated=False)
        if missed is None:
            return FitsUntil("windows", None, "all are met")
        what = f"{missed.system}-{missed.copy}" if missed.copy else missed.system
        return FitsUntil("windows", missed.night, f"'{what}' misses it: {missed.cause}")

    def tables(self) -> dict[str, list[Row]]:
        """All tables by name: clients, limits, capacity, points, losses, months, failures, nights."""
        return self.summaries() | {"nights": [verdict._asdict() for verdict in self.verdicts]}

    def summaries(self) -> dict[str, list[Row]]:
        """All tables but that of the nights one by one, which is as long as systems and nights are many."""
        return {
            "clients": self.clients, "limits": [limit._asdict() for limit in self.limits], "capacity": self.capacity,
            "points": self.points, "losses": self.losses, "months": [month._asdict() for month in self.months],
            "failures": self.failures, "expenses": self.expenses,
        }  # fmt: skip

    def capacity_tables(self) -> dict[str, list[Row]]:
        """The tables for which no night has to be simulated: targets that get full, capacity, points, months."""
        return {
            "limits": [limit._asdict() for limit in self.full], "capacity": self.capacity, "points": self.points,
            "months": [month._asdict() for month in self.months], "expenses": self.expenses,
        }  # fmt: skip

    def frames(self) -> Mapping[str, pd.DataFrame]:
        """The tables, for pandas."""
        import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

        return {name: pd.DataFrame(rows) for name, rows in self.tables().items()}

    def as_dict(self) -> Row:
        """What `--json` prints: all but the nights one by one."""
        head = self._head() | {
            "fits_until": self.fits_until, "logs_lost": self.logs_lost, "running_on": self.windows.running_on,
            "behind": self.nights.behind, "queue": self.nights.queue and self.nights.queue._asdict(),
            "nights_simulated": self.nights.simulated,
            "interpolation_error": self.nights.error,
        }  # fmt: skip
        return head | self.summaries()

    def partial_tables(self) -> dict[str, list[Row]]:
        """The tables of what is known if not all nights were simulated: those of capacity, and nights that were."""
        return self.capacity_tables() | {"nights": [verdict._asdict() for verdict in self.nights.seen()]}

    def partial_as_dict(self) -> Row:
        """What `--json` prints of a plan that was given up."""
        return self.capacity_as_dict() | {"interrupted": True, "nights_simulated": self.nights.simulated}

    def _head(self) -> Row:
        return {"title": self.site.file.spec.title, "start": self.site.start, "until": self.until}

    def capacity_as_dict(self) -> Row:
        """What `--json` of `plan capacity` prints; no night has to be simulated for it."""
        return self._head() | self.capacity_tables()


def earliest(limits: Iterable[FitsUntil]) -> FitsUntil | None:
    """What is the first of some things not to fit any longer; None if all fit until the end."""
    return min((one for one in limits if one.date is not None), key=lambda one: one.date or date.max, default=None)


def of_quarters(days: Sequence[Day]) -> Iterator[Day]:
    """The last day of each quarter, and the last of all."""
    for i, day in enumerate(days):
        after = days[i + 1].day if i + 1 < len(days) else None
        if after is None or (after.day == 1 and after.month in {1, 4, 7, 10}):
            yield day


@lru_cache(maxsize=1)
def _noons(begin: datetime, until: date) -> tuple[float, ...]:
    """Seconds from the begin of a site until noon of each of its days; cases of a site have the same."""
    days = each_day(begin.date(), until)
    return tuple(elapsed(begin, moment(day, NOON, begin.tzinfo)) for day in days)


def plan(
    what: Source | PlannedSite,
    until: str | date = HORIZON,
    overrides: Mapping[str, object] | None = None,
    *,
    play: Play | None = None,
    every_night: bool = False,
) -> Plan:
    """The plan of a site until a date.

    Parameters
    ----------
    what
        A site, or the path of its file, YAML text of several lines, or a mapping.
    until
        A date, such as `2029-12-31`, or a time from the start, such as `3 years` or `3y`.
    overrides
        Values by address that replace those of the file, such as `{"policies.nightly.spread": True}`.
    play
        A function that simulates a night; by default, the simulator.
    every_night
        Whether every night is simulated; otherwise those that decide, and the others follow from these.

    Raises
    ------
    InputError
        Something is wrong with the file or the date.
    """
    found = stocked(what if isinstance(what, PlannedSite) else load_site(what, overrides), until, play=play)
    found.nights.sample(every_night=every_night)
    return found


def stocked(site: PlannedSite, until: str | date, *, play: Play | None = None) -> Plan:
    """A plan of which no night is simulated but those with failures: capacity, restore points and cost are there.

    `found.nights.sample()` completes it. Arguments and errors are those of `plan`.
    """
    last = end_of(site.start, until)
    site = settled(site, last, play)
    days = tuple(Ledger(site).days(last))
    return Plan(site, last, days, Nights(site, evenings(days), of_site(play, site)))
