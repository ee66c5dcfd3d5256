"""Backups and copies that take longer than their period: how late each begins, from week to week."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from simbackup.planning.contents import NightKind
from simbackup.planning.night import DAY
from simbackup.planning.playing import BEHIND, Outcome, job_of
from simbackup.planning.site import PlannedSite
from simbackup.units import show_short


class Queue(NamedTuple):
    """Backups of a system, or their copies, that begin late, as those before them still run."""

    system: str
    """The system."""
    since: date
    """The first such night."""
    night: date
    """The last such night."""
    late: float
    """Seconds of work that is still before it on the last night; a backup begins so much later."""
    copy: str = ""
    """The copy; empty for the backup itself."""

    @property
    def sentence(self) -> str:
        """That it never catches up, and by how much, in words."""
        late = show_short(self.late, "s", 3)
        behind = f"its backup begins {late} late"
        if self.copy:
            behind = f"{late} of copies '{self.copy}' are still to be made"
        return f"'{self.system}' never catches up: on {self.night}, {behind}"


class BusyPeriod(NamedTuple):
    """The work of a station in nights that are simulated together: when it ends, and how much later it does in fact."""

    end: float
    """Seconds from the midnight before, after nights with nothing to do."""
    delay: float
    """Seconds by which it ends later as the nights before have not ended."""

    def after(self, begin: float, end: float) -> BusyPeriod:
        """With more work; what it was idle before that makes up for some of its delay."""
        return BusyPeriod(max(self.end, end), max(self.delay - max(begin - self.end, 0.0), 0.0))


@dataclass
class Backlog:
    """How late backups and copies begin, as the ones before still run.

    Nights that are simulated together begin with nothing to do. Where those before them have not ended by then, a
    system first ends its backups before: each then takes as long as it did. Copies share what holds them up, such as
    the line to a target, with the copies that are still under way: each takes as long again for each of these, and no
    longer than until all before it are done.
    """

    site: PlannedSite
    ends: dict[str, float] = field(default_factory=dict[str, float])
    """When the last work of each station ends, in seconds of the calendar."""
    shifts: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])
    """Seconds by which jobs end later than after nights with nothing to do, by the first of their nights."""
    queues: dict[tuple[str, str], Queue] = field(default_factory=dict[tuple[str, str], Queue])
    copying: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """When copies end that are under way, by what holds them up, in seconds of the calendar."""

    def carry(self, kind: NightKind, i: int, day: date, outcomes: Mapping[str, Outcome]) -> None:
        """Let the nights that are simulated together from a day on begin when those before them have ended."""
        midnight, shifts, busy = day.toordinal() * DAY, self.shifts.setdefault(i, {}), dict[str, BusyPeriod]()
        copied: list[tuple[str, float]] = []
        for run in sorted(kind.runs, key=lambda run: run.later):
            night = date.fromordinal(day.toordinal() + run.later)
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in (each.name for each in self.site.of_policy(run.policy)):
                backup, late = outcomes[job_of(system, run.later)], 0.0
                for part in parts:
                    one = outcomes.get(job := job_of(system, run.later, part))
                    if one is None:
                        continue
                    station = _station(system, part, one)
                    begin = max(one.due, backup.end) if part and backup.end < one.end else one.due
                    if station not in busy:
                        free = self.ends.get(station, -math.inf) - midnight
                        busy[station] = BusyPeriod(begin, max(free - begin, 0.0))
                    before = busy[station]
                    self._note(system, part, night, max(before.end + before.delay - begin, 0.0))
                    now = busy[station] = before.after(begin, one.end)
                    self.ends[station] = midnight + now.end + now.delay
                    if part:
                        others = sum(end > midnight + begin for end in self.copying.get(station, ()))
                        shift = max(min(now.delay, others * (one.end - begin)), late)
                        copied.append((station, midnight + one.end + shift))
                    else:
                        shift = late = now.delay
                    if shift > 0.0:
                        shifts[job] = shift
        self.copying = {station: [end for end in ends if end > midnight] for station, ends in self.copying.items()}
        for station, end in copied:
            self.copying.setdefault(station, []).append(end)

    def late(self, i: int, outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
        """The outcomes of nights with what they are late by."""
        shifts = self.shifts.get(i)
        if not shifts:
            return outcomes
        return {name: one._replace(end=one.end + shifts.get(name, 0.0)) for name, one in outcomes.items()}

    @property
    def longest(self) -> Queue | None:
        """The queue that is furthest behind at the end, None if all have caught up."""
        return max(self.queues.values(), key=lambda one: one.late, default=None)

    def _note(self, system: str, part: str, night: date, late: float) -> None:
        """Take note of how late a backup or copy begins."""
        key = system, part
        if late > 0.0:
            since = self.queues[key].since if key in self.queues else night
            self.queues[key] = Queue(system, since, night, late, part)
        else:
            self.queues.pop(key, None)


def _station(system: str, part: str, one: Outcome) -> str:
    """What a backup or copy waits for: its own predecessor, or the part of a target that limits all copies."""
    at = one.cause.partition(BEHIND)[0].rpartition(" on ")[2]
    return at if part and at.startswith("targets.") else job_of(system, 0, part)
