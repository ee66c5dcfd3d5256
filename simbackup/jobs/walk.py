"""A walk over the files of a data set: what each costs processor and disk."""

from __future__ import annotations

from simbackup.components.host import Host
from simbackup.components.network import travel_time
from simbackup.components.shape import FlowShape
from simbackup.components.storage import Region, Service
from simbackup.equations import files as equations
from simbackup.jobs.system import DataSet, Files, JobFailedError


def walking(host: Host, data: DataSet, region: Region, file_cpu: float) -> FlowShape:
    """How a byte of files that are opened, read and closed one after the other loads their host and device.

    Scattered files take positioned reads for directory, record and data; files that lie together are read as they
    follow each other, records first. What lies in memory takes none. `file_cpu` are seconds of the reference core for
    each file, beside those of the file system.
    """
    files = data.filesystem
    if files is None:
        raise JobFailedError(f"'{data.name}' has no file system")  # the schema's checks have seen to it
    each, cold, store = data.size / data.files, 1.0 - data.cached, region.store
    outside = equations.outside_record(data.file_size or each, files.resident)
    read = _together(host, files, region, outside) if data.together else _scattered(files, region, outside)
    cpu = host.seconds(files.cpu + file_cpu)
    shape = FlowShape({store.link: read.busy / each}, {store.link: 1.0}, sequential=data.together)
    shape = host.working(shape.over(store.path).part(cold), cpu / each)
    serial = (cold * read.latency + cpu) / each
    cause = host.cpu.name if cpu > cold * read.latency else f"data.{data.name}.files"
    return shape.at_most(1.0 / serial, cause) if serial > 0.0 else shape


def _together(host: Host, files: Files, region: Region, outside: float) -> Service:
    """What a file takes whose record and data follow those of the one before."""
    ahead = min(host.machine.read_ahead or files.fragment, region.size)
    records = min(files.record_read or ahead, region.size)
    return _sum(
        (region.store.continued(region.begin, records), files.record / records),
        (region.store.continued(region.begin, ahead), outside / ahead),
        away=travel_time(region.store.path),
    )


def _scattered(files: Files, region: Region, outside: float) -> Service:
    """What a file takes that lies anywhere: two places drawn at random are a third of the data apart in the mean."""
    begin, third = region.begin, region.size / 3.0
    room = region.size - third
    data_reads = equations.positioned_reads(outside, files.fragment, 0.0)
    record = max(min(files.record, room), 1.0)
    piece = max(min(outside / data_reads if data_reads else 0.0, room), 1.0)
    return _sum(
        (region.store.request("read", begin, begin + third, record), files.reads),
        (region.store.request("read", begin, begin + third, piece), data_reads),
        away=travel_time(region.store.path),
    )


def _sum(*parts: tuple[Service, float], away: float) -> Service:
    """What so many requests of each kind take, one after the other."""
    latency = sum(times * (service.latency + away) for service, times in parts)
    return Service(latency, sum(times * service.busy for service, times in parts))
