"""Programs that write in sequence, through the page cache or request by request, or copy a data set onto another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.host.page_cache import LEAST, VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.devices.volume.live import first_write_shape
from simbackup.methods.file_backup.walk import Walkers, walking
from simbackup.methods.job import Moved, Steps, Work
from simbackup.methods.making import NONE, FilesMade, beside, filling, makes
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity

if TYPE_CHECKING:
    from simbackup.methods.write.spec import CopySpec, WriteSpec
    from simbackup.scenario.spec import Spec


@dataclass(frozen=True, slots=True)
class Write:
    """A program that writes a data set in sequence through the page cache, as dd does.

    It ends when its last byte is in memory, or on disk with `flush`; otherwise write-back continues after its end.
    """

    host: str
    """The host."""
    data: str
    """The data set."""
    size: float
    """Bytes."""
    flush: bool = False
    """Whether it waits until all bytes are on disk."""
    method: str = "write"

    def run(self, system: System, job: str) -> Steps:
        """Fill the page cache at the pace of one core until its limit, then at the pace of the disk."""
        host, data = system.hosts[self.host], system.data[self.data]
        made = FilesMade(data.files / data.size) if makes(data) else NONE
        fill = filling(host.then(FlowShape(workers=1 if made.per_byte else 0), 1.0 / host.copy_rate), host, data, made)
        write = system.write_through if self.flush else system.write
        place = VolumeRange(data.volume, data.begin, self.size, beside(data, made))
        yield from write(job, self.host, place, fill)
        return Moved(self.size, max(made.per_byte * self.size, 1.0))


@dataclass(frozen=True, slots=True)
class SynchronousWrite:
    """A program that waits until each request is on disk before it makes the next."""

    host: str
    """The host."""
    data: str
    """The data set."""
    size: float
    """Bytes."""
    request: float
    """Bytes of a request."""
    networks: tuple[str, ...] = ()
    """The links to the host of the data."""
    method: str = "write"

    def run(self, system: System, job: str) -> Steps:
        """Write one request after the other: round trip, then the disk."""
        data, done = system.data[self.data], 0.0
        volume, store = data.volume, data.volume.region.store
        links = [system.networks[name] for name in self.networks]
        fits = volume.fits(data.begin, self.size)
        volume.expect(data.begin, fits)
        while fits - done >= LEAST:
            stretch = yield from volume.claim(job, data.begin + done, fits - done)
            if stretch.fresh:  # chunks are copied first, one request at a time
                begin = volume.region.begin + stretch.begin
                shape = volume.mirrored(first_write_shape(store, begin, stretch, self.request), stretch)
            else:
                own = store.append(volume.region.begin + stretch.begin, self.request)
                shape = volume.write_shape(stretch)
                demands = shape.demands | {store.link: own.busy / self.request}
                shape = shape._replace(demands=demands).cycle({(store.name, ""): own.latency / self.request})
                shape = volume.mapped(shape)
            for network in (*links, *store.path):
                shape = shape.after(network.latency / self.request, network.link.name, Activity.TRAVEL)
                shape = shape.after(1.0 / network.rate, network.link.name)
            flow = system.bounded(job, shape.over(links)).start(system.network, job, Activity.WRITE, stretch.size)
            yield flow.done | volume.changed
            written = system.network.stop(flow)
            system.account(job, flow)
            volume.wrote(stretch, written)
            done += written
        volume.claims.leave(job)
        if self.size - fits >= LEAST:
            raise JobFailedError(f"no space left on '{volume.name}'")
        return Moved(self.size, 1.0)


@dataclass(frozen=True, slots=True)
class CopyData:
    """A copy of one data set onto the place of another, as cp does."""

    host: str
    """The host."""
    data: str
    """The data set that is read."""
    to: str
    """The data set that is written."""
    method: str = "copy"

    def run(self, system: System, job: str) -> Steps:
        """Read at the pace of disk and core into the page cache, which write-back empties."""
        data, target = system.data[self.data], system.data[self.to]
        host, region = system.hosts[self.host], data.volume.region.part(data.begin, data.size)
        if makes(data):
            fill = host.then(walking(host, data, region, Walkers()), 2.0 / host.copy_rate)
        else:
            fill = host.copying(region)
        made = FilesMade(data.files / data.size) if makes(data) else NONE
        place = VolumeRange(target.volume, target.begin, data.size, beside(target, made))
        yield from system.write(job, self.host, place, filling(fill, host, target, made), Activity.COPY)
        return Moved(data.size, float(data.files))


def make(job: WriteSpec, spec: Spec) -> Work:
    """The writer, request by request or through the page cache."""
    host = spec.host_of(job.data)
    size = spec.data[job.data].size.si * job.portion.si
    if job.request is not None:
        return SynchronousWrite(host, job.data, size, job.request.si, (job.over,) if job.over else ())
    return Write(host, job.data, size, flush=job.flush)


def make_copy(job: CopySpec, spec: Spec) -> CopyData:
    """The copy."""
    return CopyData(spec.host_of(job.data), job.data, job.to)
