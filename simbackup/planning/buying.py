"""What to buy so that a site meets its goals: every set of the purchases that a site names is planned, and ranked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

from simbackup.equations.change import DAY, YEAR
from simbackup.errors import InputError, Place, Problem
from simbackup.planning.cost import by_year
from simbackup.planning.goals import Goal, Goals
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.overrides import overridden
from simbackup.planning.plan import Plan
from simbackup.planning.site import numbers
from simbackup.planning.sizing import tried
from simbackup.policies.days import each_day
from simbackup.policies.horizon import HORIZON
from simbackup.schema.tree import Node

MOST = 256
"""Sets of purchases that are planned unless `--most` asks for more."""


class Cash(NamedTuple):
    """What a year costs: what is bought, what is paid for it each year, and storage, in the currency of the prices."""

    year: int
    bought: float
    yearly: float
    storage: float

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.bought + self.yearly + self.storage


@dataclass(frozen=True, slots=True)
class Purchased:
    """A set of purchases: what each year of the plan then costs, and the goals that the site still misses."""

    names: tuple[str, ...]
    years: tuple[Cash, ...]
    missed: tuple[Goal, ...]

    @property
    def price(self) -> float:
        """What is paid at once."""
        return sum(year.bought for year in self.years)

    @property
    def total(self) -> float:
        """What is paid until the end of the plan."""
        return sum(year.total for year in self.years)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "purchases": list(self.names), "price": self.price, "total": self.total,
            "years": [{**year._asdict(), "total": year.total} for year in self.years],
            "missed": [goal._asdict() for goal in self.missed],
        }  # fmt: skip


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
    for names in sets:
        tree = file.source
        for name in names:
            tree = _with(tree, file, name)
        plan, missed = tried(tree, file.name, goals, until)
        found.append(Purchased(names, tuple(_years(file, names, plan)), missed))
    return sorted(found, key=lambda one: (len(one.missed), one.total, len(one.names)))


def _years(file: SiteFile, names: Sequence[str], plan: Plan) -> Iterator[Cash]:
    """The cash of each year of a plan, at whose start everything is bought."""
    days: dict[int, int] = {}
    for day in each_day(plan.site.start, plan.until):
        days[day.year] = days.get(day.year, 0) + 1
    chosen, storage = [file.spec.purchases[name] for name in names], by_year(plan.months)
    at_once, yearly = (sum(getattr(one, key).si for one in chosen) for key in ("price", "yearly"))
    for year, number in days.items():
        first = at_once if year == plan.site.start.year else 0.0
        yield Cash(year, first, yearly * number * DAY / YEAR, storage.get(str(year), [0.0])[-1])
