"""Which uncertain inputs of a site decide the verdicts of its plan: each is moved alone to both ends of its range."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, NamedTuple, cast

from simbackup.equations.uncertainty import SCORE
from simbackup.errors import InputError, ResultError
from simbackup.planning.goals import cost
from simbackup.planning.intervals import seconds_of
from simbackup.planning.ledger import Ledger, counted_together
from simbackup.planning.loading import site_of
from simbackup.planning.night import NightKind
from simbackup.planning.origins import Origins
from simbackup.planning.plan import Plan
from simbackup.planning.playing import scenario_on
from simbackup.planning.restore import restore
from simbackup.planning.rewriting import overridden
from simbackup.planning.site import PlannedSite, numbers
from simbackup.scenario import Scenario
from simbackup.uncertainty.inputs import Use, inputs
from simbackup.units import show_short

Figures = Mapping[str, float]
"""Figures of a plan by name; of dates their ordinals, infinite for one that never comes."""
IN_LEDGERS = frozenset({"change", "deduplication"})
"""Parts of a site whose datasheets the ledger reads, too."""
LEAST = 1e-3
"""Share by which a figure must move for an input to be named."""
COST = "cost"
LONG = re.compile(r"\d+\.\d{5,}")
"""A number with more digits than anybody reads."""
DATES, TIMES = "date", "s"
TOGETHER = 64
"""How many cases one ledger counts at once, for their memory."""
PRICED = frozenset({"prices", "costs", "purchases"})
"""Parts of a site on whose values only the cost depends."""
WITHOUT_EFFECT = frozenset({"currency", "date"})
"""Values of prices that are no figures."""


class PlanInput(NamedTuple):
    """An uncertain input of a site: an address, the ends of its range, and all addresses that it stands at."""

    name: str
    low: str
    high: str
    addresses: tuple[str, ...]

    @property
    def called(self) -> str:
        """Its name, and at how many more addresses it stands."""
        others = len(self.addresses) - 1
        return f"{self.name} and {others} more" if others else self.name

    @property
    def range(self) -> str:
        """Its range for people."""
        return LONG.sub(lambda number: f"{float(number[0]):.4g}", f"{self.low} to {self.high}")


class Moved(NamedTuple):
    """A figure at both ends of the range of an input."""

    input: PlanInput
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Decided:
    """A figure of a plan, its limit, and the inputs that move it, the one that moves it most first."""

    figure: str
    """What it is, in words."""
    kind: str
    """`date`, `s`, or a currency."""
    best: float
    """At the best estimates."""
    limit: float | None
    """From where on the verdict is another: the end of the plan, or a window; None if the site states none."""
    moved: tuple[Moved, ...]
    """Its values at the ends of inputs."""

    def flips(self, value: float) -> bool:
        """Whether the verdict at a value is another than at the best estimates."""
        return self.limit is not None and (value > self.limit) != (self.best > self.limit)

    @property
    def deciding(self) -> tuple[PlanInput, ...]:
        """The inputs that alone make the verdict another one within their range."""
        return tuple(one.input for one in self.moved if self.flips(one.low) or self.flips(one.high))

    def shown(self, value: float) -> str:
        """A value for people."""
        if self.kind == DATES:
            return "the end" if math.isinf(value) else str(date.fromordinal(int(value)))
        if math.isinf(value):
            return "never"
        return show_short(value, "s", 3) if self.kind == TIMES else f"{value:,.0f} {self.kind}"

    def sentence(self) -> str:
        """Which inputs decide the verdict, in words."""
        if self.limit is None:
            return ""
        names = [one.called for one in self.deciding]
        if not names:
            return f"{self.figure}: no input alone changes the verdict"
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        return f"{self.figure}: {listed} {'decide' if len(names) > 1 else 'decides'} the verdict"

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints; dates as text, None for what never comes."""

        def plain(value: float) -> Any:
            if math.isinf(value):
                return None
            return date.fromordinal(int(value)).isoformat() if self.kind == DATES else value

        return {
            "figure": self.figure, "unit": self.kind, "value": plain(self.best),
            "limit": None if self.limit is None else plain(self.limit),
            "inputs": [
                {
                    "input": one.input.name, "at": list(one.input.addresses), "range": [one.input.low, one.input.high],
                    "figure": [plain(one.low), plain(one.high)], "decides": one.input in self.deciding,
                }
                for one in self.moved
            ],
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PlanSensitivity:
    """The figures of a plan with what moves them."""

    decided: tuple[Decided, ...]
    inputs: int
    """How many inputs were moved."""
    left_out: tuple[str, ...]
    """Inputs at an end of whose range there is no such site."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of each site: the ledger, and unless it is `quick`, the tightest night and a restore."""

    plan: Plan
    night: tuple[NightKind, int, str] | None
    """Kind and number of the tightest night, and its tightest job; None if no night is asked for."""
    restored: tuple[datetime, str] | None
    """When everything is restored, and what is lost; None if that is not asked for."""

    def each(self, cases: Sequence[Mapping[str, object]]) -> Iterator[Figures | None]:
        """The figures of the site with other values at some addresses, in each case; None if there is no such site.

        Cases that differ from the plan in numbers alone are counted by one ledger.
        """
        for some in (cases[i : i + TOGETHER] for i in range(0, len(cases), TOGETHER)):
            sites = [self._site(case) for case in some]
            together = [site for site in sites if site is not None and counted_together(site, self.plan.site)]
            plans = {id(plan.site): plan for plan in self.plan.in_cases(together)}
            for case, site in zip(some, sites, strict=True):
                if site is None:
                    yield None
                    continue
                plan = plans.get(id(site))
                if plan is None:
                    plan = replace(self.plan, site=site, days=tuple(Ledger(site).days(self.plan.until)))
                yield self.of(plan, priced=all(map(_priced, case)))

    def of(self, other: Plan, *, priced: bool = False) -> Figures:
        """The figures of a plan; of one in which only prices are others, those that take no time."""
        found = {
            f"{one.what} fits until": math.inf if one.date is None else float(one.date.toordinal())
            for one in other.full
        }
        if other.months:
            found[COST] = cost(other)
        if self.night is not None and not priced:
            kind, i, job = self.night
            nights = replace(self.plan.nights, site=other.site, days=other.days, played={}, done={})
            found[f"'{job}' in its window"] = seconds_of(job, scenario_on(other.site.file, nights.night(kind, i)))
        if self.restored is not None and not priced:
            when, lost = self.restored
            back = restore(other.site, "site", when, lost, nights=self.plan.nights)
            found[f"all back after the loss of {lost or 'data alone'}"] = back.until(1.0) if back.complete else math.inf
        return found

    def _site(self, values: Mapping[str, object]) -> PlannedSite | None:
        """The site with other values; what does not come about as parts fail stays as it is."""
        before = self.plan.site
        tree = overridden(before.file.tree if before.lacking else before.file.source, values)
        try:
            site = numbers(site_of(tree, before.file.name, before.file.source if before.lacking else None))
        except InputError:
            return None
        if site.file.spec.policies.keys() != before.file.spec.policies.keys():
            return None  # they are divided in another way
        return replace(site, lacking=before.lacking)


def _priced(address: str) -> bool:
    """Whether only the cost depends on the value at an address."""
    first, *others = address.split(".")
    return first in PRICED or (first == "targets" and others[1:2] == ["prices"])


def plan_sensitivity(
    plan: Plan,
    restored: tuple[datetime, str] | None = None,
    *,
    quick: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> PlanSensitivity:
    """Which inputs with a range decide until when a site fits, its tightest window, a restore, and its cost.

    Each input is moved alone to both ends of its range, as in the tornado of `sensitivity`. An input that stands at
    several addresses with the same value, range and reason is one.

    Parameters
    ----------
    plan
        The plan. Unless `quick`, its nights have been simulated.
    restored
        A moment and what is lost: the time until all is back is one of the figures.
    quick
        Whether only ledgers are made, in seconds: capacity and cost. Inputs that these do not read are left out.
    progress
        Called with how many plans are made, and how many there will be.

    Raises
    ------
    ResultError
        Nothing in the site has a range.
    """
    tightest = None if quick else plan.windows.tightest
    night = tightest and plan.nights.of(tightest)
    asked = _Asked(plan, night, None if quick else restored)
    first = plan.site.first_night if night is None else scenario_on(plan.site.file, plan.nights.night(*night[:2]))
    moved = list(plan_inputs(plan.site, first, quick=quick))
    if not moved:
        raise ResultError(f"{plan.site.file.spec.title}: no value has a range; state values as assumed, with one")
    best = asked.of(plan)
    cases = [dict.fromkeys(one.addresses, end) for one in moved for end in (one.low, one.high)]
    ends: list[Figures | None] = []
    for found in asked.each(cases):
        ends.append(found)
        if progress is not None:
            progress(len(ends), len(cases))
    pairs = list(zip(moved, ends[::2], ends[1::2], strict=True))
    known = [(one, low, high) for one, low, high in pairs if low is not None and high is not None]
    left_out = tuple(one.called for one, low, high in pairs if low is None or high is None)
    decided = tuple(_decided(plan, night, name, best[name], known) for name in best)
    return PlanSensitivity(decided, len(known), left_out)


def _decided(
    plan: Plan,
    night: tuple[NightKind, int, str] | None,
    name: str,
    best: float,
    known: list[tuple[PlanInput, Figures, Figures]],
) -> Decided:
    """A figure with the inputs that move it."""
    fits = name.endswith("fits until")
    kind = DATES if fits else plan.months[0].currency if name == COST else TIMES
    limit = None
    if fits:
        limit = float(plan.until.toordinal())
    elif night is not None and name == f"'{night[2]}' in its window":
        limit = plan.windows.tightest.window if plan.windows.tightest is not None else None
    moved = [Moved(one, low.get(name, best), high.get(name, best)) for one, low, high in known]
    scale = 1.0 if fits else LEAST * abs(best)
    end = float(plan.until.toordinal()) + 1.0

    def swing(one: Moved) -> float:
        here, *others = (min(each, end) if fits else each for each in (best, one.low, one.high))
        return max(abs(each - here) if each != here else 0.0 for each in others)

    named = sorted((one for one in moved if swing(one) >= max(scale, 1e-12)), key=swing, reverse=True)
    return Decided(name, kind, best, limit, tuple(named))


def plan_inputs(site: PlannedSite, night: Scenario, *, quick: bool = False) -> Iterator[PlanInput]:
    """The inputs of a site with a range: those that its file states, and those of its datasheets that a night reads.

    Parameters
    ----------
    site
        The site.
    night
        A scenario of one of its nights.
    quick
        Whether only those count that the ledger reads.
    """
    stated: dict[tuple[str, ...], list[str]] = {}
    own = set[str]()
    for path, node in (site.file.tree if site.lacking else site.file.source).leaves():
        said = cast("dict[str, Any]", node.plain() if node.is_quantity else {})
        ends = [str(end) for end in said.get("range") or ()]
        if len({*ends}) > 1 and path[-1] not in WITHOUT_EFFECT:
            key = path[-1], str(said.get("value")), ends[0], ends[-1], str(said.get("why", ""))
            stated.setdefault(key, []).append(".".join(path))
            own.add(".".join(path))
    origins = Origins(site.file, {})
    for one in inputs({"night": night}):
        addresses = dict.fromkeys(".".join(origins.path(use.address)) for use in one.uses)
        first = one.uses[0]
        read = not quick or any(IN_LEDGERS & {*address.split(".")} for address in addresses)
        if isinstance(first, Use) and read and own.isdisjoint(addresses):
            low, high = first.at(-SCORE), first.at(SCORE)
            best = show_short(first.best, first.unit, 3)
            key = one.name.rpartition(".")[2], best, low or best, high or best, one.origin.partition("#")[0]
            stated.setdefault(key, []).extend(addresses)
    for key, addresses in stated.items():
        yield PlanInput(addresses[0], key[2], key[3], tuple(dict.fromkeys(addresses)))
