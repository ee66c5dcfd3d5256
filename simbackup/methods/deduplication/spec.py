"""What a file may say about deduplication by a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import (
    Count,
    Frozen,
    Multiple,
    Pieces,
    PositiveCount,
    PositiveDuration,
    PositiveSize,
    Rate,
    Ratio,
    Reduction,
    TimePerByte,
)

if TYPE_CHECKING:
    from simbackup.methods.compression.spec import CompressionSpec
    from simbackup.scenario.checks import Checks


READ_KEYS = ("together", "at_once")
"""What decides how a store is read."""
RATE_KEYS = ("restore_rate", "stream_restore_rate")
"""How fast a store on disk gives it back."""


class DeduplicationSheet(Frozen):
    """A method of deduplication: what it costs to find chunks and to bring them back."""

    cut_cpu: TimePerByte
    """Time of the reference core for each byte that is saved: find cuts, hash, and look up in an index in memory."""
    join_cpu: TimePerByte
    """Time of the reference core for each byte that comes back: check its hash."""
    together: PositiveSize
    """Bytes of what the store had already that lie together on average when a save set is read; the next lie anywhere
    in it. What was new lies in order."""
    chunk: PositiveSize | None = None
    """Bytes of a chunk on average; small beside runs of changed data by default."""
    ingest: Rate | None = None
    """Bytes a second, before deduplication, that a store on disk takes at most of all streams together; no limit but
    hosts and disks by default."""
    stream_ingest: Rate | None = None
    """Bytes a second that it takes of one stream; `ingest` by default."""
    restore_rate: Rate | None = None
    """Bytes a second, after they are joined, that such a store gives back at most to all readers together; no limit but
    hosts and disks by default."""
    stream_restore_rate: Rate | None = None
    """Bytes a second that it gives back to one stream; `restore_rate` by default."""
    index_reads: Multiple | None = None
    """Reads of an index on the disks of the store for each chunk; none, as of an index in memory, by default."""
    at_once: Count | None = None
    """Such pieces that a restore asks for at once; one by default."""


class DeduplicationSpec(Modelled, DeduplicationSheet):
    """How what a job saves is deduplicated."""

    ratio: Reduction | None = None
    """Bytes that are saved over bytes of chunks that the store does not have yet: little more than 1 for a first
    backup, much more for a full one that follows others. By the `change` of the data since the `last` by default."""
    last: PositiveDuration | None = None
    """How long before a full backup the last one of the same data went to the store."""
    generations: PositiveCount | None = None
    """Full backups of the data that the store has, each so long after the one before; one by default. The newest
    lies in pieces that came with each of them."""
    within: Ratio | None = None
    """Bytes over bytes of chunks among data that are new to the store; 1 by default."""
    at: Literal["client", "server", "target"] = "client"
    """Where: `client` before it is sent, `server` before it is written, `target` in the device, without a core of a
    host."""
    threads: Pieces | None = None
    """Threads that find or join the chunks of one stream at once, each on a core; one by default."""

    conditional: ClassVar[Mapping[str, str]] = {
        "cut_cpu": "where a host deduplicates: at the client or the server",
        "join_cpu": "in restores, where a host deduplicates",
        "threads": "where a host deduplicates",
        "ingest": "onto disks",
        "stream_ingest": "onto disks",
        "restore_rate": "in restores and copies from disks",
        "stream_restore_rate": "in restores and copies from disks",
        "index_reads": "onto disks",
        "chunk": "with 'last' or 'index_reads'",
        "generations": "in restores and copies of full backups with 'last'",
        "within": "where no 'ratio' is stated",
        "together": "in restores and copies",
        "at_once": "in restores and copies",
    }

    def used(self, address: str, *, restore: bool = False) -> list[str]:
        """The keys that a backup uses, or a restore of what it saved."""
        keys = [*READ_KEYS, "generations", "chunk"] if restore else ["ratio", "last"]
        if not restore:
            keys += ["ingest", "stream_ingest", "index_reads"]
            keys += [] if self.ratio is not None else ["within"]
            keys += [] if self.ratio is not None and self.index_reads is None else ["chunk"]
        if self.at != "target":
            keys += ["threads", "join_cpu" if restore else "cut_cpu"]
        return [f"{address}.{key}" for key in keys]

    def check(self, checks: Checks, path: Path, compressor: CompressionSpec | None) -> None:
        """Report a store that would grow, chunks that are compressed elsewhere than they are found, lone keys."""
        for key in ("ratio", "within"):
            ratio = getattr(self, key)
            if ratio is not None and ratio.si < 1.0:
                checks.report((*path, key), "is below 1: the store would grow", "write 1 or more")
        if compressor is not None and compressor.at != self.at:
            message = f"chunks are found at the {self.at}, and compressed at the {compressor.at}"
            checks.report((*path, "at"), message, "write the same place in both, as chunks are compressed one by one")
        if self.generations is not None and self.last is None:
            message = "does not say how far apart they are"
            checks.report((*path, "generations"), message, "write for example 'last: 24 h'")
        if self.index_reads is not None and self.chunk is None:
            checks.report((*path, "index_reads"), "needs the size of a chunk", "write for example 'chunk: 8 KiB'")

    def check_change(self, checks: Checks, path: Path, data: str, *, whole: bool) -> None:
        """Report a ratio that is neither stated nor follows from how the data change."""
        if self.last is None and whole:
            if self.ratio is None and self.within is None:
                message = "does not say how much is new to the store"
                remedy = (
                    "write 'ratio:', 'last:' for how the data have changed since, or 'within: 1' for a first backup"
                )
                checks.report(path, message, remedy)
            return
        there = checks.spec.data.get(data)
        change = there.change if there is not None else None
        if there is not None and whole and (change is None or change.run is None):
            message = f"'{data}' does not say how it changes, and in what runs of bytes"
            checks.report((*path, "last"), message, f"write 'change: {{daily: 2 %, run: 64 KiB}}' under data.{data}")
