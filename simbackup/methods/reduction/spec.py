"""What a file may say about compression and deduplication by a program."""

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
    Share,
    TimePerByte,
    usual,
)

if TYPE_CHECKING:
    from simbackup.methods.reduction.spec import CompressionSpec
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


class CompressorSheet(Frozen):
    """A method of compression, whose cost for each byte of the data is `a + b / ratio`.

    One long match covers many bytes at once, so that data that shrink more take less time.
    """

    compress_cpu: TimePerByte
    """Time of the reference core for each byte that is compressed (`a`)."""
    compress_coded_cpu: TimePerByte = usual("0 s/B", "s/B")
    """Time of the reference core, in addition, for each byte that compressing gives (`b`)."""
    compress_hard_cpu: TimePerByte | None = None
    """The same for each byte of data that are `incompressible`, of which it passes over many; by default, what data of
    the `hardest` ratio take.
    """
    expand_cpu: TimePerByte
    """Time of the reference core for each byte after expansion (`a`)."""
    expand_coded_cpu: TimePerByte = usual("0 s/B", "s/B")
    """Time of the reference core, in addition, for each byte that is taken to be expanded (`b`)."""
    hardest: Ratio = usual("1", "1")
    """Compression ratio of the data that take it most time. Data that shrink less take no more than these, as it soon
    gives up on most of them.
    """
    scaling: Share = usual("1", "1")
    """Exponent with which its speed grows with the speed of a core, and less than 1 if it waits for
    caches and branches, which have improved more slowly than the rest of a core.
    """
    measured_at: Ratio = usual("1", "1")
    """Speed of the core on which its costs were measured; for other cores they follow `scaling`. The default
    is that of the reference core.
    """


class CompressionSpec(Modelled, CompressorSheet):
    """How the saved data are compressed, with the ratio that their `compression` states."""

    at: Literal["client", "wire", "server", "target"] = "client"
    """Where data are compressed: by the `client` before they are sent, on the `wire` only while they are sent, by the
    `server` before they are written, or in the device (`target`) without using a host's cores.
    """
    threads: Pieces = usual("1")
    """Number of threads that compress one stream, each on a core."""
    expand_threads: Pieces = usual("1")
    """Number of threads that expand one stream, each on a core, because few formats can be expanded in
    parallel.
    """
    overlapped: bool | None = None
    """Whether a single thread compresses or expands while the program continues to read and write, as with a pipe;
    otherwise the two take turns. By default, they overlap in backups of databases, where the server or a program before
    the pipe continues to work, and take turns in others. Several threads always overlap.
    """

    def check(self, checks: Checks, path: Path, data: str, *, remote: bool) -> None:
        """Report data that would grow, and a place other than the client where nobody else takes part."""
        saved = checks.spec.data.get(data)
        if saved is not None and saved.compression.si < 1.0:
            message = f"'{data}' would grow: its compression is below 1"
            checks.report(path, message, f"correct data.{data}.compression")
        if self.at != "client" and not remote:
            message = f"only the client compresses for a target of this kind, not the {self.at}"
            checks.report((*path, "at"), message, "write 'client'")


SHEETS = {"compressor": CompressorSheet, "deduplication": DeduplicationSheet}
