"""Variants of a site: compared, searched for the cheapest that meets goals, and sets of purchases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

from simbackup.equations.change import DAY, YEAR
from simbackup.equations.uncertainty import CentralInterval, rank_correlation, spread_of
from simbackup.errors import InputError, Place, Problem
from simbackup.planning.cost import OTHERS, STORAGE, by_year, months
from simbackup.planning.goals import Goal, Goals, cost, judged, stocked_goals
from simbackup.planning.intervals import Cases, stock_sureness, sureness
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.plan import FitsUntil, Plan, earliest, stocked
from simbackup.planning.playing import Play
from simbackup.planning.rewriting import overridden
from simbackup.planning.site import PlannedSite, numbers
from simbackup.policies.calendar import HORIZON
from simbackup.policies.days import each_day
from simbackup.schema.tree import Node


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a site: its plan, and the goals that it misses."""

    name: str
    plan: Plan
    missed: tuple[Goal, ...]
    nights: bool
    """Whether its nights were simulated; without them nothing is known of windows and data lost."""

    @property
    def limit(self) -> FitsUntil | None:
        """What is the first not to fit any longer; None if all fits until the end."""
        return earliest(self.plan.limits if self.nights else self.plan.full)

    @property
    def fits_until(self) -> date | None:
        """The first day on which something no longer fits; None if all fits until the end."""
        return None if self.limit is None else self.limit.date

    @property
    def windows_missed(self) -> int | None:
        """How many windows are missed; None if no night was simulated."""
        return self.plan.windows.missed if self.nights else None

    @property
    def data_lost(self) -> float | None:
        """Seconds of new data that a loss of the data costs on the worst day; None if no night was simulated."""
        return self.plan.losses[0]["worst"] if self.nights else None

    @property
    def years(self) -> Mapping[str, float]:
        """What each year costs; empty without prices."""
        return {year: sums["total"] for year, sums in by_year(self.plan.months).items()}

    @property
    def total(self) -> float:
        """What it costs until the end."""
        return cost(self.plan)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "variant": self.name, "fits_until": self.fits_until, "limit": self.limit and self.limit.what,
            "windows_missed": self.windows_missed, "data_lost": self.data_lost,
            "missed": [goal._asdict() for goal in self.missed], "total": self.total, "costs": self.plan.costs,
        }  # fmt: skip


def compared(
    sites: Mapping[str, PlannedSite],
    until: str | date = HORIZON,
    goals: Goals | None = None,
    *,
    nights: bool = True,
    play: Callable[[PlannedSite], Play] | None = None,
) -> list[Variant]:
    """Plans of several sites until the same time: those that miss fewest goals first, the cheapest of them at the top.

    Parameters
    ----------
    sites
        The sites, by the name of the variant.
    until
        A date, or a time from the start of each.
    goals
        What each is judged by; by default, by nothing.
    nights
        Whether nights are simulated. Otherwise, only capacity, restore points and cost are known: seconds.
    play
        What simulates the nights of a site; by default, the simulator.

    Raises
    ------
    InputError
        Prices are in several currencies, or a site cannot be planned.
    """
    found: list[Variant] = []
    for name, site in sites.items():
        plan = stocked(site, until, play=None if play is None else play(site))
        if nights:
            plan.nights.sample()
        judge = judged if nights else stocked_goals
        missed = tuple(goal for goal in judge(plan, goals) if not goal.met) if goals is not None else ()
        found.append(Variant(name, plan, missed, nights))
    _one_currency(found)
    return sorted(found, key=lambda one: (len(one.missed), one.total))


def _one_currency(variants: Sequence[Variant]) -> None:
    """Refuse costs in several currencies."""
    seen = {one.plan.months[0].currency: one.name for one in variants if one.plan.months}
    if len(seen) > 1:
        (first, one), (second, other), *_ = seen.items()
        message = f"'{one}' costs {first}, and '{other}' {second}"
        raise InputError([Problem(Place("simbackup plan compare"), "", message, "state prices in one currency")])


def tried(tree: Node, name: str, goals: Goals, until: str | date) -> tuple[Plan, tuple[Goal, ...]]:
    """The plan of a site, and the goals that it misses; nights are simulated if it meets those that need none."""
    planned = stocked(numbers(site_of(tree, name)), until)
    missed = tuple(goal for goal in stocked_goals(planned, goals) if not goal.met)
    if not missed:
        if goals.of_all_nights:
            planned.nights.sample()
        missed = tuple(goal for goal in judged(planned, goals) if not goal.met)
    return planned, missed


