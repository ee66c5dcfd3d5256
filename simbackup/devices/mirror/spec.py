"""What a file may say about a mirror that is split off its volume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.schema.capability import OnDevice, SplitMirror, VolumeDevice
from simbackup.schema.part import Fact, Facts, Modelled, Path, Rules, amount
from simbackup.schema.quantity import Duration, Frozen, Pieces, PositiveSize, Rate, Word
from simbackup.schema.registry import DeviceKind, Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec

GREATEST_IN_FLIGHT = 2**30
"""Bytes beyond which requests at once are a slip of the pen."""


class MirrorSheet(Frozen):
    """A mirror of a volume that is split off as a frozen image, and synchronised again."""

    region: PositiveSize
    """Bytes of the region for which one bit records that it changed while the mirror was split."""
    request: PositiveSize
    """Bytes of one request of a synchronisation."""
    in_flight: Pieces
    """Number of requests of a synchronisation that are in flight at once."""
    connections: Pieces | None = None
    """Number of connections over networks that a synchronisation spreads its bytes over; one for each wire by default.
    """
    sync_rate: Rate | None = None
    """Maximum bytes per second that a synchronisation copies; no limit by default."""
    fast_resync: Annotated[bool, Word()]
    """Whether only what changed is copied when a split mirror is synchronised."""
    create_time: Duration
    """Time to split the mirror off."""
    remove_time: Duration
    """Time to discard the frozen image, before the mirror is synchronised again."""

    def rules(self) -> Rules:
        """Report requests that are too much in flight at once."""
        if self.in_flight.si * self.request.si > GREATEST_IN_FLIGHT:
            message = "more than 1 GiB would be in flight at once"
            yield ("in_flight", "request"), message, "write fewer or smaller requests"


class MirrorSpec(SplitMirror, OnDevice, Modelled, MirrorSheet):
    """A mirror of a volume on disks of its own, which may belong to another host that links reach.

    It takes as much space there as its volume.
    """

    kind: Literal["mirror"]
    state: Literal["attached", "new"] = "attached"
    """Its state at the start: `attached` if it is synchronised with the volume, `new` if it is yet to be synchronised.
    """

    size_key: ClassVar[str] = "on"

    def synchronised(self) -> bool:
        """Whether it is attached."""
        return self.state == "attached"

    def room(self, spec: Spec, name: str) -> float | None:
        """As many bytes as its volume."""
        origin = spec.devices.get(self.of)
        return origin.size.si if isinstance(origin, VolumeDevice) and origin.overwrites else None

    def check_volume(self, checks: Checks, path: Path, volume: VolumeDevice) -> None:
        """Report a mirror on the device of its volume, and one on a host to which no link leads."""
        if volume.on == self.on:
            message = f"is on '{self.on}', like the volume that it mirrors"
            checks.report((*path, "on"), message, "put it on other disks")
        host, keeper = checks.spec.hosts.get(checks.spec.owner_of(self.of) or ""), checks.spec.owner_of(self.on)
        if host is not None and keeper is not None and host.within != keeper:  # guests reach the disks of their host
            checks.connected((*path, "on"), self.of, self.on)

    def facts(self) -> Facts:
        """State and regions."""
        if self.state != "attached":
            yield Fact("still to be synchronised")
        yield from amount(self.region, "regions")


KINDS = (DeviceKind("mirror", MirrorSpec, "simbackup.devices.mirror.live:make"),)
SHEETS = {"mirror": MirrorSheet}
LOOKS = {"mirror": Look("M8 1.5v13M6 4L2 8l4 4zM10 4l4 4-4 4z", "#e6f6f6", "#2b8a8f")}
