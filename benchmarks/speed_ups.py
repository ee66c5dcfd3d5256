"""Why a job may take less time beside more work: general reasons, each with a test on both runs.

Fair shares are not monotonic: who is held up in one place leaves more in another. Queues change their order,
write-back begins sooner where others have filled a cache and later where it is empty, and what others have changed
before needs no copy and no note in a log. A tape that is too fast for its host stops more. A job that gains for none
of these reasons is a fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.watch import LESS, Step, Watch
from simbackup.results.causes import Cause, split
from simbackup.results.result import Result
from simbackup.trace.activity import Activity, Nature, nature_of

WRITES = {str(Activity.WRITE), str(Activity.WRITE_BACK), str(Activity.COPY_WRITE), "transactions"}
"""Activities of flows that change what is on a device."""

BACK = {str(Activity.WRITE_BACK), str(Activity.FLUSH)}
"""Activities that wait for write-back, or do it."""


@dataclass(frozen=True, slots=True)
class Side:
    """A job in one of two runs: the result, what was watched in all, and what while it ran."""

    job: str
    result: Result
    all_along: Watch
    meanwhile: Watch

    @classmethod
    def of(cls, job: str, result: Result, watch: Watch) -> Side:
        """The side of a job in a run."""
        row = next(row for row in result.job_rows if row["job"] == job)
        return cls(job, result, watch, watch.within(row["start"], row["end"]))

    @property
    def address(self) -> str:
        """The address of the job, as its flows and spans name it."""
        return f"jobs.{self.job}"

    @property
    def row(self) -> Mapping[str, Any]:
        """Start, end and bytes of the job."""
        return next(row for row in self.result.job_rows if row["job"] == self.job)

    @property
    def delay(self) -> float:
        """Seconds from the start of the job to that of its write-back."""
        begun = self.all_along.first(self.address, Activity.WRITE_BACK)
        return begun - self.row["start"] if begun is not None else 0.0

    def own(self, link: str) -> float:
        """Units that the job takes of a link in all."""
        return self.all_along.own(self.address, link)

    def others(self, link: str) -> float:
        """Mean units a second that others take of a link while the job uses it."""
        seconds, units = self.meanwhile.beside(self.address, link)
        return units / seconds if seconds > 0.0 else math.inf


def reasons(before: Side, after: Side) -> tuple[set[str], float]:
    """Why a job takes less time in the second run, and the share of its gain for which there is a reason."""
    old, new = split(before.result, before.job), split(after.result, after.job)
    gained = before.row["elapsed"] - after.row["elapsed"]
    found, explained = set[str](), 0.0
    for cause, seconds in old.items():
        saved = seconds - new.get(cause, 0.0)
        if saved <= LESS * gained:
            continue
        for why, most in _why(cause, before, after):
            if most > 0.0 and saved > 0.0:
                found.add(why)
                explained += min(saved, most)
                saved -= min(saved, most)
    return found, min(explained / gained, 1.0)


def _why(cause: Cause, before: Side, after: Side) -> Iterator[tuple[str, float]]:
    """Reasons why a job spends less time on a cause, each with the seconds that it may explain."""
    moved = before.row["bytes"] - after.row["bytes"]
    if moved > LESS * before.row["bytes"]:
        yield "it has less to move", math.inf
    if nature_of(cause.activity) is Nature.WAITING and _held_by_others(cause, before):
        yield "a queue has another order", math.inf
    if str(cause.activity) == str(Activity.REPOSITION):
        yield "its tape stops less, as its host keeps it moving", math.inf
    if str(cause.activity) in BACK and after.delay < before.delay * (1.0 - LESS):
        yield "write-back begins sooner, as others have filled the cache", math.inf
    crossed = before.meanwhile.links(before.address)
    named = set[str]() if before.address in before.all_along.round else {cause.address.rpartition("page_cache.")[2]}
    links = sorted(named & crossed or crossed)
    yield (
        "others use less of what it uses while it does",
        max(max(_left(link, before, after), _aside(link, before, after)) for link in links),
    )
    yield (
        "what it changes was changed before, or its snapshot is full: no copy, no note in a log",
        max(_spared(link, before, after) for link in links),
    )
    if before.all_along.first(before.address, Activity.WRITE_BACK) is not None:
        yield "others have less in the cache", max(_emptier(link, before, after) for link in links)


def _left(link: str, before: Side, after: Side) -> float:
    """Seconds by which a job is sooner done with a link of which others leave it more, or that turns less.

    What it has there is what they leave; a mean over times in which shares change explains no more than twice as much.
    Where a disk turns less, the time of all its streams becomes less. Who takes less of the link while the job runs
    leaves as much to it, though new load may fill times in which it was idle.
    """
    old, new, capacity = before.others(link), after.others(link), before.all_along.capacities[link]
    if math.isinf(old) or math.isinf(new):
        return 0.0
    seconds, units = before.meanwhile.beside(before.address, link)
    turned = before.own(link) - after.own(link) if link in before.all_along.turning else 0.0
    found = (_fewer(link, before, after) + max(turned, 0.0)) / capacity
    if turned > LESS * before.own(link):
        found = max(found, (turned + units - after.meanwhile.beside(after.address, link)[1]) / capacity)
    if new < old * (1.0 - LESS):
        found = max(
            found, 2.0 * seconds * (old - new) / max(capacity - new, LESS * capacity) + max(turned, 0.0) / capacity
        )
    return found


def _aside(link: str, before: Side, after: Side) -> float:
    """Seconds that a job saves over the same bytes, where others take less of a link at that point of its way."""
    old, new = before.meanwhile.steps(before.address, link), after.meanwhile.steps(after.address, link)
    return sum(_ahead(steps, new[activity]) for activity, steps in old.items() if activity in new)


def _ahead(old: Sequence[Step], new: Sequence[Step]) -> float:
    """Seconds by which the same bytes take less time in new steps, where others took less than in the old ones."""
    saved, i, j, mine, theirs = 0.0, 0, 0, old[0].moved, new[0].moved
    while True:
        moved = min(mine, theirs)
        if moved > 0.0 and new[j].others < old[i].others * (1.0 - LESS):
            saved += max(old[i].seconds / old[i].moved - new[j].seconds / new[j].moved, 0.0) * moved
        mine, theirs = mine - moved, theirs - moved
        if mine <= 0.0:
            i += 1
            if i == len(old):
                return saved
            mine = old[i].moved
        if theirs <= 0.0:
            j += 1
            if j == len(new):
                return saved
            theirs = new[j].moved


def _fewer(link: str, before: Side, after: Side) -> float:
    """Units of a link that others take less while a job runs, each by itself."""
    others = [name for name in before.meanwhile.pieces if name != before.address]
    return sum(max(before.meanwhile.own(name, link) - after.meanwhile.own(name, link), 0.0) for name in others)


def _emptier(link: str, before: Side, after: Side) -> float:
    """Any time, where others write back to a link for less time while a job does; else none."""
    return math.inf if _writing_back(link, after) < _writing_back(link, before) * (1.0 - LESS) else 0.0


def _writing_back(link: str, side: Side) -> float:
    """Seconds in which others write back to a link while a job runs."""
    times = {
        piece.begin: piece.end - piece.begin
        for name, pieces in side.meanwhile.pieces.items()
        if name != side.address
        for piece in pieces
        if str(piece.activity) in BACK and piece.units.get(link, 0.0) > 0.0
    }
    return sum(times.values())


def _spared(link: str, before: Side, after: Side) -> float:
    """Seconds of a link that a job itself takes less, where others have written to it before or meanwhile."""
    written = any(
        piece.begin < after.row["end"] and piece.units.get(link, 0.0) > 0.0
        for name, pieces in after.all_along.pieces.items()
        if name != after.address
        for piece in pieces
        if str(piece.activity) in WRITES
    )
    return (before.own(link) - after.own(link)) / before.all_along.capacities[link] if written else 0.0


def _held_by_others(cause: Cause, side: Side) -> bool:
    """Whether others work with what a job waits for while it does: who has a cartridge works with its library."""
    spans, held = side.result.trace.spans, cause.address.partition(".cartridge.")[0]
    waits = [
        span for span in spans if (span.job, span.cause, span.activity) == (side.address, cause.address, cause.activity)
    ]
    return any(
        span.start < wait.end and span.end > wait.start
        for wait in waits
        for span in spans
        if span.job != wait.job and span.cause.startswith(held)
    )
