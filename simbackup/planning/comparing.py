"""Variants of a site side by side: until when each fits, what it misses, and what it costs in each year."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from simbackup.errors import InputError, Place, Problem
from simbackup.planning.cost import by_year
from simbackup.planning.goals import Goal, Goals, cost, judged, stocked_goals
from simbackup.planning.plan import FitsUntil, Plan, stocked
from simbackup.planning.playing import Play
from simbackup.planning.site import PlannedSite
from simbackup.policies.calendar import HORIZON


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
        limits = self.plan.limits if self.nights else self.plan.full
        return min((one for one in limits if one.date is not None), key=lambda one: one.date or date.max, default=None)

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
