"""The catalogue: which backup saved what, and where each byte of each copy is stored."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from simbackup.errors import JobFailedError
from simbackup.late import Late


class Extent(NamedTuple):
    """A run of a save set: where it begins in the set, its size, the cartridge or volume, and where it lies on it.

    Where blocks of others lie between its own it is spread over so many times its size.
    """

    begin: float
    size: float
    medium: str
    position: float
    spread: float = 1.0


def job_of(run: str) -> str:
    """The address of the job of a run, which may be one of several.

    >>> job_of("jobs.full.2"), job_of("jobs.full")
    ('jobs.full', 'jobs.full')
    """
    return ".".join(run.split(".", maxsplit=2)[:2])


@dataclass(frozen=True, slots=True)
class Reduction(Late):
    """How programs deduplicate and compress a save set before a medium takes it.

    Of each byte that is new to the store: bytes before over bytes after compression; where; reference core seconds for
    each byte before, in either direction, the power of the speed of a core by which faster ones take fewer, and the
    speed from which on they do; threads that compress, and threads that expand; whether a single one of them
    works while the program reads on; and bytes a second before of a card, if one limits. Of deduplication: bytes before
    over bytes that are new to the store; reference core seconds to find chunks and to join them, and threads that do;
    bytes that lie together in the store, None if all do, bytes that are read for these, None if only they are, such
    pieces read at once, and bytes asked for at a time; bytes
    a second that the store takes at most, of all and of one stream, and that it gives back; and reads of its index for
    each byte that is saved.
    """

    ratio: float = 1.0
    at: str = "client"
    compress_cpu: float = 0.0
    expand_cpu: float = 0.0
    scaling: float = 1.0
    measured_at: float = 1.0
    threads: float = 1.0
    expanders: int = 1
    overlapped: bool = False
    repeated: float = 1.0
    cut_cpu: float = 0.0
    join_cpu: float = 0.0
    cutters: int = 1
    together: float | None = None
    read: float | None = None
    at_once: float = 1.0
    asked: float = math.inf
    ingest: float | None = None
    stream_ingest: float | None = None
    restore_rate: float | None = None
    stream_restore_rate: float | None = None
    index_reads: float = 0.0

    @property
    def stored(self) -> float:
        """Bytes of the save set for each byte that the medium takes."""
        return self.repeated * self.fetched

    @property
    def fetched(self) -> float:
        """Bytes of the save set for each byte that is read back: a chunk that is stored once is read wherever it is."""
        return 1.0 if self.at == "wire" else self.ratio

    @property
    def sent(self) -> float:
        """Bytes of the save set for each byte that networks carry on the way to the medium."""
        return self.repeated * self.ratio if self.at in {"client", "wire"} else 1.0

    @property
    def returned(self) -> float:
        """Bytes of the save set for each byte that networks carry on the way back."""
        return self.ratio if self.at in {"client", "wire"} else 1.0

    def handled(self, *, written: bool = True) -> tuple[float, float]:
        """Bytes that the host of the medium sends or takes for each byte, and those that it copies with them.

        Where what it reads from the medium, or writes there, is counted elsewhere, it is not `written` here.

        >>> Reduction(2.0, "client").handled(), Reduction(2.0, "server").handled()
        ((0.5, 1.0), (1.0, 1.5))
        """
        sent = 1.0 / (self.sent if written else self.returned)
        return sent, sent + 1.0 / self.stored if written else sent


NO_REDUCTION = Reduction()
"""Nothing is compressed."""


@dataclass(slots=True)
class Copy:
    """A copy of a save set: the job that wrote it, the device, how well it is compressed there, when it was begun.

    Extents are in the order of the save set. Of the compression there, programs have done `reduction`, and the medium
    the rest. Where later save sets were written into it, what they replaced is `undone` in their order.
    """

    job: str
    target: str
    compression: float
    time: float
    extents: list[Extent] = field(default_factory=list[Extent])
    reduction: Reduction = NO_REDUCTION
    undone: list[SaveSet] = field(default_factory=list["SaveSet"])

    @property
    def fetched(self) -> float:
        """Bytes of the save set for each byte that is read from the medium."""
        return self.compression / self.reduction.repeated

    def uses(self, device: str, medium: str) -> bool:
        """Whether some of it is on a cartridge of a device."""
        return self.target == device and any(extent.medium == medium for extent in self.extents)

    @property
    def done(self) -> float:
        """Bytes of the save set that are on media, from its beginning."""
        return self.extents[-1].begin + self.extents[-1].size if self.extents else 0.0

    def locate(self, begin: float, size: float) -> list[Extent]:
        """The runs on media that hold `size` bytes from a byte of the save set on."""
        found: list[Extent] = []
        for extent in self.extents:
            low = max(begin, extent.begin)
            high = min(begin + size, extent.begin + extent.size)
            if low < high:
                offset = (low - extent.begin) * extent.spread / self.compression
                found.append(extent._replace(begin=low, size=high - low, position=extent.position + offset))
        return found


@dataclass(slots=True)
class SaveSet:
    """What one run of a backup job saved, and its existing copies, oldest first.

    So many bytes at its end are a `log` of changes, which a restore replays. `shrinks` are bytes before over bytes
    after compression by a medium, where its data do not say that.
    """

    job: str
    data: str
    method: str
    size: float
    files: float
    time: float
    copies: list[Copy] = field(default_factory=list[Copy])
    level: str = "full"
    log: float = 0.0
    shrinks: float | None = None
    lost: dict[str, str] = field(default_factory=dict[str, str])
    """Why copies cannot be read any more, by the runs that wrote them."""

    def copy_by(self, job: str) -> Copy | None:
        """The copy that a job made, the backup or one that copies it; None if there is none."""
        return next((copy for copy in self.copies if job_of(copy.job) == job), None)


def first_copy(saved: SaveSet) -> Copy:
    """The first copy of a save set; fails if all are lost."""
    if not saved.copies:
        why = next(iter(saved.lost.values()), "it was never written")
        raise JobFailedError(f"no copy of '{saved.job.removeprefix('jobs.')}' can be read: {why}")
    return saved.copies[0]


@dataclass(slots=True)
class Catalogue:
    """All save sets in the order in which they were made."""

    save_sets: list[SaveSet] = field(default_factory=list[SaveSet])
    _of: dict[str, list[SaveSet]] = field(init=False, default_factory=dict[str, list[SaveSet]])
    """Those of each job, of whichever of its runs."""

    def __post_init__(self) -> None:
        for saved in self.save_sets:
            self._of.setdefault(job_of(saved.job), []).append(saved)

    def add(self, saved: SaveSet) -> None:
        """Add the newest save set."""
        self.save_sets.append(saved)
        self._of.setdefault(job_of(saved.job), []).append(saved)

    def last(self, job: str) -> SaveSet | None:
        """The newest complete save set of a backup job, of whichever of its runs."""
        return next(reversed(self._of.get(job, ())), None)

    def last_copy(self, job: str, by: str | None = None, *, instead: bool = False) -> tuple[SaveSet, Copy] | None:
        """The newest save set of a backup job that has a copy by a job, or any; with that copy, the first of any.

        Another copy may be taken `instead` of one that is lost.
        """
        for saved in reversed(self._of.get(job, ())):
            some = by is None or (instead and by in map(job_of, saved.lost))
            copy = next(iter(saved.copies), None) if some else saved.copy_by(by or "")
            if copy is not None:
                return saved, copy
        return None

    def lose(self, which: Callable[[Copy], bool], reason: str) -> list[tuple[SaveSet, Copy]]:
        """Take out the copies of all save sets that nobody can read any more for a reason, and return them."""
        found = [(saved, copy) for saved in self.save_sets for copy in saved.copies if which(copy)]
        for saved, copy in found:
            saved.copies.remove(copy)
            saved.lost[copy.job] = reason
        return found

    def why_lost(self, job: str) -> str:
        """Why the newest save set of a backup job that has lost a copy has lost it; empty if none has."""
        for saved in reversed(self._of.get(job, ())):
            for reason in saved.lost.values():
                return reason
        return ""

    def since(self, job: str, time: float) -> list[SaveSet]:
        """The save sets of a backup job, of whichever of its runs, that were made after a time, oldest first."""
        return [saved for saved in self._of.get(job, ()) if saved.time > time]