CLEAR = 0.5
"""Rank correlation from which on a difference is said to depend on a value: by chance, one of 20 cases has 0.45."""
MOST = 256
"""Sets of purchases that are planned unless `--most` asks for more."""


class Cash(NamedTuple):
    """What a year costs, in the currency of the prices."""

    year: int
    bought: float
    """Purchases."""
    yearly: float
    """What is paid for them each year."""
    storage: float
    """Storage; of a pool that a purchase makes larger, only what was there before."""
    others: float = 0.0
    """Hardware, lines and work that the site has without any purchase."""

    @property
    def total(self) -> float:
        """The sum of all."""
        return self.bought + self.yearly + self.storage + self.others


@dataclass(frozen=True, slots=True)
class Purchased:
    """A set of purchases: what each year of the plan then costs, and the goals that the site still misses."""

    names: tuple[str, ...]
    years: tuple[Cash, ...]
    missed: tuple[Goal, ...]
    totals: tuple[float, ...] = ()
    """What is paid until the end in each case of the values of the site; none of a set that misses a goal."""
    fits: float | None = None
    """Share (0 to 1) of cases that meet all goals for which no night is simulated; None of a set that misses one."""
    inputs: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, "tuple[float, ...]"])
    """Where each uncertain value is in each case, in standard deviations from its best estimate."""
    goals: tuple[Goal, ...] = ()
    """All goals with their intervals; only of the first set, if it meets them."""

    @property
    def price(self) -> float:
        """What is paid at once."""
        return sum(year.bought for year in self.years)

    @property
    def total(self) -> float:
        """What is paid until the end of the plan."""
        return sum(year.total for year in self.years)

    @property
    def spread(self) -> CentralInterval:
        """The interval of what is paid until the end of the plan."""
        return spread_of(self.total, self.totals or (self.total,))

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        ends = {"low": self.spread.low, "high": self.spread.high} if self.totals else {"low": None, "high": None}
        return {
            "purchases": list(self.names), "price": self.price, "total": self.total, **ends, "fits": self.fits,
            "years": [{**year._asdict(), "total": year.total} for year in self.years],
            "goals": [goal._asdict() for goal in self.goals],
            "missed": [goal._asdict() for goal in self.missed],
        }  # fmt: skip


class Ranking(NamedTuple):
    """How sure it is that the first of some sets of purchases is the best."""

    first: tuple[str, ...]
    """The set that comes first."""
    second: tuple[str, ...]
    """The next one that meets the goals."""
    share: float
    """Share (0 to 1) of cases in which the first is the cheapest."""
    decides: str
    """The value on which the difference of both depends most; empty if on none in particular."""

    def sentence(self) -> str:
        """It in words.

        >>> Ranking(("disks",), (), 0.85, "prices.pool_month").sentence()
        'disks comes first in 85 % of cases; whether it does before nothing depends most on prices.pool_month'
        """
        first, second = (" and ".join(names) or "nothing" for names in (self.first, self.second))
        said = f"{first} comes first in {100.0 * self.share:.0f} % of cases"
        return f"{said}; whether it does before {second} depends most on {self.decides}" if self.decides else said


def ranking(found: Sequence[Purchased]) -> Ranking | None:
    """How sure the first place is, and on what it depends; None unless two sets meet the goals."""
    rivals = [one for one in found if one.totals]
    if len(rivals) <= 1:
        return None
    first, second = rivals[:2]
    cheapest = [total <= min(others) for total, *others in zip(*(one.totals for one in rivals), strict=True)]
    more = [other - own for own, other in zip(first.totals, second.totals, strict=True)]
    going = {name: abs(rank_correlation(scores, more)) for name, scores in {**second.inputs, **first.inputs}.items()}
    strongest = max(going, key=lambda name: going[name], default="")
    depends = strongest if strongest and going[strongest] >= CLEAR else ""
    return Ranking(first.names, second.names, sum(cheapest) / len(cheapest), depends)


