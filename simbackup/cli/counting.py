"""How many points or nights are done, at which rate, and how long the others will take: on standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from simbackup import units

if TYPE_CHECKING:
    from datetime import datetime

    from simbackup.planning.available import Arrivals
    from simbackup.planning.night import Night
    from simbackup.planning.playing import Play
    from simbackup.planning.site import PlannedSite

QUIET_SECONDS = 1.0
"""Wall-clock seconds before a bar appears."""
LINE_SECONDS = 300.0
"""Wall-clock seconds between lines where standard error is not a terminal."""


def described(done: int, total: int, new: int, seconds: float) -> str:
    """Points done of all, the rate of the `new` ones in these seconds, and the time left at that rate.

    >>> described(60, 100, 50, 10.0)
    '60 of 100 points, 5 a second, 8 s left'
    """
    rate = new / seconds if seconds > 0.0 else 0.0
    if rate <= 0.0:
        return f"{done} of {total} points"
    speed = f"{rate:.3g} a second" if rate >= 1.0 else f"{60.0 * rate:.3g} a minute"
    return f"{done} of {total} points, {speed}, {units.show_short((total - done) / rate, 's', 2)} left"


def simulating(night: Night, done: int, expected: int) -> str:
    """The night that is simulated now, and the share that is done of those that are known to be wanted.

    >>> from datetime import date
    >>> from simbackup.planning.night import Night
    >>> simulating(Night(date(2027, 3, 6), ()), 6, 24)
    'simulating 2027-03-06, 25 % of 24 nights done'
    """
    later = max((run.later for run in night.runs), default=0)
    more = f" and {later} night{'s' * (later > 1)} after it" if later else ""
    return f"simulating {night.day}{more}, {100 * done // max(expected, 1)} % of {expected} nights done"


@contextmanager
def nights(workers: int | None = None) -> Generator[Callable[[PlannedSite], Play]]:
    """What simulates the nights of a site and counts them, in a line that appears after a second on a terminal.

    It has so many worker processes; by default one for each processor.
    """
    from simbackup.experiments.processes import of_use, worker_processes  # noqa: PLC0415
    from simbackup.planning.playing import Simulator  # noqa: PLC0415

    begin, done, status, number = time.monotonic(), 0, None, of_use(workers or os.cpu_count() or 1)

    def begun(night: Night, expected: int) -> None:
        nonlocal done, status
        done += 1
        if sys.stderr.isatty() and time.monotonic() - begin >= QUIET_SECONDS:
            from rich.console import Console  # noqa: PLC0415

            if status is None:
                status = Console(stderr=True).status("")
                status.start()
            status.update(simulating(night, done - 1, max(done, expected)))

    try:
        with worker_processes(number) as executor:
            yield lambda site: Simulator(site, begun, executor, number)
    finally:
        if status is not None:
            status.stop()


@contextmanager
def counting() -> Generator[Callable[[int, int], None]]:
    """A bar that appears after a second; without a terminal, a line every five minutes."""
    begin = spoken = time.monotonic()
    first, of, bar = 0, 0, None

    def report(done: int, total: int) -> None:
        nonlocal bar, begin, first, of, spoken
        now = time.monotonic()
        if total != of or done < first:  # the next part of the work
            begin, first, of = now, done, total
        new, seconds = done - first, now - begin
        if not sys.stderr.isatty():
            if now - spoken >= LINE_SECONDS:
                spoken = now
                print(described(done, total, new, seconds), file=sys.stderr)  # noqa: T201
            return
        if bar is None and seconds < QUIET_SECONDS:
            return
        if bar is None:
            from rich.console import Console  # noqa: PLC0415
            from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

            bar = Progress(BarColumn(), TextColumn("{task.description}"), console=Console(stderr=True), transient=True)
            bar.add_task("", total=total)
            bar.start()
        bar.update(bar.task_ids[0], completed=done, total=total, description=described(done, total, new, seconds))

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


def complete(site: PlannedSite, now: datetime, *, whole: bool) -> tuple[PlannedSite, Arrivals]:
    """A site with what its failures cost, and when its backups were complete: the last ones, or all as a `whole`."""
    from simbackup.planning.available import NIGHTS, Arrivals  # noqa: PLC0415
    from simbackup.planning.ledger import Ledger  # noqa: PLC0415
    from simbackup.planning.nights import settled  # noqa: PLC0415

    with nights() as play:
        site = settled(site, now.date(), play(site))
        days = [*Ledger(site).days(now)]
        return site, Arrivals.before(site, days, play(site), len(days) if whole else NIGHTS)
