"""Block volumes of a cloud: operations a second, bytes a second, and credits for more of the former."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.credits import Credits
from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, Service, Store
from simbackup.engine.link import Link
from simbackup.equations import burst
from simbackup.equations.burst import Bucket
from simbackup.late import Late
from simbackup.parameters import parameters_of
from simbackup.trace.trace import Trace

if TYPE_CHECKING:
    from simbackup.devices.cloud_disk.spec import CloudDiskSpec
    from simbackup.devices.site import Site


@dataclass(frozen=True, slots=True)
class Limits(Late):
    """The performance of a cloud volume.

    Fields are those of `CloudDiskSheet`, in SI units.
    """

    capacity: float
    rate: float
    iops: float
    operation_size: float
    latency: float
    sequential_latency: float | None = None


class CloudDisk(Store):
    """A block volume of a cloud.

    Operations take its time; bytes also cross a pipe behind the buses that lead to it. Whichever is full first
    limits. A request takes its latency and leaves the volume free for others.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.size = limits.capacity
        self.link = Link(name, 1.0)
        self.pipe = Network(Link(f"{name}.throughput", limits.rate, fastest=limits.rate), 0.0, limits.rate)
        self.credits: Credits | None = None
        self._behind = (self.pipe,)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream, whose requests are merged or split into units."""
        return 1.0 / (self.limits.operation_size * self.limits.iops)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """The time of one request, which takes as many operations as it has begun units."""
        operations = burst.operations(size, self.limits.operation_size)
        return Service(self.limits.latency, operations / self.limits.iops)

    def continued(self, position: float, size: float) -> Service:
        """The time of the next read of a sequence, which is merged with others into whole operations."""
        return self._next("read", position, size)

    def append(self, position: float, size: float) -> Service:
        """The time of a write that continues the one before."""
        return self._next("write", position, size)

    def _next(self, direction: Direction, position: float, size: float) -> Service:
        own = self.limits.sequential_latency
        return Service(self.limits.latency if own is None else own, size * self.stream(direction, position, size))

    def record(self, trace: Trace) -> None:
        """Record the pipe and the credits in the trace."""
        link, left = self.pipe.link, self.credits.reported() if self.credits is not None else {}
        trace.device(
            link.name, "cloud disk throughput", link.busy_s, units=link.units, bytes_moved=link.bytes_moved,
            peak_bytes_per_s=link.peak_bytes_per_s, **left,
        )  # fmt: skip


def make(site: Site, disk: CloudDiskSpec) -> CloudDisk:
    """The volume, with its credits if it has any."""
    live = CloudDisk(site.address, parameters_of(Limits, disk))
    if disk.baseline_iops is not None and disk.credits is not None:
        bucket = Bucket(disk.iops.si, disk.baseline_iops.si, disk.credits.si)
        live.credits = Credits(
            live.link, bucket, bucket.credits * disk.saved_up.si, site.system.clock, site.system.network
        )
    return live
