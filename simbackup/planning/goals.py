"""Goals of a site: windows, capacity, restores, data lost, restore points and budget, and whether a plan meets them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from simbackup import shelf
from simbackup.errors import InputError, Problem
from simbackup.planning.cost import MEAN_MONTH
from simbackup.planning.intervals import NOT_ASKED, Sureness, data_lost
from simbackup.planning.plan import Plan
from simbackup.planning.recovery import Recovery
from simbackup.planning.restore import AT_ONCE, restore, scope_of
from simbackup.planning.spec import CalendarDay
from simbackup.schema.part import Disagreement, Rules, disagreements
from simbackup.schema.quantity import Count, Duration, Frozen, Money, PositiveCount, Text
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import kind_of, read
from simbackup.units import show_short


class RestoreGoalSpec(Frozen):
    """A restore that must be quick and lose little data."""

    what: Text = "site"
    """`site`, `client NAME`, or `one-file NAME`."""
    at: CalendarDay | None = None
    """The day; by default, the last one of the plan for `within`, and the worst one for `data_lost`."""
    after_loss_of: Text | None = None
    """The target, place or datastore that is lost; none by default."""
    within: Duration | None = None
    """Longest time until it is complete (RTO)."""
    data_lost: Duration | None = None
    """Longest time between the restore point and the loss (RPO), on the worst day of the plan unless `at` names one."""
    at_once: PositiveCount | None = None
    """Number of restores from disk at the same time; four by default."""

    def rules(self) -> Rules:
        """Report a restore that may take and lose what it likes."""
        if self.within is None and self.data_lost is None:
            yield (), "has no limit, so any restore meets it", "write 'within: 4 h', or 'data_lost: 24 h'"


class GoalsSpec(Frozen):
    """The goals that a site must meet."""

    windows_missed: Count | None = None
    """Total number of windows that backups and copies may miss, not counting the first backup of each system."""
    fits: Annotated[bool, Field()] = True
    """Whether pools and libraries must have space for everything until the end."""
    restore_points: Count | None = None
    """Minimum number of restore points of each system at the end."""
    budget_month: Money | None = None
    """Maximum average cost per month, in the currency of the prices."""
    restores: dict[Text, RestoreGoalSpec] = Field(default_factory=dict)
    """Restores by name."""


class Goal(NamedTuple):
    """A goal, what is wanted, what was found, whether that is enough, and what is found in 90 % of cases if known."""

    goal: str
    wanted: str
    found: str
    met: bool
    between: str = ""


@dataclass(frozen=True, slots=True)
class Goals:
    """What a file of goals says, and its tree with the places."""

    spec: GoalsSpec
    tree: Node

    @property
    def of_all_nights(self) -> bool:
        """Whether any of them is about all nights of a plan; a restore simulates those before it by itself."""
        each = self.spec.restores.values()
        return self.spec.windows_missed is not None or any(one.data_lost is not None and one.at is None for one in each)


def read_goals(path: str) -> Goals:
    """The goals of a file.

    Raises
    ------
    InputError
        Everything that is wrong with it.
    """
    return goals_of(read(Path(path), shelf.shown(Path(path))))


def goals_of(tree: Node) -> Goals:
    """The goals of a tree."""
    other = kind_of(tree.mapping)
    if other is not None:
        raise InputError(
            [Problem(tree.place, "", f"is a {other}, not a file of goals", "write for example 'windows_missed: 0'")]
        )
    problems: list[Problem] = []
    spec = validate(GoalsSpec, tree, "", problems)
    if spec is None or problems:
        raise InputError(problems)
    for name, part in spec.restores.items():
        problems.extend(_problem(tree, ("restores", name, *found.paths[0]), *found[1:]) for found in _wrong(part))
    if problems:
        raise InputError(problems)
    return Goals(spec, tree)


def _wrong(part: RestoreGoalSpec) -> Iterator[Disagreement]:
    yield from (found._replace(paths=found.paths or ((),)) for found in disagreements(part))


def _problem(tree: Node, path: tuple[str, ...], message: str, remedy: str) -> Problem:
    return Problem(tree.find(path)[0].place, ".".join(path), message, remedy)


def judged(plan: Plan, goals: Goals, sure: Sureness = NOT_ASKED) -> list[Goal]:
    """Each goal beside what a plan reaches; systems that are never saved miss one that nobody has to state.

    Parameters
    ----------
    plan
        The plan.
    goals
        The goals.
    sure
        The intervals of the plan; those of restores are known without.

    Raises
    ------
    InputError
        The goals name what the site does not have.
    """
    spec = goals.spec
    stocks = stocked_goals(plan, goals, sure)
    return [*_windows(plan, spec, sure), *stocks, *_restores(plan, spec, sure)]


def stocked_goals(plan: Plan, goals: Goals, sure: Sureness = NOT_ASKED) -> list[Goal]:
    """The goals for which no night has to be simulated: systems saved, capacity, restore points, cost.

    Raises
    ------
    InputError
        The goals name what the site does not have.
    """
    problems = list(_unfitting(plan, goals))
    if problems:
        raise InputError(problems)
    spec = goals.spec
    return [*_saved(plan), *_capacity(plan, spec, sure), *_points(plan, spec), *_cost(plan, spec, sure)]


def _unfitting(plan: Plan, goals: Goals) -> Iterator[Problem]:
    """Report what goals name and the site does not have."""
    if goals.spec.budget_month is not None and not plan.months:
        remedy = "write 'prices: prices/...' in the site"
        yield _problem(goals.tree, ("budget_month",), "cannot be compared: the site has no prices", remedy)
    for name, goal in goals.spec.restores.items():
        here = ("restores", name)
        if goal.at is not None and not plan.site.start <= goal.at <= plan.until:
            remedy = f"it begins on {plan.site.start} and ends on {plan.until}"
            yield _problem(goals.tree, (*here, "at"), f"{goal.at} is not within the plan", remedy)
        for key, check in (("what", partial(scope_of, plan.site)), ("after_loss_of", plan.site.lost_with)):
            try:
                check(getattr(goal, key) or "")
            except InputError as error:
                for one in error.problems:
                    yield _problem(goals.tree, (*here, key), one.message, one.remedy)


def _saved(plan: Plan) -> Iterator[Goal]:
    if plan.unsaved:
        yield Goal("systems saved", "all", f"never: {', '.join(plan.unsaved)}", met=False)


def _windows(plan: Plan, goals: GoalsSpec, sure: Sureness) -> Iterator[Goal]:
    if goals.windows_missed is not None:
        missed, most = plan.windows.missed, int(goals.windows_missed.si)
        one = sure.night
        night = "" if one is None else f"'{one.job}' {_time(one.elapsed.low)} to {_time(one.elapsed.high)}"
        yield Goal("windows missed", f"at most {most}", str(missed), missed <= most, night)


def _capacity(plan: Plan, goals: GoalsSpec, sure: Sureness) -> Iterator[Goal]:
    when = {one.target: f"full {one.sentence()}" for one in sure.full}
    for limit in plan.full if goals.fits else ():
        found = f"full on {limit.date}" if limit.date is not None else limit.detail
        yield Goal(f"{limit.what} fits", f"until {plan.until}", found, limit.date is None, when.get(limit.what, ""))


def _points(plan: Plan, goals: GoalsSpec) -> Iterator[Goal]:
    if goals.restore_points is not None:
        points, least = plan.days[-1].points, int(goals.restore_points.si)
        fewest = min(points.get(system.policy, 0) for system in plan.site.systems)
        yield Goal("restore points", f"at least {least}", str(fewest), fewest >= least)


def _cost(plan: Plan, goals: GoalsSpec, sure: Sureness) -> Iterator[Goal]:
    if goals.budget_month is None:
        return
    month = MEAN_MONTH / len(plan.days)
    mean, wanted = cost(plan) * month, f"at most {goals.budget_month.si:,.0f} {plan.months[0].currency}"
    ends = sure.ends("cost.total", lambda total: f"{total * month:,.0f}")
    yield Goal("cost of a month", wanted, f"{mean:,.0f}", mean <= goals.budget_month.si, ends)


def _restores(plan: Plan, goals: GoalsSpec, sure: Sureness) -> Iterator[Goal]:
    @cache
    def played(what: str, at: str, lost: str, at_once: int) -> Recovery:
        day = plan.until if not at else next(day.day for day in plan.days if str(day.day) == at)
        return restore(plan.site, what, day, lost, at_once, nights=plan.nights if plan.nights.played else None)

    for name, goal in goals.restores.items():
        at_once = int(goal.at_once.si) if goal.at_once is not None else AT_ONCE
        lost, at = goal.after_loss_of or "", str(goal.at or "")
        if goal.within is not None:
            found = played(goal.what, at, lost, at_once)
            back = found.until(1.0)
            reached = _time(back) if found.complete else "never complete"
            one = found.interval
            ends = "" if one is None else f"{_time(one.low)} to {_time(one.high)}"
            yield Goal(f"{name}: back", f"within {goal.within.text}", reached, back <= goal.within.si, ends)
        if goal.data_lost is not None and at:
            found = played(goal.what, at, lost, at_once)
            yield _data_lost(name, goal.data_lost, found.data_lost if found.complete else math.inf, f"on {at}")
        elif goal.data_lost is not None:
            worst = plan.loss(lost, None if goal.what == "site" else scope_of(plan.site, goal.what)[0])
            ends = sure.ends(data_lost(lost, "worst"), _time) if goal.what == "site" else ""
            yield _data_lost(name, goal.data_lost, worst.worst, worst.sentence())._replace(between=ends)


def _data_lost(name: str, wanted: Duration, found: float, when: str) -> Goal:
    """The goal for data lost beside what was found, and when."""
    reached = f"{_time(found)} {when}" if math.isfinite(found) else "everything"
    return Goal(f"{name}: data lost", f"at most {wanted.text}", reached, found <= wanted.si)


def _time(seconds: float) -> str:
    return show_short(seconds, "s", 3)


def cost(plan: Plan) -> float:
    """What a plan costs until its end."""
    return sum(month.total for month in plan.months)
