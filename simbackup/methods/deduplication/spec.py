"""What a file may say about deduplication by a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import (
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
    usual,
)

if TYPE_CHECKING:
    from simbackup.methods.compression.spec import CompressionSpec
    from simbackup.scenario.checks import Checks


class DeduplicationSheet(Frozen):
    """A method of deduplication, with the costs of finding chunks and of reading them back."""

    cut_cpu: TimePerByte
    """Time of the reference core for each saved byte: find cuts, hash, and look up in an index in memory."""
    join_cpu: TimePerByte
    """Time of the reference core for each restored byte: check its hash."""
    together: PositiveSize
    """Mean bytes of already stored chunks that are next to each other on disk when a save set is read; the next ones
    may be anywhere in the store. New chunks are stored in order.
    """
    container: PositiveSize | None = None
    """Bytes of a container, in which new chunks are stored in order. A restore of a full backup with `last` reads whole
    containers, and keeps some of each earlier backup in memory while it needs more of them. By default, it reads the
    pieces one after the other, each from its place.
    """
    chunk: PositiveSize | None = None
    """Mean bytes of a chunk; by default, small compared with runs of changed data."""
    ingest: Rate | None = None
    """Maximum bytes per second, before deduplication, that a store on disk takes from all streams together; by default,
    only hosts and disks limit it.
    """
    stream_ingest: Rate | None = None
    """Maximum bytes per second that it takes from one stream; `ingest` by default."""
    restore_rate: Rate | None = None
    """Maximum bytes per second, after joining, that such a store returns to all readers together; by default, only
    hosts and disks limit it.
    """
    stream_restore_rate: Rate | None = None
    """Maximum bytes per second that it returns to one stream; `restore_rate` by default."""
    index_reads: Multiple = usual("0", "1")
    """Reads of an index on the disks of the store for each chunk, as for an index in memory."""
    at_once: PositiveCount = usual("1")
    """Number of such pieces that a restore requests at once."""


class DeduplicationSpec(Modelled, DeduplicationSheet):
    """How the saved data are deduplicated."""

    ratio: Reduction | None = None
    """Saved bytes divided by the bytes of chunks that the store does not have yet: little more than 1 for a first
    backup, much more for a full backup that follows others. By default, it follows from the `change` of the data since
    the `last` backup.
    """
    last: PositiveDuration | None = None
    """How long before this backup the previous one of the same data, of any level, went to the store. By default, a
    backup of a level other than full follows the one that it is based on.
    """
    generations: PositiveCount = usual("1")
    """Number of full backups of the data that the store has, one every `last`. The newest consists of
    pieces that came with each of them.
    """
    within: Ratio = usual("1", "1")
    """Deduplication ratio within data that are new to the store."""
    at: Literal["client", "server", "target"] = "client"
    """Where data are deduplicated: by the `client` before they are sent, by the `server` before they are written, or in
    the device (`target`) without using a host's cores.
    """
    threads: Pieces = usual("1")
    """Number of threads that find or join the chunks of one stream, each on a core."""

    def check(self, checks: Checks, path: Path, compressor: CompressionSpec | None) -> None:
        """Report a store that would grow, chunks that are compressed elsewhere than they are found, lone keys."""
        for key in ("ratio", "within"):
            ratio = getattr(self, key)
            if ratio is not None and ratio.si < 1.0:
                checks.report((*path, key), "is below 1: the store would grow", "write 1 or more")
        if compressor is not None and compressor.at != self.at:
            message = f"chunks are found at the {self.at}, and compressed at the {compressor.at}"
            checks.report((*path, "at"), message, "write the same place in both, as chunks are compressed one by one")
        if self.states("generations") and self.last is None:
            message = "needs the time between two backups"
            checks.report((*path, "generations"), message, "write for example 'last: 24 h'")
        if self.states("index_reads") and self.chunk is None:
            checks.report((*path, "index_reads"), "needs the size of a chunk", "write for example 'chunk: 8 KiB'")

    def check_change(self, checks: Checks, path: Path, data: str, *, whole: bool) -> None:
        """Report a ratio that is neither stated nor follows from how the data change."""
        if not whole:
            return
        key = next(filter(self.states, ("last", "generations")), None)
        there = checks.spec.data.get(data)
        change = there.change if there is not None else None
        if key is None and self.ratio is None and not self.states("within"):
            message = "does not say how much is new to the store"
            remedy = "write 'ratio:', the age of the last backup as 'last:', or 'within: 1' for a first backup"
            checks.report(path, message, remedy)
        elif key is not None and there is not None and (change is None or change.run is None):
            message = f"'{data}' does not say how it changes and in what runs of bytes"
            checks.report((*path, key), message, f"write 'change: {{daily: 2 %, run: 64 KiB}}' under data.{data}")
