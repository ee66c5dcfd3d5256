"""What to buy so that a site meets its goals: every set of the purchases that a site names is planned, and ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

from simbackup.equations.change import DAY, YEAR
from simbackup.equations.uncertainty import CentralInterval, rank_correlation, spread_of
from simbackup.errors import InputError, Place, Problem
from simbackup.planning.cases import Cases
from simbackup.planning.cost import OTHERS, STORAGE, by_year, months
from simbackup.planning.goals import Goal, Goals, stocked_goals
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.overrides import overridden
from simbackup.planning.plan import Plan
from simbackup.planning.site import PlannedSite, numbers
from simbackup.planning.sizing import tried
from simbackup.policies.calendar import HORIZON
from simbackup.policies.days import each_day
from simbackup.schema.tree import Node

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
    before = numbers(file)
    for names in sets:
        tree = file.source
        for name in names:
            tree = _with(tree, file, name)
        plan, missed = tried(tree, file.name, goals, until)
        one = Purchased(names, tuple(_years(before, names, plan)), missed)
        found.append(one if missed else _in_cases(one, before, plan, goals))
    return sorted(found, key=lambda one: (len(one.missed), one.total, len(one.names)))


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