def sets_of(file: SiteFile, most: int | None = None) -> list[tuple[str, ...]]:
    """The sets of purchases that may be made together, the smallest first: no two of them change the same.

    Parameters
    ----------
    file
        The site.
    most
        How many purchases are made at most; all by default.

    Raises
    ------
    InputError
        There are none, or more sets than can be planned unasked.
    """
    purchases = file.spec.purchases
    if not purchases:
        remedy = "write for example 'purchases: {disks: {set: {targets.pool.device.disks: 24}, price: 4000}}'"
        raise InputError([Problem(file.source.place, "purchases", "is missing", remedy)])
    sizes = range(min(len(purchases), len(purchases) if most is None else most) + 1)
    found = [names for size in sizes for names in combinations(purchases, size) if _together(file, names)]
    if most is None and len(found) > MOST:
        message = f"{len(found)} sets of purchases are more than {MOST}"
        raise InputError([Problem(Place("--most"), "", message, "write for example '--most 2'")])
    return found


def impossible(file: SiteFile) -> Iterator[Problem]:
    """What is wrong with the site after each purchase, in the lines of that purchase."""
    for name in file.spec.purchases:
        try:
            numbers(site_of(_with(file.source, file, name), file.name))
        except InputError as error:
            yield from error.problems


def _with(tree: Node, file: SiteFile, name: str) -> Node:
    """The tree of a site with a purchase, whose values know their lines."""
    return overridden(tree, file.source.find(("purchases", name, "set"))[0].mapping)


def _together(file: SiteFile, names: Sequence[str]) -> bool:
    """Whether some purchases change different values."""
    changed = [address for name in names for address in file.spec.purchases[name].set]
    return len({*changed}) == len(changed)


def bought(
    file: SiteFile, goals: Goals, sets: Sequence[tuple[str, ...]], until: str | date = HORIZON
) -> list[Purchased]:
    """The sets of purchases, those that meet the goals first, the cheapest of them at the top.

    Nights and restores are simulated only where capacity, restore points and cost meet their goals.

    Raises
    ------
    InputError
        A purchase changes something that is not there, or a site with it cannot be planned.
    """
    found: list[Purchased] = []
    before, best = numbers(file), None
    for names in sets:
        tree = file.source
        for name in names:
            tree = _with(tree, file, name)
        plan, missed = tried(tree, file.name, goals, until)
        one = Purchased(names, tuple(_years(before, names, plan)), missed)
        one = one if missed else _in_cases(one, before, plan, goals)
        found.append(one)
        if best is None or _rank(one) < _rank(best[0]):
            best = one, plan  # of others, nights would only take memory
    first, *others = sorted(found, key=_rank)
    if best is not None and not first.missed:
        sure = (sureness if goals.of_all_nights else stock_sureness)(best[1])
        first = replace(first, goals=tuple(judged(best[1], goals, sure)))
    return [first, *others]


def _rank(one: Purchased) -> tuple[int, float, int]:
    """The fewer the better: goals that are missed, cost, purchases."""
    return len(one.missed), one.total, len(one.names)


def _in_cases(one: Purchased, before: PlannedSite, plan: Plan, goals: Goals) -> Purchased:
    """A set of purchases with what it costs in cases, and how many of them meet the goals of capacity and cost."""
    cases = Cases(plan.site)
    plans, sites = cases.plans(plan, cases.sample), cases.sites(before, cases.sample)
    pairs = zip(sites, plans, strict=True)
    totals = tuple(sum(year.total for year in _years(site, one.names, case)) for site, case in pairs)
    met = [all(goal.met for goal in stocked_goals(case, goals)) for case in plans]
    scores = {each.name: tuple(case[i] for case in cases.sample) for i, each in enumerate(cases.inputs)}
    return replace(one, totals=totals, fits=sum(met) / len(met) if met else 1.0, inputs=scores)


def _years(before: PlannedSite, names: Sequence[str], plan: Plan) -> Iterator[Cash]:
    """The cash of each year of a plan, at whose start everything is bought.

    What is bought has its own price: of the prices of the site, those count that it costs before any purchase.
    """
    days: dict[int, int] = {}
    for day in each_day(plan.site.start, plan.until):
        days[day.year] = days.get(day.year, 0) + 1
    chosen = [plan.site.file.spec.purchases[name] for name in names]
    costs = by_year(months(plan.site, plan.days, before))
    at_once, yearly = (sum(getattr(one, key).si for one in chosen) for key in ("price", "yearly"))
    for year, number in days.items():
        first, sums = at_once if year == plan.site.start.year else 0.0, costs.get(str(year), {})
        storage, others = (sum(sums.get(key, 0.0) for key in keys) for keys in (STORAGE, OTHERS))
        yield Cash(year, first, yearly * number * DAY / YEAR, storage, others)
