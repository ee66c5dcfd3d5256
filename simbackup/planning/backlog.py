"""Backups and copies that take longer than their period: how late each begins, from week to week."""

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
    """Seconds by which it is late on the last night."""
    copy: str = ""
    """The copy; empty for the backup itself."""

    @property
    def sentence(self) -> str:
        """That it never catches up, and how late it is, in words."""
        what, late = f"copy '{self.copy}'" if self.copy else "backup", show_short(self.late, "s", 3)
        return f"'{self.system}' never catches up: on {self.night}, its {what} begins {late} late"


class Lane(NamedTuple):
    """Work of nights that are simulated together that is done one after the other: when it ends, and how much later."""

    end: float
    """Seconds from the midnight before, after nights with nothing to do."""
    delay: float
    """Seconds by which it ends later as the nights before have not ended."""

    def after(self, begin: float, end: float) -> Lane:
        """With more work; if it was idle before that, it has made up for some of its delay."""
        return Lane(max(self.end, end), max(self.delay - max(begin - self.end, 0.0), 0.0))


@dataclass
class Backlog:
    """How late backups and copies begin, as the ones before still run.

    Nights that are simulated together begin with nothing to do. Where those before them have not ended by then, these
    are ended first: those of the backups of each system, and those of copies at each part of a target that holds them
    up, such as the line to it. Each then takes as long as it did.
    """

    site: PlannedSite
    ends: dict[str, float] = field(default_factory=dict[str, float])
    """When the last work of each lane ends, in seconds of the calendar."""
    shifts: dict[int, dict[str, float]] = field(default_factory=dict[int, dict[str, float]])
    """Seconds by which jobs end later than after nights with nothing to do, by the first of their nights."""
    queues: dict[tuple[str, str], Queue] = field(default_factory=dict[tuple[str, str], Queue])

    def carry(self, kind: NightKind, i: int, day: date, outcomes: Mapping[str, Outcome]) -> None:
        """Let the nights that are simulated together from a day on begin when those before them have ended."""
        midnight, shifts, lanes = day.toordinal() * DAY, self.shifts.setdefault(i, {}), dict[str, Lane]()
        for run in sorted(kind.runs, key=lambda run: run.later):
            night = date.fromordinal(day.toordinal() + run.later)
            parts = ("", *run.copies, *dict.fromkeys(made.name for made in run.made))
            for system in (each.name for each in self.site.of_policy(run.policy)):
                backup = outcomes[job_of(system, run.later)]
                for part in parts:
                    one = outcomes.get(job_of(system, run.later, part))
                    if one is None:
                        continue
                    lane = _lane(system, part, one)
                    begin = max(one.due, backup.end) if part and backup.end < one.end else one.due
                    before = lanes.get(lane) or Lane(begin, max(self.ends.get(lane, -math.inf) - midnight - begin, 0.0))
                    self._note(system, part, night, max(before.end + before.delay - begin, 0.0))
                    now = lanes[lane] = before.after(begin, one.end)
                    self.ends[lane] = midnight + now.end + now.delay
                    shift = max(now.delay, shifts.get(job_of(system, run.later), 0.0))
                    shifts |= {job_of(system, run.later, part): shift} if shift > 0.0 else {}

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


def _lane(system: str, part: str, one: Outcome) -> str:
    """What a backup or copy waits for to be free: its own predecessor, or what of a target holds up copies of all."""
    at = one.cause.rpartition(" on ")[2]
    return at if part and at.startswith("targets.") else job_of(system, 0, part)
