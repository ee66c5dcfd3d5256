"""How sure a plan is: 90 % intervals of its nights, capacity, dates and cost.

Capacity, cartridges, cost and the dates on which something is full come from ledgers in some cases: a Latin hypercube
over all values with a range, of the site file, of the datasheets that it names, and of its first night, in which
typical ranges stand in. One ledger counts all of them at once. The night that decides is simulated over the ranges of
its inputs. Windows missed and data lost follow from times, of which all are taken to be as far off as that night is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.equations.uncertainty import LEVEL, SCORE, CentralInterval
from simbackup.errors import Place
from simbackup.planning.cautions import each_grows_by_itself
from simbackup.planning.cost import by_year
from simbackup.planning.ledger import Day
from simbackup.planning.loading import site_of
from simbackup.planning.night import job_of
from simbackup.planning.origins import Origins
from simbackup.planning.plan import Plan, of_quarters
from simbackup.planning.playing import scenario_on
from simbackup.planning.site import PlannedSite, in_case, numbers
from simbackup.planning.windows import LevelKey
from simbackup.results.figures import series
from simbackup.run import NeverEndsError, TooManyRecordsError, ran
from simbackup.scenario import Scenario
from simbackup.scenario.scenario import Value
from simbackup.schema import tree as trees
from simbackup.schema.part import quantities_of
from simbackup.uncertainty.conditioning import CaseFigures
from simbackup.uncertainty.deciding import MATTERS, NAMED
from simbackup.uncertainty.effort import LEAN, Effort, for_scenario
from simbackup.uncertainty.estimate import Estimate, estimated
from simbackup.uncertainty.inputs import Input, Stated, Use, factors, inputs
from simbackup.uncertainty.sampling import Case, latin_hypercube
from simbackup.uncertainty.verdict import JobInterval, fitting, job_intervals
from simbackup.units import show_short

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

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


LARGEST = 12_000
"""Records of a night up to which it is sampled unasked: about half a minute."""
GROWTH = "growth"
LOST = ("worst", "mean")
"""The worst day of a loss, and the mean of all days."""


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
    ungrown: JobInterval
    """The interval if growth were certain."""
    grown: float = 0.0
    """Standard deviation of the logarithm that is due to growth, for each day since the plan begins."""

    def times(self, end: int, start: date, day: date) -> float:
        """By what factor all may take longer or shorter on a day of a plan that begins at `start`.

        `end` is 0 for the best value (a factor of 1), 1 for the lower end of the 90 % interval, and 2 for the upper.
        Growth widens the interval from day to day; the error of the model is there from the start.
        """
        found = self.ungrown.elapsed.widened(self.grown * max((day - start).days, 0))
        return found[end] / found.best

    def sentence(self) -> str:
        """The verdict in words."""
        low, high = (show_short(end, "s", 3) for end in (self.elapsed.low, self.elapsed.high))
        text = f"'{self.job}' on {self.night}: {low} to {high} in {100 * LEVEL:.0f} % of cases"
        if self.fits is not None:
            text += f"; {fitting(self.fits, sure=self.ungrown.sure)}"
        tested = self.ungrown.learned()
        return f"{text}. {tested[:1].upper()}{tested[1:]}{matters(self.decides)}"


class FullBetween(NamedTuple):
    """Between which dates a target or datastore is first full in 90 % of cases, None where it never is."""

    target: str
    """The target or datastore."""
    early: date | None
    """The early end; None if it never is full."""
    late: date | None
    """The late end; None if it may never be full."""
    decides: tuple[str, ...] = ()
    """Inputs that widen the interval most."""

    def sentence(self) -> str:
        """When it is full, for people.

        >>> FullBetween("pool", date(2028, 4, 13), None, ("growth",)).sentence()
        'between 2028-04-13 and the end, or never, in 90 % of cases; growth matters most'
        >>> FullBetween("pool", date(2028, 4, 13), date(2028, 4, 13)).sentence()
        'on 2028-04-13 in 90 % of cases'
        """
        until = self.late or "the end, or never,"
        when = f"on {self.early}" if self.early == self.late else f"between {self.early} and {until}"
        return f"{when} in {100 * LEVEL:.0f} % of cases{matters(self.decides)}"


class FigureInterval(NamedTuple):
    """A figure of a plan with its 90 % interval."""

    value: float
    """The figure, in SI units or in the currency of the prices."""
    low: float
    """The lower end."""
    high: float
    """The upper end."""
    decides: tuple[str, ...] = ()
    """Inputs that widen the interval most."""


def matters(decides: Sequence[str]) -> str:
    """Which inputs widen an interval most, as the end of a sentence; nothing without any."""
    return f"; {' and '.join(decides)} {'matter' if len(decides) > 1 else 'matters'} most" if decides else ""


class Sureness(NamedTuple):
    """The intervals of a plan: the deciding night, None where it is too large to be sampled; full targets; figures."""

    night: NightInterval | None
    full: tuple[FullBetween, ...]
    figures: Mapping[str, FigureInterval] = {}
    """By address, such as `targets.pool.used.2027-12-31`."""

    def ends(self, address: str, text: Callable[[float], str]) -> str:
        """The ends of the interval of a figure in words; nothing where both read as the figure itself.

        >>> Sureness(None, (), {"cost.total": FigureInterval(5.0, 4.0, 7.0)}).ends("cost.total", "{:.0f}".format)
        '4 to 7'
        """
        one = self.figures.get(address)
        if one is None:
            return ""
        value, low, high = map(text, one[:3])
        return "" if low == high == value else f"{low} to {high}"

    def cost(self) -> str:
        """What all years cost, in words; nothing where that is certain or unknown."""
        total = self.figures.get("cost.total")
        if total is None or total.low == total.high:
            return ""
        return f"{total.low:,.0f} to {total.high:,.0f} in {100 * LEVEL:.0f} % of cases{matters(total.decides)}"

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        night = None if self.night is None else {
            "night": self.night.night, "job": self.night.job, "probability": LEVEL, **self.night.elapsed._asdict(),
            "fits": self.night.fits, "decides": list(self.night.decides),
        }  # fmt: skip
        figures = [{"address": address, **one._asdict()} for address, one in self.figures.items()]
        return {"night": night, "full": [one._asdict() for one in self.full], "figures": figures}

    def table(self) -> dict[str, list[dict[str, Any]]]:
        """The intervals of figures as a table beside those of the plan; none without figures."""
        figures = dict(self.figures)
        if self.night is not None:
            address = f"nights.{self.night.night}.{self.night.job}"
            figures[address] = FigureInterval(*self.night.elapsed[:3], self.night.decides)
        rows = [
            {"address": address, **one._asdict(), "decides": ", ".join(one.decides)} for address, one in figures.items()
        ]
        return {"intervals": rows} if rows else {}


NOT_ASKED = Sureness(None, ())
"""The intervals of a plan for which nobody asked."""


def sureness(plan: Plan, wanted: str = "quick", executor: Executor | None = None) -> Sureness:
    """How sure a plan is: the night that decides is sampled, and ledgers are over the ranges of the site's own values.

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
        return NOT_ASKED
    night = _deciding(plan, wanted, executor)
    stocked = stock_sureness(plan)
    return stocked._replace(night=night, figures={**stocked.figures, **dict(_timed(plan, night))})


