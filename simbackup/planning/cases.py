"""What a site stores and pays over the ranges of its own values: its ledger in some cases, without a simulation.

The cases are those of intervals of results: a Latin hypercube over all values with a range, of the site file, of the
datasheets that it names, and of the data and targets of its first night, in which typical ranges stand in. One ledger
counts all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from simbackup.planning.cost import by_year
from simbackup.planning.ledger import Day
from simbackup.planning.origins import Origins
from simbackup.planning.plan import Plan, of_quarters
from simbackup.planning.site import PlannedSite, in_case
from simbackup.scenario import Scenario
from simbackup.scenario.scenario import Value
from simbackup.schema.part import quantities_of
from simbackup.uncertainty.conditioning import CaseFigures
from simbackup.uncertainty.deciding import MATTERS, NAMED
from simbackup.uncertainty.effort import Effort
from simbackup.uncertainty.estimate import Estimate, estimated
from simbackup.uncertainty.inputs import Input, Stated, Use, factors, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube

SITE, NIGHT = "site", "night"
"""Where values of a site are stated: in its file, and in the scenario of its first night, which has its datasheets."""
EFFORT = Effort(20, 6)
"""Cases that are counted, and groups of inputs that are moved besides."""
FULL = "full"
"""The first days on which something is full, among the figures."""
ONE_DAY = timedelta(days=1)
COUNTED = frozenset({"systems", "targets", "growth", "index_record", "prices", "purchases"})
"""Keys of a site file on whose values a ledger depends."""
Read = Callable[[Plan], Mapping[str, float]]
"""Reads figures by name from the plan of a case, of which no night is simulated."""


@dataclass(frozen=True)
class Cases:
    """The cases of a site, of which no night is simulated but those with failures."""

    site: PlannedSite

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The values with a range on which stocks and cost depend."""
        site, night = Stated(tuple(_of_site(self.site))), Stated(tuple(_of_night(self.site, self._night)))
        return tuple(one for one in inputs({SITE: site, NIGHT: night}) if any(isinstance(u, Use) for u in one.uses))

    @cached_property
    def _night(self) -> Scenario:
        return self.site.first_night

    @cached_property
    def sample(self) -> list[Case]:
        """A Latin hypercube; an input of two plans has the same values in both."""
        return latin_hypercube(self.inputs, EFFORT.cases, 0)

    def sites(self, site: PlannedSite, cases: Sequence[Case]) -> tuple[PlannedSite, ...]:
        """A site whose values have the names of those of this one, in each case."""
        moved = [factors(self.inputs, case) for case in cases]
        return tuple(in_case(site, self._night, one.get(SITE, {}), one.get(NIGHT, {})) for one in moved)

    def plans(self, plan: Plan, cases: Sequence[Case]) -> list[Plan]:
        """A plan of the site in each case."""
        return plan.in_cases(self.sites(plan.site, cases))

    def estimates(self, plan: Plan, read: Read, asked: Collection[str]) -> dict[str, Estimate]:
        """Figures of a plan with their intervals, and the inputs that widen those that are `asked` for."""

        def run(cases: Sequence[Case], _: int) -> list[CaseFigures]:
            return [CaseFigures(read(each)) for each in self.plans(plan, cases)]

        return estimated(CaseFigures(read(plan)), self.inputs, run, EFFORT, asked=asked)

    def named(self, found: Estimate) -> tuple[str, ...]:
        """The inputs that widen an interval most, as the site file calls them."""
        origins = Origins(self.site.file, {})
        own = [one for one in found.contributions if one.share >= MATTERS][:NAMED]
        return tuple(one.input.named(origins.called) for one in own)


def _of_site(site: PlannedSite) -> Iterator[Value]:
    """Values of the file; compression is in the night, too, where a typical range stands in for one that is missing."""
    for path, quantity in quantities_of(site.file.spec):
        if path[0] in COUNTED and path[-1] != "compression":
            yield Value(".".join(path), quantity, site.file.tree.find(path)[0].place)


def _of_night(site: PlannedSite, night: Scenario) -> Iterator[Value]:
    """Values of the data of systems, and of the devices of targets."""
    devices = {site.file.spec.device_of(name) for name in site.targets}
    for value in night.values:
        section, name, *_ = value.address.split(".")
        if section == "data" or (section == "devices" and name in devices):
            yield value


def stocks_and_cost(plan: Plan) -> dict[str, float]:
    """What targets hold at the ends of quarters and at the most, cartridges, and cost, by address."""
    found: dict[str, float] = {}
    for day in of_quarters(plan.days):
        for name in plan.site.targets:
            found |= stock_figures(plan, day, name)
    for name, target in plan.site.targets.items():
        if not target.tape:
            found[f"targets.{name}.most"] = max(day.stocks[name].peak for day in plan.days)
    for year, parts in by_year(plan.months).items():
        found |= {f"cost.{year}.{key}": each for key, each in parts.items()}
    if plan.months:
        found["cost.total"] = sum(month.total for month in plan.months)
    return found


def explained(plan: Plan) -> set[str]:
    """The figures of which it is found out what widens them: those of the last day and of all years, and days."""
    last = plan.days[-1]
    found = {address for name in plan.site.targets for address in stock_figures(plan, last, name)}
    return {*found, *first_full(plan), "cost.total"}


def stock_figures(plan: Plan, day: Day, target: str) -> dict[str, float]:
    """What a target holds at the end of a day, by address: bytes, or cartridges in use and bought."""
    stock = day.stocks[target]
    if not plan.site.targets[target].tape:
        return {f"targets.{target}.used.{day.day}": stock.used}
    return {f"targets.{target}.{key}.{day.day}": float(getattr(stock, key)) for key in ("cartridges", "bought")}


def first_full(plan: Plan) -> dict[str, float]:
    """The first day on which each thing no longer fits, by its name, as a number; the day after the end if it fits."""
    return {f"{FULL}.{one.what}": float((one.date or plan.until + ONE_DAY).toordinal()) for one in plan.full}


def day_of(plan: Plan, number: float) -> date | None:
    """The day with a number; None if it is after the end."""
    return date.fromordinal(int(number)) if number <= plan.until.toordinal() else None
