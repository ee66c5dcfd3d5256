"""Progress bars on standard error: how much work is done, and how long the rest will take."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from simbackup import units

if TYPE_CHECKING:
    from simbackup.planning.night import Night
    from simbackup.planning.playing import Play
    from simbackup.planning.site import PlannedSite

QUIET_SECONDS = 1.0
"""Wall-clock seconds before a bar appears."""
LINE_SECONDS = 300.0
"""Wall-clock seconds between lines where standard error is not a terminal."""
A_DAY = 86_400.0


@contextmanager
def _bar() -> Generator[Callable[[int, int, str], None]]:
    """What shows how much is done of how much, and a text, as a bar on a terminal, which appears after a second."""
    begin, bar = time.monotonic(), None
    with ExitStack() as ends:

        def show(done: int, total: int, text: str) -> None:
            nonlocal bar
            if bar is None and (time.monotonic() - begin < QUIET_SECONDS or not sys.stderr.isatty()):
                return
            if bar is None:
                from rich.console import Console  # noqa: PLC0415
                from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

                columns: Any = BarColumn(bar_width=20), TextColumn("{task.description}")
                bar = ends.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
                bar.add_task("", total=total)
            bar.update(bar.task_ids[0], completed=min(done, total), total=total, description=text)

        yield show


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


def moment(seconds: float) -> str:
    """A simulated time for people: on the first day the seconds since its start, then the day and the time of day.

    >>> moment(5400.0), moment(33 * 86400.0 + 7500.0)
    ('1 h 30 min simulated', '02:05 day 34')
    """
    return units.show_clock(seconds) if seconds >= A_DAY else f"{units.show_short(seconds, 's')} simulated"


@contextmanager
def jobs() -> Generator[Callable[[float, int, int], None]]:
    """Yield a function that shows how many jobs of a run have ended."""
    with _bar() as bar:
        yield lambda now, ended, jobs: bar(ended, jobs, f"{ended:,} of {jobs:,} jobs, {moment(now)}")


def simulating(night: Night, done: int, expected: int, seconds: float = 0.0) -> str:
    """Return the line beside the progress bar: the present night, the share that is done, and the time left.

    >>> from datetime import date
    >>> from simbackup.planning.night import Night
    >>> simulating(Night(date(2027, 3, 6), ()), 6, 24, 10.0)
    'simulating 2027-03-06, 25 % of 24 nights done, about 30 s left'
    """
    later = max((run.later for run in night.runs), default=0)
    more = f" and {later} night{'s' * (later > 1)} after it" if later else ""
    left = f", about {units.show_short(seconds / done * (expected - done), 's', 1)} left" if done and seconds else ""
    return f"simulating {night.day}{more}, {100 * done // max(expected, 1)} % of {expected} nights done{left}"


@contextmanager
def nights(workers: int | None = None) -> Generator[Callable[[PlannedSite], Play]]:
    """Yield a function that makes the simulator of a site, with a progress bar of its nights.

    It has `workers` worker processes, by default one for each processor.
    """
    from simbackup.experiments.processes import of_use, worker_processes  # noqa: PLC0415
    from simbackup.planning.playing import Simulator  # noqa: PLC0415

    done, number, since = 0, of_use(workers or os.cpu_count() or 1), time.monotonic()
    with _bar() as bar, worker_processes(number) as executor:

        def begun(night: Night, expected: int) -> None:
            nonlocal done
            expected = max(done + 1, expected)
            bar(done, expected, simulating(night, done, expected, time.monotonic() - since))
            done += 1

        yield lambda site: Simulator(site, begun, executor, number)


@contextmanager
def counting() -> Generator[Callable[[int, int], None]]:
    """Yield a function that shows how many points are done; without a terminal, it prints a line every five minutes."""
    begin = spoken = time.monotonic()
    first, of = 0, 0
    with _bar() as bar:

        def report(done: int, total: int) -> None:
            nonlocal begin, first, of, spoken
            now = time.monotonic()
            if total != of or done < first:  # the next part of the work
                begin, first, of = now, done, total
            text = described(done, total, done - first, now - begin)
            bar(done, total, text)
            if not sys.stderr.isatty() and now - spoken >= LINE_SECONDS:
                spoken = now
                print(text, file=sys.stderr)  # noqa: T201

        yield report
