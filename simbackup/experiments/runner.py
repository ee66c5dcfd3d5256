"""Points in, outcomes out: those that the ledger of a folder holds are taken from it, the others are run and kept.

Each process appends to a file of its own, one line for an outcome with its checksum. So several processes may work in
one folder, files of several folders may be copied into one, and what a killed process left of its last line is ignored.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, cast

from simbackup.equations.intervals import mean_interval, replications_needed
from simbackup.errors import ResultError
from simbackup.experiments.executors import Executor, Lost, executor_for
from simbackup.experiments.study_point import Batch, Figure, Point, PointResult
from simbackup.output.target import check_folder
from simbackup.output.whole import whole
from simbackup.results.folder import digest
from simbackup.schema.study import NarrowSpec, StudySpec
from simbackup.uncertainty.effort import Done

PART, ENDING = "ledger", ".jsonl"
"""Subfolder of the ledger, and how the names of its files end."""
NAMES = ("key", "figures", "failed", "records", "bounds", "declared", "given")
"""What a line holds of an outcome."""
CHECKED = 16
"""Digits of the checksum of a line."""


class StudyLedger:
    """The outcomes that a folder holds, by their keys; new ones are appended.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds something else.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        check_folder(self.folder)
        ledger = self.folder / PART
        if self.folder.is_dir() and any(self.folder.iterdir()) and not ledger.is_dir():
            raise ResultError(
                f"{self.folder} is not the folder of a study; name another folder, or one that does not exist yet"
            )
        try:
            ledger.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResultError(f"{self.folder} cannot be written ({error.strerror})") from None
        self._outcomes: dict[str, PointResult] = {}
        self._written: set[str] = set()
        self._file: IO[bytes] | None = None
        for record in _records(ledger):
            self._read(record)

    def __len__(self) -> int:
        return len(self._outcomes)

    def find(self, key: str | None, figures: Sequence[str]) -> PointResult | None:
        """The outcome of a key, if it has these figures."""
        found = self._outcomes.get(key or "")
        return found if found is not None and all(name in found.figures for name in figures) else None

    def add(self, point: Point, outcome: PointResult) -> None:
        """Keep an outcome; of a point that could not be run nothing is kept, so that it is tried again."""
        if outcome.refused:
            return
        known = self._outcomes.get(outcome.key)
        self._outcomes[outcome.key] = outcome if known is None else _joined(known, outcome)
        self._append({
            "key": outcome.key, "scenario": point.file, "values": point.values, "seed": point.seed,
            "figures": outcome.figures, "failed": outcome.failed, "records": outcome.records, "bounds": outcome.bounds,
            "declared": outcome.declared, "given": outcome.given,
        })  # fmt: skip

    def write(self, name: str, content: bytes) -> Path:
        """Write a file of results into the folder, whole or not at all; one of the same name is replaced if it is ours.

        Raises
        ------
        ResultError
            Somebody else wrote that file, or changed it.
        """
        path = self.folder / name
        ours = path.is_file() and digest(path.read_bytes()) in self._written
        self._append({"wrote": name, "sha256": digest(content)})
        with whole(path, edited=ours) as partial:
            partial.write_bytes(content)
        return path

    def close(self) -> None:
        """Close the file that was appended to."""
        if self._file is not None:
            file, self._file = self._file, None
            with suppress(OSError):  # what could not be written was reported when it was
                file.close()

    def _read(self, record: Mapping[str, Any]) -> None:
        if "wrote" in record:
            self._written.add(str(record["sha256"]))
            return
        if not record.keys() >= set(NAMES):  # as another version wrote it, whose outcomes are not ours
            return
        outcome = PointResult(**{name: record[name] for name in NAMES})
        known = self._outcomes.get(outcome.key)
        self._outcomes[outcome.key] = outcome if known is None else _joined(known, outcome)

    def _append(self, record: Mapping[str, Any]) -> None:
        try:
            if self._file is None:
                path = self.folder / PART / f"{secrets.token_hex(8)}{ENDING}"
                self._file = os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o666), "wb")
            text = json.dumps(record, separators=(",", ":"))
            line = json.dumps({"check": digest(text.encode())[:CHECKED], "record": record}, separators=(",", ":"))
            self._file.write(line.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            self.close()
            raise ResultError(f"{self.folder} cannot be written ({error.strerror})") from None


def _joined(one: PointResult, other: PointResult) -> PointResult:
    """Two outcomes of one key, which differ only by which figures were asked for."""
    return PointResult(
        one.key, {**one.figures, **other.figures}, one.failed, one.records, {**one.bounds, **other.bounds},
        {**one.declared, **other.declared}, one.given,
    )  # fmt: skip


def _records(ledger: Path) -> Iterator[dict[str, Any]]:
    """What the lines of all files hold, except for those that were not written to their end."""
    for path in sorted(filter(Path.is_file, ledger.glob(f"*{ENDING}"))):
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise ResultError(f"{path} cannot be read ({error.strerror})") from None
        for line in lines:
            try:
                read: object = json.loads(line)
            except (ValueError, RecursionError):
                continue
            content = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
            record = content.get("record")
            text = json.dumps(record, separators=(",", ":"))
            if isinstance(record, dict) and content.get("check") == digest(text.encode())[:CHECKED]:
                yield cast("dict[str, Any]", record)


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


MORE = "points with more seeds"
"""What notes call them."""


def drawn(asked: StudySpec, points: Sequence[Point]) -> list[Point]:
    """The points of all rows, each with all seeds that it has at least."""
    return _with_seeds(points, range(asked.least_seeds()))


def replicated(asked: StudySpec, points: Sequence[Point], runner: Runner) -> list[list[PointResult]]:
    """What each row gives with each seed. All rows have as many seeds, so that their differences are paired."""
    count = asked.least_seeds()
    rows = _by_row(runner.run(drawn(asked, points)), count)
    until = asked.until()
    while until is not None and count < until.most:
        samples = [samples_of(until.of or asked.show, row) for row in rows]
        wanted = max((_needed(until, count, values) for sample in samples for values in sample.values()), default=count)
        if wanted <= count:
            break
        more = min(wanted, until.most) - count
        found = runner.run(_with_seeds(points, range(count, count + more)), MORE)
        rows = [[*row, *others] for row, others in zip(rows, _by_row(found, more), strict=True)]
        count += more
    if until is not None:
        for point, row in zip(points, rows, strict=True):
            for wide in _too_wide(until, samples_of(until.of or asked.show, row)):
                runner.note(f"{point}: the mean of {wide} is not within {until.within.text} after {count} seeds")
    return rows


def samples_of(show: Sequence[str], row: Sequence[PointResult]) -> dict[str, tuple[Figure, ...]]:
    """Figures of a row, seed by seed."""
    return {name: tuple(one.figures.get(name) for one in row) for name in show}


def _with_seeds(points: Sequence[Point], seeds: range) -> list[Point]:
    return [replace(point, seed=point.seed + i) for point in points for i in seeds]


def _by_row(found: Sequence[PointResult], seeds: int) -> list[list[PointResult]]:
    return [list(found[i : i + seeds]) for i in range(0, len(found), seeds)]


def _numbers(figures: Sequence[Figure]) -> list[float]:
    """The figures of a sample; empty if one is no number, because a job failed."""
    numbers = [float(each) for each in figures if isinstance(each, int | float)]
    return numbers if len(numbers) == len(figures) else []


def _needed(until: NarrowSpec, count: int, figures: Sequence[Figure]) -> int:
    """Estimate from `count` runs how many seeds a mean needs: more than `count` if its interval is still too wide."""
    numbers = _numbers(figures)
    if not numbers or not (wide := mean_interval(numbers)).half or not wide.mean:
        return count
    if wide.half <= until.within.si * abs(wide.mean):
        return count
    return max(count + 1, replications_needed(numbers, until.within.si))


def _too_wide(until: NarrowSpec, sample: dict[str, tuple[Figure, ...]]) -> Iterator[str]:
    """Names of the figures whose confidence intervals are wider than was asked."""
    for name, figures in sample.items():
        numbers = _numbers(figures)
        if numbers and (wide := mean_interval(numbers)).half > until.within.si * abs(wide.mean):
            yield name
