"""The cheapest configuration of a site that meets its goals: every combination of some values is planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import NamedTuple

from simbackup.errors import InputError, Place, Problem
from simbackup.planning.goals import Goal, Goals, cost, judged, stocked_goals
from simbackup.planning.loading import SiteFile, site_of
from simbackup.planning.overrides import overridden
from simbackup.planning.plan import Plan, stocked
from simbackup.planning.site import numbers
from simbackup.policies.calendar import HORIZON
from simbackup.schema import tree as trees
from simbackup.schema.tree import Node


class Configuration(NamedTuple):
    """A combination of the varied values."""

    values: tuple[str, ...]
    """The values."""
    cost: float
    """What the site then costs until the end."""
    missed: tuple[Goal, ...]
    """Goals that it misses."""


@dataclass(frozen=True)
class Sizing:
    """All configurations: those that meet the goals first, the cheapest of them at the top."""

    addresses: tuple[str, ...]
    configurations: tuple[Configuration, ...]

    @property
    def best(self) -> Configuration | None:
        """The cheapest that meets all goals, None if none does."""
        first = self.configurations[0]
        return None if first.missed else first


def size(file: SiteFile, goals: Goals, vary: Mapping[str, Sequence[str]], until: str | date = HORIZON) -> Sizing:
    """Every configuration of some values by address, such as `targets.pool.device.disks`, with its cost and misses.

    Nights and restores are simulated only where capacity, restore points and cost meet their goals.

    Raises
    ------
    InputError
        There is nothing at an address, or a configuration cannot be planned.
    """
    for address in vary:
        path = tuple(address.split("."))
        _, seen = file.source.find(path[:-1])
        if len(seen) < len(path) - 1:
            remedy = "write for example targets.pool.device.disks=8,12"
            raise InputError([Problem(Place("--vary"), "", f"there is nothing at '{address}'", remedy)])
    found: list[Configuration] = []
    for values in product(*vary.values()):
        tree = file.source
        for address, value in zip(vary, values, strict=True):
            tree = overridden(tree, {address: trees.from_plain(scalar(value), Place("--vary"))})
        planned, missed = tried(tree, file.name, goals, until)
        found.append(Configuration(values, cost(planned), missed))
    found.sort(key=lambda one: (len(one.missed), one.cost))
    return Sizing(tuple(vary), tuple(found))


def tried(tree: Node, name: str, goals: Goals, until: str | date) -> tuple[Plan, tuple[Goal, ...]]:
    """The plan of a site, and the goals that it misses; nights are simulated if it meets those that need none."""
    planned = stocked(numbers(site_of(tree, name)), until)
    missed = tuple(goal for goal in stocked_goals(planned, goals) if not goal.met)
    if not missed:
        if goals.of_all_nights:
            planned.nights.sample()
        missed = tuple(goal for goal in judged(planned, goals) if not goal.met)
    return planned, missed


def scalar(text: str) -> str | int | float:
    """A value of the command line: a number where it is one.

    >>> scalar("12"), scalar("2.5"), scalar("5 weeks")
    (12, 2.5, '5 weeks')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
