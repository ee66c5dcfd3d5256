"""What a file may say about deduplication by a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup.schema.part import Modelled, Path
from simbackup.schema.quantity import Count, Frozen, Pieces, PositiveSize, Reduction, TimePerByte

if TYPE_CHECKING:
    from simbackup.methods.compression.spec import CompressionSpec
    from simbackup.scenario.checks import Checks


class DeduplicationSheet(Frozen):
    """A method of deduplication: what it costs to find chunks and to bring them back."""

    cut_cpu: TimePerByte
    """Time of the reference core for each byte that is saved: find cuts, hash, and look up in an index in memory."""
    join_cpu: TimePerByte
    """Time of the reference core for each byte that comes back: check its hash."""
    together: PositiveSize
    """Bytes of the store that lie together in the mean when a save set is read; the next lie anywhere in it."""
    at_once: Count | None = None
    """Such pieces that a restore asks for at once; one unless stated."""


class DeduplicationSpec(Modelled, DeduplicationSheet):
    """How what a job saves is deduplicated."""

    ratio: Reduction
    """Bytes that are saved over bytes of chunks that the store does not have yet: little more than 1 for a first
    backup, much more for a full one that follows others."""
    at: Literal["client", "server", "target"] = "client"
    """Where: `client` before it is sent, `server` before it is written, `target` in the device, without a core of a
    host."""
    threads: Pieces | None = None
    """Threads that find or join the chunks of one stream at once, each on a core; one unless stated."""

    conditional: ClassVar[Mapping[str, str]] = {
        "cut_cpu": "where a host deduplicates: at the client or the server",
        "join_cpu": "in restores, where a host deduplicates",
        "threads": "where a host deduplicates",
        "together": "in restores and copies",
        "at_once": "in restores and copies",
    }

    def used(self, address: str, *, restore: bool = False) -> list[str]:
        """The keys that a backup uses, or a restore of what it saved."""
        keys = ["together", "at_once"] if restore else ["ratio"]
        if self.at != "target":
            keys += ["threads", "join_cpu" if restore else "cut_cpu"]
        return [f"{address}.{key}" for key in keys]

    def check(self, checks: Checks, path: Path, compressor: CompressionSpec | None) -> None:
        """Report a store that would grow, and chunks that are compressed elsewhere than they are found."""
        if self.ratio.si < 1.0:
            checks.report((*path, "ratio"), "is below 1: the store would grow", "write 1 or more")
        if compressor is not None and compressor.at != self.at:
            message = f"chunks are found at the {self.at}, and compressed at the {compressor.at}"
            checks.report((*path, "at"), message, "write the same place in both, as chunks are compressed one by one")
