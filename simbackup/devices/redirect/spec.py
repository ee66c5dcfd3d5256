"""What a file may say about redirect-on-write volumes and their snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup.errors import choices
from simbackup.schema.capability import InVolume, VolumeDevice
from simbackup.schema.part import USE, Facts, Figures, Modelled, Path, Rules, amount
from simbackup.schema.quantity import Duration, Frozen, PositiveSize
from simbackup.schema.registry import DeviceKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


class RedirectVolumeSheet(Frozen):
    """A volume that writes to free space, never over old data, as WAFL does."""

    block: PositiveSize
    """Bytes of a block, the smallest unit that is written to a new place."""
    run: PositiveSize
    """Bytes of updates that are gathered and written in one piece before the arms move on."""
    free_run: PositiveSize | None = None
    """Bytes of free space that a long write, such as a backup, finds in one piece: many on a new or half-empty volume,
    few on one that is old and nearly full. By default, all free space is in one piece.
    """
    request: PositiveSize
    """Bytes that a client reading in sequence requests at once, if its host does not state this."""
    read_ahead: PositiveSize | None = None
    """Bytes that the server reads ahead for such a client; none by default, as for a LUN."""
    write_latency: Duration
    """Time until a write is safe, in non-volatile memory or in a log."""
    create_time: Duration
    """Time to create a snapshot."""
    remove_time: Duration
    """Time to remove one snapshot."""

    def rules(self) -> Rules:
        """Report runs below a block, and read-ahead below a request."""
        if self.run.si < self.block.si:
            yield ("run", "block"), "run is smaller than a block", "make run at least one block"
        if self.free_run is not None and self.free_run.si < self.block.si:
            yield ("free_run", "block"), "free_run is smaller than a block", "make free_run at least one block"
        if self.read_ahead is not None and self.read_ahead.si < self.request.si:
            message = "read_ahead is smaller than one request"
            yield ("read_ahead", "request"), message, "leave it out if the server does not read ahead"


class RedirectVolumeSpec(Modelled, RedirectVolumeSheet, VolumeDevice):
    """A redirect-on-write volume in a scenario."""

    kind: Literal["redirect_volume"]

    drawn_as: ClassVar[str] = "volume"
    overwrites: ClassVar[bool] = False

    def figures(self) -> Figures:
        """What it uses and keeps, and how fragmented it is."""
        return {"": (*USE, "used_bytes", "kept_bytes", "breaks")}

    def facts(self) -> Facts:
        """Its size."""
        yield from amount(self.size)


class RedirectSnapshotSpec(InVolume):
    """A snapshot of a redirect-on-write volume: nothing is copied, and overwritten data stay allocated."""

    kind: Literal["redirect_snapshot"]

    drawn_as: ClassVar[str] = "snapshot"
    times_of_volume: ClassVar[bool] = True

    def figures(self) -> Figures:
        """What it keeps."""
        return {"": (*USE, "kept_bytes")}

    def check_frozen(self, checks: Checks, path: Path) -> None:
        """Report an image of anything but a redirect-on-write volume."""
        legal = checks.spec.devices_with(RedirectVolumeSpec)
        if not checks.name((*path, "of"), self.of, legal, "device") and self.of in checks.spec.devices:
            message = f"'{self.of}' is not a redirect-on-write volume"
            checks.report((*path, "of"), message, choices(self.of, legal))


KINDS = (
    DeviceKind("redirect_volume", RedirectVolumeSpec, "simbackup.devices.redirect.live:make_volume"),
    DeviceKind("redirect_snapshot", RedirectSnapshotSpec, "simbackup.devices.redirect.live:make_snapshot"),
)
SHEETS = {"redirect_volume": RedirectVolumeSheet}
