"""What a file may say about copy-on-write snapshots, and about checkpoints of a file system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup import units
from simbackup.schema.capability import ImageDevice, InVolume, OnDevice, VolumeDevice
from simbackup.schema.part import USE, Facts, Figures, Modelled, Path, Rules, amount
from simbackup.schema.quantity import Duration, Frozen, PositiveCount, PositiveSize, Size, Word, usual
from simbackup.schema.registry import DeviceKind, Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec

LEAST_CHUNKS = 3
"""Chunks of a copy area that holds one copied chunk: header, metadata, chunk."""
SECTOR = 512
"""Bytes of a sector."""


FIGURES: Figures = {"": (*USE, "copied_bytes", "area_bytes")}
"""Columns of tables of results: what was copied, and the room for it."""


class CopyOnWriteSheet(Frozen):
    """What it costs to keep old data that are overwritten."""

    chunk: PositiveSize
    """Bytes that are copied when the first of them is overwritten."""
    record: Size
    """Bytes of metadata for each copied chunk; none if copies are not recorded one by one."""
    in_flight: PositiveSize
    """Memory for copies: the maximum bytes of chunks that are copied at the same time. A larger chunk is copied in
    rounds, each of which waits for the last.
    """
    commit_backlog: PositiveSize
    """Bytes of writes that are pending on average, where programs do not wait for each write: the copies that these
    need are recorded together, in one commit.
    """
    map_time: Duration = usual("0 s", "s")
    """Time that a request to the origin needs for each chunk, to be split and looked up."""
    create_time: Duration
    """Time to create the frozen image."""
    remove_time: Duration
    """Time to remove the snapshot."""
    lookup_time: Duration
    """Time that a read of the frozen image needs to locate each chunk."""

    def rules(self) -> Rules:
        """Report chunks that are not a power of two of sectors, or too small."""
        chunk = int(self.chunk.si)
        if chunk != self.chunk.si or chunk & (chunk - 1) or chunk < SECTOR:
            yield ("chunk",), "is not a power of two of at least 512 bytes", "write for example 8 KiB"
        if self.record.si > self.chunk.si:
            yield ("record", "chunk"), "record is larger than a chunk", "the metadata of a chunk must fit into a chunk"


class SnapshotSheet(CopyOnWriteSheet):
    """A copy-on-write snapshot in the volume manager."""

    unplug_delay: Duration | None = None
    """Time for which the block layer holds the first requests to an idle device back, to gather more of them, as Linux
    before 2.6.39 does; none by default.
    """
    unplug_requests: PositiveCount | None = None
    """Number of requests with which it passes them on sooner."""
    gathers: Annotated[bool, Word()] = False
    """Whether copies that wait together are written to the copy area in one write."""

    def rules(self) -> Rules:
        """Report half of a waiting time, besides what all copies on write have in common."""
        yield from super().rules()
        if (self.unplug_delay is None) != (self.unplug_requests is None):
            missing = "unplug_delay" if self.unplug_delay is None else "unplug_requests"
            yield (missing,), "is missing", "give both 'unplug_delay' and 'unplug_requests', or neither"


class SnapshotSpec(ImageDevice, OnDevice, Modelled, SnapshotSheet):
    """A copy-on-write snapshot of a volume, with its copy area on a device.

    Without a job that creates it, it exists from the start.
    """

    kind: Literal["snapshot"]
    size: PositiveSize
    """Size of its copy area; when this is full, the snapshot becomes invalid."""

    def rules(self) -> Rules:
        """Report a copy area without room for a chunk and its metadata."""
        yield from super().rules()
        least = LEAST_CHUNKS * self.chunk.si
        if self.size.si < least:
            message = "the copy area has no room for one chunk and its metadata"
            yield ("size", "chunk"), message, f"write a size of at least {units.show(least, 'B')}"

    def room(self, spec: Spec, name: str) -> float | None:
        """Its copy area, in bytes."""
        return self.size.si

    def figures(self) -> Figures:
        """What it copied, and the room for it."""
        return FIGURES

    def facts(self) -> Facts:
        """Copy area and chunks."""
        yield from amount(self.size, "copy area")
        yield from amount(self.chunk, "chunks")


class CheckpointSheet(CopyOnWriteSheet):
    """A checkpoint of a file system: copy-on-write inside the file system, into its own free space."""


class CheckpointSpec(InVolume, Modelled, CheckpointSheet):
    """A checkpoint of a file system; without a job that creates it, it exists from the start.

    Copied data take the free space after the data of its volume.
    """

    kind: Literal["checkpoint"]

    drawn_within: ClassVar[bool] = True

    def check_volume(self, checks: Checks, path: Path, volume: VolumeDevice) -> None:
        """Report a file system without room behind its data for copied blocks."""
        free = volume.size.si - checks.spec.data_end(self.of)
        if free < LEAST_CHUNKS * self.chunk.si and checks.sound(path, "data"):
            message = f"the file system on '{self.of}' has no room for copied blocks"
            checks.report((*path, "of"), message, f"make '{self.of}' larger than its data")

    def figures(self) -> Figures:
        """What it copied, and the room for it."""
        return FIGURES

    def facts(self) -> Facts:
        """Blocks."""
        yield from amount(self.chunk, "blocks")


KINDS = (
    DeviceKind("snapshot", SnapshotSpec, "simbackup.devices.snapshot.live:make_snapshot"),
    DeviceKind("checkpoint", CheckpointSpec, "simbackup.devices.snapshot.live:make_checkpoint"),
)
SHEETS = {"snapshot": SnapshotSheet, "checkpoint": CheckpointSheet}
_LOOK = Look("M2 5h9v9H2zM5 5V2h9v9h-3", "#e6f6f6", "#2b8a8f")
LOOKS = {"snapshot": _LOOK, "checkpoint": _LOOK}
