"""What a file may say about redirect-on-write volumes, their snapshots and their clones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.capability import InVolume, VolumeDevice
from simbackup.schema.part import USE, Fact, Facts, Figures, Modelled, Path, Rules, amount
from simbackup.schema.quantity import Duration, Frozen, PositiveSize
from simbackup.schema.registry import DeviceKind, Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec


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
    """Time to create a snapshot or a clone."""
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
    guarantee: Literal["volume", "none"] = "volume"
    """Whether its whole size is reserved on its device (`volume`), or only the space that it uses (`none`)."""

    drawn_as: ClassVar[str] = "volume"
    overwrites: ClassVar[bool] = False

    def room(self, spec: Spec, name: str) -> float | None:
        """Its size if guaranteed, else the bytes up to the end of its data."""
        return self.size.si if self.guarantee == "volume" else min(spec.data_end(name), self.size.si)

    def figures(self) -> Figures:
        """What it uses and keeps, and how fragmented it is."""
        return {"": (*USE, "used_bytes", "kept_bytes", "breaks")}

    def facts(self) -> Facts:
        """Size and guarantee."""
        yield from amount(self.size)
        yield Fact("guaranteed" if self.guarantee == "volume" else "not guaranteed")


class _Pointers(InVolume):
    """An image of a redirect-on-write volume: old blocks stay where they are."""

    times_of_volume: ClassVar[bool] = True

    def figures(self) -> Figures:
        """What it keeps."""
        return {"": (*USE, "kept_bytes")}

    def check_frozen(self, checks: Checks, path: Path) -> None:
        """Report an image of anything but a redirect-on-write volume."""
        legal = checks.spec.devices_with(RedirectVolumeSpec)
        if checks.name((*path, "of"), self.of, legal, "device"):
            volume = checks.spec.devices[self.of]
            if isinstance(volume, RedirectVolumeSpec):
                self.check_volume(checks, path, volume)
        elif self.of in checks.spec.devices:
            message = f"'{self.of}' is not a redirect-on-write volume"
            checks.report((*path, "of"), message, choices(self.of, legal))


class RedirectSnapshotSpec(_Pointers):
    """A snapshot of a redirect-on-write volume: nothing is copied, and overwritten data stay allocated."""

    kind: Literal["redirect_snapshot"]

    drawn_as: ClassVar[str] = "snapshot"


class CloneSpec(_Pointers):
    """A clone of a redirect-on-write volume: a snapshot that reserves as much space as its volume has.

    Its creation fails if there is no such space; one that reserves nothing is a `redirect_snapshot`.
    """

    kind: Literal["clone"]

    def check_volume(self, checks: Checks, path: Path, volume: VolumeDevice) -> None:
        """Report a clone that exists from the start and has no room."""
        if path[-1] in checks.spec.created:
            return
        room = checks.capacity(volume.on)
        if room is not None:
            free = room - checks.spec.guaranteed(volume.on)
            if volume.size.si > free:
                message = f"cannot be guaranteed {units.show_short(volume.size.si, 'B')} on '{volume.on}'"
                remedy = f"{units.show_short(max(free, 0.0), 'B')} are free; 'redirect_snapshot' reserves nothing"
                checks.report((*path, "of"), message, remedy)

    def facts(self) -> Facts:
        """That its room is guaranteed."""
        yield Fact("room guaranteed")


KINDS = (
    DeviceKind("redirect_volume", RedirectVolumeSpec, "simbackup.devices.redirect.live:make_volume"),
    DeviceKind("redirect_snapshot", RedirectSnapshotSpec, "simbackup.devices.redirect.live:make_snapshot"),
    DeviceKind("clone", CloneSpec, "simbackup.devices.redirect.live:make_clone"),
)
SHEETS = {"redirect_volume": RedirectVolumeSheet}
LOOKS = {"clone": Look("M2 5h9v9H2zM5 5V2h9v9h-3", "#e6f6f6", "#2b8a8f")}
