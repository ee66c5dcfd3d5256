"""A walk over the files of a data set: what each costs processor and disk."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import travel_time, travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, Service, Store
from simbackup.engine.activity import Activity
from simbackup.equations import files as equations
from simbackup.system import JobFailedError


def walking(host: Host, data: DataSet, region: Region, file_cpu: float) -> FlowShape:
    """What a byte of files that are opened, read and closed one after the other loads on host and device.

    Scattered files take positioned reads for directory, record and data; files that are stored together are read in
    sequence, records first. Cached files take no reads. `file_cpu` are seconds of the reference core for
    each file, beside those of the file system.
    """
    files = data.filesystem
    if files is None:
        raise JobFailedError(f"'{data.name}' has no file system")  # the checks exclude it
    each, cold, store = data.size / data.files, 1.0 - data.cached, region.store
    outside = equations.outside_record(data.file_size or each, files.resident)
    read = _together(host, files, region, outside) if data.together else _scattered(files, region, outside)
    cpu, index = host.seconds(files.cpu_per_file), host.seconds(file_cpu)
    shape = FlowShape({store.link: read.busy / each}, {store.link: 1.0}, sequential=data.together)
    shape = host.working(shape.over(store.path).part(cold), (cpu + index) / each)
    parts = {part: cold * seconds / each for part, seconds in read.parts.items()}
    own = {(host.cpu.name, Activity.OPEN): cpu / each, (host.cpu.name, Activity.INDEX): index / each}
    serial = (cold * read.latency + cpu + index) / each
    return shape.cycle(parts | own, 1.0 / serial) if serial > 0.0 else shape


class _Reads(NamedTuple):
    """What the reads of a file take: seconds until they are done, of the device's time, and by what they are for."""

    latency: float
    busy: float
    parts: dict[tuple[str, str], float]


def _together(host: Host, files: Files, region: Region, outside: float) -> _Reads:
    """What a file takes whose record and data follow those of the one before."""
    ahead = min(host.machine.read_ahead or files.fragment, region.size)
    records = min(files.record_read or ahead, region.size)
    walk = (region.store.continued(region.begin, records), files.record / records)
    return _sum(region.store, walk, (region.store.continued(region.begin, ahead), outside / ahead))


def _scattered(files: Files, region: Region, outside: float) -> _Reads:
    """What a file at a random place takes: two places drawn at random are a third of the data apart in the mean."""
    begin, third = region.begin, region.size / 3.0
    room = region.size - third
    data_reads = equations.positioned_reads(outside, files.fragment, 0.0)
    record = max(min(files.record, room), 1.0)
    piece = max(min(outside / data_reads if data_reads else 0.0, room), 1.0)
    walk = (region.store.request("read", begin, begin + third, record), files.reads_per_file)
    return _sum(region.store, walk, (region.store.request("read", begin, begin + third, piece), data_reads))


def _sum(store: Store, walk: tuple[Service, float], data: tuple[Service, float]) -> _Reads:
    """What so many requests for directories and records, and for data, take one after the other."""
    away = travel_time(store.path)
    latency = sum(times * (service.latency + away) for service, times in (walk, data))
    busy = sum(times * service.busy for service, times in (walk, data))
    parts = {
        (store.name, what): times * one.latency for what, (one, times) in ((Activity.WALK, walk), (Activity.READ, data))
    }
    return _Reads(latency, busy, parts | travelling(store.path, walk[1] + data[1]))
