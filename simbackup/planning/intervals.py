"""Intervals of a plan: the deciding night over the ranges of its inputs, and the dates when pools are full."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.equations.uncertainty import LEVEL, SCORE, CentralInterval
from simbackup.errors import Place
from simbackup.planning.contents import NightKind
from simbackup.planning.idle import each_grows_by_itself
from simbackup.planning.ledger import Ledger
from simbackup.planning.loading import site_of
from simbackup.planning.origins import Origins, scenario_of
from simbackup.planning.plan import Plan, full_on
from simbackup.planning.playing import job_of
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, numbers
from simbackup.policies.calendar import evening
from simbackup.results.fleet_figures import series
from simbackup.run import NeverEndsError, TooManyRecordsError, ran
from simbackup.scenario import Scenario
from simbackup.schema import tree as trees
from simbackup.uncertainty.effort import LEAN, for_scenario
from simbackup.uncertainty.verdict import fitting, job_intervals
from simbackup.units import show_short

if TYPE_CHECKING:
    from concurrent.futures import Executor

MATTERS = 0.1
"""Share of the variance from which on an input is named."""
LARGEST = 12_000
"""Records of a night up to which it is sampled unasked: about half a minute."""
GROWTH = "growth"


@dataclass(frozen=True, slots=True)
class NightInterval:
    """The backup or copy that comes nearest to its window, or exceeds it most, with its interval."""

    night: date
    """The night."""
    job: str
    """The backup or copy."""
    elapsed: CentralInterval
    """Its seconds with their 90 % interval."""
    fits: float | None
    """Share (0 to 1) of cases in which it ends in its window; None without a window."""
    decides: tuple[str, ...]
    """Inputs that widen the interval most."""

    def sentence(self) -> str:
        """The verdict in words."""
        low, high = (show_short(end, "s", 3) for end in (self.elapsed.low, self.elapsed.high))
        parts = [f"'{self.job}' on {self.night}: {low} to {high} in {100 * LEVEL:.0f} % of cases"]
        if self.fits is not None:
            parts.append(fitting(self.fits))
        if self.decides:
            parts.append(f"{' and '.join(self.decides)} {'matter' if len(self.decides) > 1 else 'matters'} most")
        return "; ".join(parts)


class FullBetween(NamedTuple):
    """The first dates on which a pool or datastore is full over the range of growth, None where it never is."""

    target: str
    """The target."""
    early: date | None
    """With the most growth; None if it never is."""
    late: date | None
    """With the least growth; None if it never is."""

    def sentence(self) -> str:
        """When it is full, for people.

        >>> FullBetween("pool", date(2028, 4, 13), None).sentence()
        "between 2028-04-13 and the end, over the range of 'growth'"
        >>> FullBetween("pool", date(2028, 4, 13), date(2028, 4, 13)).sentence()
        "on 2028-04-13, over the whole range of 'growth'"
        """
        if self.early == self.late:
            return f"on {self.early}, over the whole range of 'growth'"
        return f"between {self.early} and {self.late or 'the end'}, over the range of 'growth'"


class Sureness(NamedTuple):
    """The intervals of a plan: the deciding night, None where it is too large to be sampled; and full pools."""

    night: NightInterval | None
    full: tuple[FullBetween, ...]

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        night = None if self.night is None else {
            "night": self.night.night, "job": self.night.job, "probability": LEVEL, **self.night.elapsed._asdict(),
            "fits": self.night.fits, "decides": list(self.night.decides),
        }  # fmt: skip
        return {"night": night, "full": [one._asdict() for one in self.full]}


def sureness(plan: Plan, wanted: str = "quick", executor: Executor | None = None) -> Sureness:
    """How sure a plan is: the night that decides is sampled, and capacity follows from the range of growth.

    Parameters
    ----------
    plan
        The plan.
    wanted
        `none`, `quick` (nothing for large nights) or `thorough`.
    executor
        Runs the cases at once; by default one after another.
    """
    if wanted == "none":
        return Sureness(None, ())
    others = tuple(_grown(plan.site))
    return Sureness(_deciding(plan, wanted, others, executor), tuple(_full(plan, others)))


def _grown(site: PlannedSite) -> Iterator[PlannedSite]:
    """The site with growth at the lower and at the upper end of its range; none where that changes nothing."""
    growth = site.file.spec.growth
    if growth is None or growth.low is None or growth.high is None or each_grows_by_itself(site):
        return
    for end in (growth.low, growth.high):
        node = trees.from_plain(end if growth.unit == "1" else f"{end!r} {growth.unit}", Place(GROWTH))
        yield numbers(site_of(trees.set_path(site.file.tree, (GROWTH,), node), site.file.name))


def _full(plan: Plan, others: tuple[PlannedSite, ...]) -> Iterator[FullBetween]:
    """When each pool and each datastore is full with less and with more growth."""
    if not others:
        return
    ends = [tuple(Ledger(site).days(plan.until)) for site in others]
    for name, target in plan.site.targets.items():
        if target.on_disk and math.isfinite(target.capacity):
            late, early = (
                next((day.day for day in days if day.stocks[name].peak > target.capacity), None) for days in ends
            )
            yield FullBetween(name, early, late)
    for name in plan.site.datastores:
        late, early = (full_on(site, name, plan.until) for site in others)
        yield FullBetween(name, early, late)


def _deciding(
    plan: Plan, wanted: str, others: tuple[PlannedSite, ...], executor: Executor | None
) -> NightInterval | None:
    """The interval of the tightest backup or copy."""
    verdict = plan.windows.tightest
    if verdict is None:
        return None
    kind, i, later = plan.nights.found(evening(verdict.due))
    night, job = plan.nights.night(kind, i), job_of(verdict.system, later, verdict.copy)
    quick = wanted == "quick"
    scenario = scenario_of(plan.site.file, night_scenario(plan.site.file, night, overtime=True))
    try:
        result = ran(scenario, until=(job,), most_records=LARGEST if quick else None)
    except (TooManyRecordsError, NeverEndsError):
        return None
    records = result.trace.length
    effort = for_scenario(wanted, records) or (LEAN if quick and records <= LARGEST else None)
    if effort is None:
        return None
    found = job_intervals(result, effort=effort, jobs=(job,), executor=executor).get(job)
    if found is None:
        return None
    best = found.elapsed.best
    grown_nights = [_night_of(plan, site, kind, i) for site in others]
    ends = list((executor.map if executor else map)(partial(seconds_of, job), grown_nights))
    if math.inf in ends:
        return None
    grown = math.sqrt(sum(math.log(end / best) ** 2 for end in ends) / len(ends)) / SCORE if ends else 0.0
    whole = found.elapsed.widened(grown).within(found.declared, math.inf)
    variance = (math.log(whole.high / whole.low) / (2.0 * SCORE)) ** 2 if whole.low > 0.0 else 0.0
    origins = Origins(plan.site.file, {})
    names = [one.input.named(origins.called) for one in found.decides]
    if variance and grown**2 / variance >= MATTERS:
        names = [GROWTH, *names[:1]]
    fits = None if verdict.window is None else whole.probability_below(verdict.window)
    return NightInterval(verdict.night, job, whole, fits, tuple(names))


def _night_of(plan: Plan, site: PlannedSite, kind: NightKind, i: int) -> Scenario:
    """A night of a site that has grown otherwise."""
    nights = replace(plan.nights, site=site, played={})
    return scenario_of(plan.site.file, night_scenario(plan.site.file, nights.night(kind, i), overtime=True))


def seconds_of(job: str, night: Scenario) -> float:
    """Seconds of a job in a night, of its slowest run; infinite if it never ends."""
    try:
        result = ran(night, until=(job,))
    except NeverEndsError:
        return math.inf
    return max(float(row["elapsed"]) for row in result.job_rows if series(row["job"]) == job)
