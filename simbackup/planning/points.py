"""The restore points of a policy at its target and at those of its copies: which are there over time, without bytes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import NamedTuple, Self

from dateutil.relativedelta import relativedelta

from simbackup.planning.night import DAY, copied
from simbackup.planning.policy import PolicySpec
from simbackup.planning.site import Lacking, PlannedSite
from simbackup.policies.calendar import Due
from simbackup.policies.levels import RestorePoint
from simbackup.policies.retention import MOST_DAYS, Retention
from simbackup.policies.series import Expiry, Series

Usable = Callable[[str, RestorePoint], bool]
"""Whether the save set of a restore point in a copy can be used; the name of the backups is empty."""


class ChainLink(NamedTuple):
    """A save set of a chain."""

    copy: str
    """The copy from which it is read; empty for the backups."""
    point: RestorePoint
    """Its restore point."""


@dataclass(slots=True)
class Points:
    """The restore points of a policy."""

    policy: PolicySpec
    """The policy."""
    since: date
    """The first day of the plan."""
    series: dict[str, Series]
    """The points of the backups (an empty name) and of each copy."""
    places: dict[str, str]
    """The place of the target of each."""
    lacking: Lacking
    """Copies that do not come about, by the time at which they are due."""

    @classmethod
    def of(cls, site: PlannedSite, name: str) -> Self:
        """The points of a policy of a site, before anything is saved."""
        policy = site.file.spec.policies[name]
        parts = {"": policy, **policy.copies}
        places, series = dict[str, str](), dict[str, Series]()
        for copy, part in parts.items():
            target = site.target_of(name, copy)
            days = min(math.ceil(site.file.spec.targets[target].immutable.si / DAY), MOST_DAYS)
            kept = part.retention.made() if part.retention is not None else Retention()
            series[copy] = Series(replace(kept, lock=relativedelta(days=days)), part.merges)
            places[copy] = site.targets[target].place
        return cls(policy, site.start, series, places, site.lacking_of(name))

    def run(self, due: Due) -> tuple[RestorePoint, tuple[str, ...]]:
        """Add the save set of a run, and its copies; the point, and the names of the copies."""
        point, wanted = self.wanted(due)
        self.series[""].take(point)
        lacking = self.lacking.get(due.time, frozenset())
        copies = tuple(copy for copy in wanted if copy not in lacking)
        for copy in copies:
            self.series[copy].take(point)
        return point, copies

    def wanted(self, due: Due) -> tuple[RestorePoint, tuple[str, ...]]:
        """What a run is to make: its point, and the names of its copies."""
        point = self.series[""].following(due.time, due.level)
        return point, copied(self.policy, point.level, due.day, self.since)

    def expire(self, now: datetime) -> dict[str, Expiry]:
        """Let go what retention no longer keeps, by copy."""
        return {copy: series.expire(now) for copy, series in self.series.items()}

    def counts(self) -> tuple[int, int]:
        """How many points can be restored, and how many copies cannot."""
        restorable, broken = set[int](), 0
        for kept, copies in self._by_place():
            restorable |= kept
            broken += sum(map(len, copies.values()))
        return len(restorable), broken

    def broken(self) -> dict[str, set[int]]:
        """Of each copy the points that its retention keeps and whose chain is not whole in its place."""
        found: dict[str, set[int]] = {}
        for _, copies in self._by_place():
            found |= copies
        return found

    def _by_place(self) -> Iterator[tuple[set[int], dict[str, set[int]]]]:
        """Of each place the points that can be restored, and by copy those that cannot."""
        for place in dict.fromkeys(self.places.values()):
            there = {copy: series for copy, series in self.series.items() if self.places[copy] == place}
            whole = whole_chains(there.values())
            kept = set[int]().union(*(series.kept for series in there.values()))
            yield kept & whole, {copy: series.kept - whole for copy, series in there.items() if series.kept - whole}

    def chain(self, number: int, copies: Iterable[str], usable: Usable | None = None) -> tuple[ChainLink, ...] | None:
        """The chain of a point from some copies together, the full backup first; None where it is not whole.

        A save set is read where the one based on it is, otherwise from the first of the copies that has it.
        """
        order, there = list(copies), dict[int, list[str]]()
        own = ((copy, point) for copy in order if (point := self.series[copy].points.get(number)) is not None)
        if usable is not None and not any(usable(*each) for each in own):  # the chain below may be long
            return None
        for needed in sorted(self._below(number, order)):
            there[needed] = [
                copy for copy in order
                if (point := self.series[copy].points.get(needed)) is not None
                and (point.base is None or there.get(point.base)) and (usable is None or usable(copy, point))
            ]  # fmt: skip
        links: list[ChainLink] = []
        at: int | None = number
        while at is not None:
            has = there[at]
            if not has:
                return None
            copy = links[-1].copy if links and links[-1].copy in has else has[0]
            links.append(ChainLink(copy, self.series[copy].points[at]))
            at = links[-1].point.base
        return tuple(reversed(links))

    def _below(self, number: int, copies: Iterable[str]) -> set[int]:
        """The numbers of the points that chains of one may need, itself among them."""
        found, more = set[int](), [number]
        while more:
            at = more.pop()
            if at not in found:
                found.add(at)
                points = (self.series[copy].points.get(at) for copy in copies)
                more += [point.base for point in points if point is not None and point.base is not None]
        return found


def whole_chains(together: Iterable[Series]) -> set[int]:
    """The numbers of the points of which some series have the whole chain, together."""
    each: list[Mapping[int, RestorePoint]] = [series.points for series in together]
    found: set[int] = set()
    for number in sorted(set[int]().union(*each)):
        for points in each:
            point = points.get(number)
            if point is not None and (point.base is None or point.base in found):
                found.add(number)
                break
    return found
