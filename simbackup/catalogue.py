"""The catalogue: which backup saved what, and where each byte of each copy is stored."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from simbackup.errors import JobFailedError
from simbackup.late import Late


class Extent(NamedTuple):
    """A contiguous run of a save set on one cartridge or volume."""

    begin: float
    """Byte of the save set at which it begins."""
    size: float
    """Bytes of the save set."""
    medium: str
    """The cartridge or volume."""
    position: float
    """Byte of the medium at which it begins."""
    spread: float = 1.0
    """Bytes on the medium for each byte of its own, where blocks of other streams are interleaved with it."""


def job_of(run: str) -> str:
    """The address of the job to which a run belongs.

    >>> job_of("jobs.full.2"), job_of("jobs.full")
    ('jobs.full', 'jobs.full')
    """
    return ".".join(run.split(".", maxsplit=2)[:2])


@dataclass(frozen=True, slots=True)
class Reduction(Late):
    """How programs deduplicate and compress a save set before a medium takes it.

    Processor time is in seconds of the reference core, and counts for each byte of the save set unless stated
    otherwise.
    """

    ratio: float = 1.0
    """Compression: bytes before for each byte after it."""
    at: str = "client"
    """Where it is done: by the `client`, on the `wire` only, by the `server`, or in the device (`target`)."""
    compress_cpu: float = 0.0
    """Core seconds to compress a byte, averaged over those that deduplication leaves out."""
    expand_cpu: float = 0.0
    """Core seconds to expand a byte, for each byte after expansion."""
    scaling: float = 1.0
    """Exponent with which the speed of compression grows with the speed of a core."""
    measured_at: float = 1.0
    """Speed of the core on which `compress_cpu` and `expand_cpu` were measured; the reference core has 1."""
    threads: float = 1.0
    """Threads that compress a stream."""
    expanders: int = 1
    """Threads that expand a stream."""
    overlapped: bool = False
    """Whether a single thread compresses or expands while the program reads and writes."""
    repeated: float = 1.0
    """Deduplication: bytes of the save set for each byte that is new to the store."""
    cut_cpu: float = 0.0
    """Core seconds to find chunks."""
    join_cpu: float = 0.0
    """Core seconds to join chunks in a restore."""
    cutters: int = 1
    """Threads that find or join the chunks of a stream."""
    together: float | None = None
    """Mean bytes of the save set that are contiguous in the store; None if all of them are."""
    read: float | None = None
    """Bytes that are read for each such piece, as for a whole container; None if only the piece is read."""
    at_once: float = 1.0
    """Pieces that a restore requests at once."""
    asked: float = math.inf
    """Bytes that a restore requests at a time."""
    ingest: float | None = None
    """Greatest rate at which the store takes all streams together, bytes a second before deduplication."""
    stream_ingest: float | None = None
    """Greatest rate at which it takes one stream, bytes a second."""
    restore_rate: float | None = None
    """Greatest rate at which it returns all streams together, bytes a second after joining."""
    stream_restore_rate: float | None = None
    """Greatest rate at which it returns one stream, bytes a second."""
    index_reads: float = 0.0
    """Reads of the index on the disks of the store for each byte that is saved."""

    @property
    def stored(self) -> float:
        """Bytes of the save set for each byte that the medium takes."""
        return self.repeated * self.fetched

    @property
    def fetched(self) -> float:
        """Bytes of the save set for each byte that is read back; chunks stored once may be read several times."""
        return 1.0 if self.at == "wire" else self.ratio

    @property
    def sent(self) -> float:
        """Bytes of the save set for each byte that networks carry in a backup."""
        return self.repeated * self.ratio if self.at in {"client", "wire"} else 1.0

    @property
    def returned(self) -> float:
        """Bytes of the save set for each byte that networks carry in a restore."""
        return self.ratio if self.at in {"client", "wire"} else 1.0

    def handled(self, *, written: bool = True) -> tuple[float, float]:
        """Bytes that the host of the medium sends or receives, and that it copies, for each byte of the save set.

        If access to the medium is counted elsewhere, it is not `written` here, and only bytes on the network are
        copied.

        >>> Reduction(2.0, "client").handled(), Reduction(2.0, "server").handled()
        ((0.5, 1.0), (1.0, 1.5))
        """
        sent = 1.0 / (self.sent if written else self.returned)
        return sent, sent + 1.0 / self.stored if written else sent


NO_REDUCTION = Reduction()
"""Nothing is compressed."""


@dataclass(slots=True)
class Copy:
    """A copy of a save set on one device."""

    job: str
    """The run of the job that wrote it."""
    target: str
    """The name of the device."""
    compression: float
    """Bytes of the save set for each byte on the medium."""
    time: float
    """When its writing began, seconds after the start; negative if it was there before."""
    extents: list[Extent] = field(default_factory=list[Extent])
    """Where it is stored, in the order of the save set."""
    reduction: Reduction = NO_REDUCTION
    """What programs contribute to `compression`; the medium does the rest."""
    undone: list[SaveSet] = field(default_factory=list["SaveSet"])
    """What later save sets have replaced in it, in the order in which a restore applies it."""

    @property
    def fetched(self) -> float:
        """Bytes of the save set for each byte that is read from the medium."""
        return self.compression / self.reduction.repeated

    def uses(self, device: str, medium: str) -> bool:
        """Whether a part of it is on a medium, such as a cartridge, of a device."""
        return self.target == device and any(extent.medium == medium for extent in self.extents)

    @property
    def done(self) -> float:
        """Bytes of the save set, from its beginning, that are on media."""
        return self.extents[-1].begin + self.extents[-1].size if self.extents else 0.0

    def locate(self, begin: float, size: float) -> list[Extent]:
        """The extents that hold `size` bytes of the save set from a byte on, cut to that range."""
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
    """What one run of a backup job saved, with the copies of it."""

    job: str
    """The run of the job."""
    data: str
    """The name of the data set."""
    method: str
    """The method of the job."""
    size: float
    """Bytes of the save set."""
    files: float
    """Files in it."""
    time: float
    """When its job began to make it, seconds after the start; negative if it was there before."""
    copies: list[Copy] = field(default_factory=list[Copy])
    """The copies that still exist, oldest first."""
    level: str = "full"
    """The level of the backup, such as `full`."""
    log: float = 0.0
    """Bytes of changes at its end, which a restore replays as a log."""
    shrinks: float | None = None
    """Bytes before for each byte after compression by a medium; None for the `compression` of the data set."""
    lost: dict[str, str] = field(default_factory=dict[str, str])
    """Why copies can no longer be read, by the runs that wrote them."""

    def copy_by(self, job: str) -> Copy | None:
        """The copy that a job made; None if there is none."""
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
    """The save sets of each job, from all its runs."""

    def __post_init__(self) -> None:
        for saved in self.save_sets:
            self._of.setdefault(job_of(saved.job), []).append(saved)

    def add(self, saved: SaveSet) -> None:
        """Add the newest save set."""
        self.save_sets.append(saved)
        self._of.setdefault(job_of(saved.job), []).append(saved)

    def last(self, job: str) -> SaveSet | None:
        """The newest save set of a backup job, from any of its runs; None if there is none."""
        return next(reversed(self._of.get(job, ())), None)

    def last_copy(self, job: str, by: str | None = None, *, instead: bool = False) -> tuple[SaveSet, Copy] | None:
        """The newest save set of a backup job that has a copy, and that copy; None if there is none.

        With `by`, the copy that this job made; otherwise the first. With `instead`, the first copy also counts if that
        of `by` was lost.
        """
        for saved in reversed(self._of.get(job, ())):
            some = by is None or (instead and by in map(job_of, saved.lost))
            copy = next(iter(saved.copies), None) if some else saved.copy_by(by or "")
            if copy is not None:
                return saved, copy
        return None

    def lose(self, which: Callable[[Copy], bool], reason: str) -> list[tuple[SaveSet, Copy]]:
        """Remove the copies that nobody can read any more, noting the reason; return them with their save sets."""
        found = [(saved, copy) for saved in self.save_sets for copy in saved.copies if which(copy)]
        for saved, copy in found:
            saved.copies.remove(copy)
            saved.lost[copy.job] = reason
        return found

    def why_lost(self, job: str) -> str:
        """Why a copy of the newest save set of a job with lost copies was lost; empty if none was lost."""
        for saved in reversed(self._of.get(job, ())):
            for reason in saved.lost.values():
                return reason
        return ""

    def since(self, job: str, time: float) -> list[SaveSet]:
        """The save sets of a backup job made after a time (seconds), oldest first."""
        return [saved for saved in self._of.get(job, ()) if saved.time > time]
