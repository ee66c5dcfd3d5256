"""When each backup and copy of a plan had ended, so that a restore may use it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime

from simbackup.planning.evenings import evenings
from simbackup.planning.ledger import Day
from simbackup.planning.nights import Nights
from simbackup.planning.playing import Outcome, Play, job_of, of_site
from simbackup.planning.sampling import LONGEST
from simbackup.planning.scenarios import logs_jobs
from simbackup.planning.site import PlannedSite
from simbackup.policies.clock import elapsed
from simbackup.policies.levels import RestorePoint

NIGHTS = LONGEST + 1
"""Nights before a restore that are simulated: what began earlier is taken as whole."""

Known = dict[tuple[str, str, datetime, tuple[str, ...]], float | None]
"""Seconds of the longest backup or copy of some systems in a night: by policy, copy, time and systems."""
Ends = Mapping[tuple[str, str, datetime], float]
"""The same of all systems of a policy."""
Times = Callable[[date], float]
"""How many times as long all of a night takes."""


class Arrivals:
    """When backups and copies ended, by simulated nights."""

    def __init__(
        self, nights: Nights, times: Times = lambda _: 1.0, known: Known | None = None, ends: Ends | None = None
    ) -> None:
        """When they ended, or would have ended if all had taken some times as long; what is known is not found anew."""
        self._nights, self._times_as_long, self._ends = nights, times, ends or {}
        self._days = {(run.policy, time): day for day in nights.days for run, time in day.runs}
        self._times: dict[str, list[datetime]] = {}
        for policy, time in sorted(self._days):
            self._times.setdefault(policy, []).append(time)
        self._known: Known = {} if known is None else known
        self._night: tuple[int, Mapping[str, Outcome]] = -1, {}
        """The night that was looked at last, by its first one, and its outcomes."""

    @classmethod
    def before(cls, site: PlannedSite, days: Sequence[Day], play: Play | None = None, nights: int = NIGHTS) -> Arrivals:
        """When backups and copies ended in the last nights of a ledger; the nights that decide are simulated now.

        If jobs run on after these, they may be late since the start: then nights of all the time are simulated.

        Parameters
        ----------
        site
            The site.
        days
            Its days up to the moment.
        play
            A function that simulates a night; by default, the simulator.
        nights
            How many nights.
        """
        whole = evenings(days)
        first, *others = whole[-nights - 1 :]
        recent = [first, *others] if len(whole) <= nights else [first._replace(runs=()), *others]
        found = Nights(site, recent, of_site(play, site))
        found.sample()
        if found.runs_on and len(whole) > nights:
            found = Nights(site, whole, of_site(play, site))
            found.sample()
        return cls(found)

    def there(self, policy: str, copy: str, point: RestorePoint, systems: Iterable[str], now: datetime) -> bool:
        """Whether the save sets of some systems at a restore point, or their copies, were whole at a moment."""
        took = self.took(policy, copy, point.time, systems)
        return took is None or took <= elapsed(point.time, now)

    def longest_logs(self, policy: str, to: str, systems: Sequence[str], now: datetime) -> float:
        """Seconds of the longest backup of logs of some systems to a target, in the newest night that had any."""
        copy = logs_jobs(self._nights.site.file.spec.policies[policy], "", 0)[to].removeprefix("-")
        times = self._times.get(policy, [])
        for time in reversed(times[: bisect_right(times, now)]):
            took = self.took(policy, copy, time, systems)
            if took is not None:
                return took
        return 0.0

    def took(self, policy: str, copy: str, time: datetime, systems: Iterable[str]) -> float | None:
        """Seconds of the longest backup or copy of some systems in a night; None where it was not simulated."""
        key = policy, copy, time, tuple(systems)
        if key not in self._known:
            whole = len(key[-1]) == len(self._nights.site.of_policy(policy))
            ends = self._ends.get(key[:3]) if whole else None
            self._known[key] = max(self._took(policy, copy, time, key[-1]), default=None) if ends is None else ends
        found = self._known[key]
        return None if found is None else found * self._times_as_long(time.date())

    def slower(self, times: Times) -> Arrivals:
        """When they would have ended if all of a night had taken some times as long, or as short."""
        return Arrivals(self._nights, times, self._known, self._ends)

    def _took(self, policy: str, copy: str, time: datetime, systems: Iterable[str]) -> Iterable[float]:
        """Seconds that backups or copies of a night took, as far as it was simulated and has them."""
        day = self._days.get((policy, time))
        if day is None:
            return
        kind, i, later = self._nights.found(day.day)
        if self._night[0] != i:
            self._night = i, self._nights.between(kind, i)
        for system in systems:
            one = self._night[1].get(job_of(system, later, copy))
            if one is not None:
                yield one.end - one.due