def stock_sureness(plan: Plan) -> Sureness:
    """How sure capacity, cartridges, cost and the days on which something is full are; no night is simulated."""
    cases = Cases(plan.site)
    found = cases.estimates(plan, lambda each: {**stocks_and_cost(each), **first_full(each)}, explained(plan))
    full: list[FullBetween] = []
    figures: dict[str, FigureInterval] = {}
    for name, one in found.items():
        decides = cases.named(one)
        kind, _, what = name.partition(".")
        if kind != FULL:
            figures[name] = FigureInterval(*one.spread[:3], decides)
            continue
        early, late = (day_of(plan, end) for end in (math.floor(one.spread.low), math.ceil(one.spread.high)))
        if early is not None:
            full.append(FullBetween(what, early, late, decides))
    return Sureness(None, tuple(full), figures)


def _timed(plan: Plan, night: NightInterval | None) -> Iterator[tuple[str, FigureInterval]]:
    """Windows missed and seconds of data lost if all times are as far off as those of the night that decides."""
    if night is None or not night.elapsed.best > 0.0:
        return
    best, *ends = (partial(night.times, end, plan.site.start) for end in range(3))
    low, high = (plan.windows.missed_if(each) for each in ends)
    for key, missed in plan.windows.missed_if(best).items():
        yield windows_missed(key), FigureInterval(missed, low[key], high[key])
    early, late = (plan.losses_with(plan.arrivals.slower(each)) for each in ends)
    for best, less, more in zip(plan.losses, early, late, strict=True):
        for key in () if best["policy"] else LOST:
            if None not in (each := [one[key] for one in (best, less, more)]):
                yield data_lost(best["after_loss_of"], key), FigureInterval(each[0], min(each), max(each))


