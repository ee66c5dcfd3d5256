"""Points in, outcomes out: those that the ledger holds are taken from it, and the others are run and kept."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from simbackup.experiments.executors import Executor, Lost, executor_for
from simbackup.experiments.outcome_store import StudyLedger
from simbackup.experiments.study_point import Batch, Point, PointResult
from simbackup.uncertainty.effort import Done

log = logging.getLogger("simbackup")


@dataclass(slots=True)
class Runner:
    """Runs the points of a study."""

    executor: Executor
    """Runs functions in processes."""
    ledger: StudyLedger | None = None
    """Stores outcomes; None without a folder."""
    progress: Done | None = None
    """Called with the number of finished points, and of all."""
    note: Callable[[str], None] = log.info
    """Called with messages."""
    reused: int = 0
    """Points whose outcomes were in the store."""
    run_anew: int = 0
    """Points that were run."""
    bad: int = 0
    """Points that could not be run."""
    _batch: Batch = field(init=False)
    """What processes share."""

    def __post_init__(self) -> None:
        self._batch = Batch(secrets.token_hex(8), keyed=self.ledger is not None)

    def run(self, points: Sequence[Point], what: str = "points") -> list[PointResult]:
        """The outcome of each point, in order; `what` names them in messages."""
        outcomes = self._kept(points, what)
        left = [i for i in range(len(points)) if i not in outcomes]
        done = len(outcomes)
        for n, found in self.executor.run(self._batch.run, [points[i] for i in left]):
            outcome = PointResult("", lost=found.why) if isinstance(found, Lost) else found
            outcomes[left[n]] = outcome
            self.bad += outcome.refused
            if self.ledger is not None:
                self.ledger.add(points[left[n]], outcome)
            done += 1
            if self.progress is not None:
                self.progress(done, len(points))
        self.run_anew += len(left)
        return [outcomes[i] for i in range(len(points))]

    def _kept(self, points: Sequence[Point], what: str) -> dict[int, PointResult]:
        """The outcomes that the store has of these points, by their index."""
        if self.ledger is None or not len(self.ledger) or not points:
            return {}
        kept: dict[int, PointResult] = {}
        for i, key in self.executor.run(self._batch.key, points):
            known = self.ledger.find(key, points[i].show) if isinstance(key, str) else None
            if known is not None:
                kept[i] = known
        self.reused += len(kept)
        if kept:
            self.note(f"{len(kept)} of {len(points)} {what} are done in {self.ledger.folder}")
        return kept


@contextmanager
def runner_for(
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    into: str | Path | None = None,
    progress: Done | None = None,
    note: Callable[[str], None] | None = None,
) -> Generator[Runner]:
    """A runner on this machine or on a cluster, with or without a folder that keeps outcomes.

    Raises
    ------
    ResultError
        The folder cannot be used, or there is no such cluster.
    """
    ledger = StudyLedger(into) if into is not None else None
    try:
        with executor_for(workers, scheduler) as executor:
            yield Runner(executor, ledger, progress, note or log.info)
    finally:
        if ledger is not None:
            ledger.close()
