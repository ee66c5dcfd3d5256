"""Backups that take longer than their period: how late each system begins, from week to week."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from simbackup.planning.contents import NightKind
from simbackup.planning.night import DAY
from simbackup.planning.playing import Outcome, job_of
from simbackup.planning.site import PlannedSite


class Queue(NamedTuple):
    """Backups of a system that begin late, as those before them still run."""

    system: str
    """The system."""
    since: date
    """The first such night."""
    night: date
    """The last such night."""
    late: float
    """Seconds by which the backup is late on the last night."""


@dataclass
class Backlog:
    """How late the backups of each system begin, as the one before still runs.

    Nights that are simulated together begin with nothing to do. Where those before them have not ended by then, each
    system ends these first: a backup takes as long as it did, and begins when the one before it ends.
    """

    site: PlannedSite
    ends: dict[str, float] = field(default_factory=dict[str, float])
    """When the last backup of each system ends, in seconds of the calendar."""
    shifts: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])
    """Seconds by which jobs end later than after nights with nothing to do, by the first of their nights."""
    queues: dict[str, Queue] = field(default_factory=dict[str, Queue])

    def carry(self, kind: NightKind, i: int, day: date, outcomes: Mapping[str, Outcome]) -> None:
        """Let the nights that are simulated together from a day on begin when those before them have ended."""
        midnight, shifts, alone = day.toordinal() * DAY, self.shifts.setdefault(i, {}), dict[str, float]()
        for run in sorted(kind.runs, key=lambda run: run.later):
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in (each.name for each in self.site.of_policy(run.policy)):
                one = outcomes[job_of(system, run.later)]
                took = one.end - max(one.due, alone.get(system, -math.inf))
                begin = max(midnight + one.due, self.ends.get(system, -math.inf))
                alone[system], self.ends[system] = one.end, begin + took
                self._note(system, date.fromordinal(day.toordinal() + run.later), begin - midnight - one.due)
                shift = begin + took - midnight - one.end
                shifts |= {job_of(system, run.later, part): shift for part in parts if shift > 0.0}

    def late(self, i: int, outcomes: Mapping[str, Outcome]) -> Mapping[str, Outcome]:
        """The outcomes of nights with what they are late by."""
        shifts = self.shifts.get(i)
        if not shifts:
            return outcomes
        return {name: one._replace(end=one.end + shifts.get(name, 0.0)) for name, one in outcomes.items()}

    @property
    def longest(self) -> Queue | None:
        """The queue of the system that is furthest behind at the end, None if all have caught up."""
        return max(self.queues.values(), key=lambda one: one.late, default=None)

    def _note(self, system: str, night: date, late: float) -> None:
        """Take note of how late a backup begins."""
        if late > 0.0:
            since = self.queues[system].since if system in self.queues else night
            self.queues[system] = Queue(system, since, night, late)
        else:
            self.queues.pop(system, None)