def windows_missed(key: LevelKey) -> str:
    """The address of the nights that miss a window at a level of a policy.

    >>> windows_missed(("nightly", "full", "tape"))
    'windows.nightly.full.tape.missed'
    """
    return ".".join(["windows", *filter(None, key), "missed"])


def data_lost(place: str, key: str) -> str:
    """The address of the seconds of data that a loss costs, of a place or of data alone.

    >>> data_lost("main", "worst"), data_lost("", "mean")
    ('lost.main.worst', 'lost.data.mean')
    """
    return f"lost.{place or 'data'}.{key}"


def frame_of(plan: Plan) -> pd.DataFrame:
    """The intervals of a plan as a table by address, see `Plan.intervals`."""
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    rows = [{**row, "unit": _unit(row["address"])} for row in sureness(plan).table().get("intervals", [])]
    columns = ["address", *FigureInterval._fields[:3], "unit", "decides"]
    return pd.DataFrame(rows, columns=columns).set_index("address")


def _unit(address: str) -> str:
    """The unit of a figure with an interval: that of money for costs, none for what is counted."""
    first, *rest = address.split(".")
    if first == "targets":
        return "B" if {"used", "most"} & {*rest[1:]} else ""
    return {"nights": "s", "lost": "s", "cost": "money"}.get(first, "")


def _grown(site: PlannedSite) -> Iterator[PlannedSite]:
    """The site with growth at the lower and at the upper end of its range; none where that changes nothing."""
    growth = site.file.spec.growth
    if growth is None or growth.low is None or growth.high is None or each_grows_by_itself(site):
        return
    for end in (growth.low, growth.high):
        node = trees.from_plain(end if growth.unit == "1" else f"{end!r} {growth.unit}", Place(GROWTH))
        yield numbers(site_of(trees.set_path(site.file.tree, (GROWTH,), node), site.file.name))


def _deciding(plan: Plan, wanted: str, executor: Executor | None) -> NightInterval | None:
    """The interval of the tightest backup or copy."""
    verdict = plan.windows.tightest
    if verdict is None:
        return None
    kind, i, job = plan.nights.of(verdict)
    night = plan.nights.night(kind, i)
    quick = wanted == "quick"
    scenario = scenario_on(plan.site.file, night, plan.site.first)
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
    sizes = (replace(plan.nights, site=site, played={}).night(kind, i) for site in _grown(plan.site))
    grown_nights = [scenario_on(plan.site.file, each, scenario) for each in sizes]
    ends = list((executor.map if executor else map)(partial(seconds_of, job), grown_nights))
    if math.inf in ends:
        return None
    grown = math.sqrt(sum(math.log(end / best) ** 2 for end in ends) / len(ends)) / SCORE if ends else 0.0
    whole = found.elapsed.widened(grown).within(found.declared, math.inf)
    days = max((verdict.night - plan.site.start).days, 1)
    variance = (math.log(whole.high / whole.low) / (2.0 * SCORE)) ** 2 if whole.low > 0.0 else 0.0
    origins = Origins(plan.site.file, {})
    names = [one.input.named(origins.called) for one in found.decides]
    if variance and grown**2 / variance >= MATTERS:
        names = [GROWTH, *names[:1]]
    fits = None if verdict.window is None else whole.probability_below(verdict.window)
    named = job_of(verdict.system, 0, verdict.copy)
    return NightInterval(verdict.night, named, whole, fits, tuple(names), found, grown / days)


def seconds_of(job: str, night: Scenario) -> float:
    """Seconds of a job in a night, of its slowest run; infinite if it never ends."""
    try:
        result = ran(night, until=(job,))
    except NeverEndsError:
        return math.inf
    return max(float(row["elapsed"]) for row in result.job_rows if series(row["job"]) == job)
