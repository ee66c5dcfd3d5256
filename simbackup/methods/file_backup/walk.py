"""The cost of one file in a backup: reads, core time, scanner, round trips; as the shape of a byte."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, travel_time, travelling
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, Service, bus, lost_to_visitors, returning
from simbackup.engine.flow import LocalWeight
from simbackup.engine.limit import Spot
from simbackup.equations import files as equations
from simbackup.equations.change import gap
from simbackup.late import Late, late
from simbackup.methods.share.live import Served, Share, requested
from simbackup.methods.tool.live import Tool
from simbackup.system import JobFailedError, System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class Remote(Late):
    """A host that keeps the files of a walk and sends them over networks.

    Requests are those for each file in addition to the requests for its data.
    """

    keeper: Host
    """The host."""
    networks: tuple[Network, ...]
    """The networks between the two hosts."""
    calls: float
    """Requests for a file that is read."""
    request: float
    """Bytes of one request for data."""
    look_calls: float
    """Requests for a file that is only examined."""
    answering: float = 0.0
    """Core seconds of the keeper for each request."""
    served: Served | None = None
    """Limits of the rate at which the keeper serves; None without limits."""

    def trips(self, size: float, sent: float, left: float) -> float:
        """Mean requests for a file, if a share `sent` of the files is read and a share `left` only examined."""
        looked = left * self.look_calls if left > 0.0 else 0.0
        return sent * equations.round_trips(size, self.request, self.calls) + looked


@dataclass(frozen=True, slots=True)
class Walkers(Late):
    """The workers that walk a file system, and what the program takes for each file."""

    workers: int = 1
    """Workers that walk at the same time."""
    file_cpu: float = 0.0
    """Seconds of the reference core for each file that is sent."""
    remote: Remote | None = None
    """The host that keeps the files, if it is another one."""
    look_cpu: float = 0.0
    """Seconds of the reference core for each file that is only examined."""
    tracked: bool = False
    """Whether the file system names the files to be sent, so that the others are not examined."""

    def looked_at(self, sent: float) -> float:
        """The share (0 to 1) of all files that is only examined, when a share is sent."""
        return 0.0 if sent >= 1.0 or self.tracked else 1.0 - sent


def walkers(system: System, tool: Tool, workers: int, share: Share | None) -> Walkers:
    """Those who walk the files of a backup, over a share if there is one."""
    return late(
        Walkers, workers=workers, file_cpu=lambda: tool.file_cpu,
        remote=None if share is None else remote(system, share), look_cpu=lambda: tool.look_cpu,
    )  # fmt: skip


def remote(system: System, share: Share) -> Remote:
    """The host that keeps the files of a share, as those see it who walk them."""
    networks, keeper = tuple(system.networks[name] for name in share.networks), system.hosts[share.keeper]
    return late(
        Remote, keeper=keeper, networks=networks, calls=share.calls, request=share.request,
        look_calls=lambda: share.look_calls, answering=keeper.seconds(share.call_cpu),
        served=lambda: share.served(system),
    )  # fmt: skip


def walking(
    host: Host, data: DataSet, region: Region, who: Walkers, sent: float = 1.0, *, whole: Region | None = None
) -> FlowShape:
    """The cost of a walk over files as the shape of each byte that is read.

    Each of several streams or cartridges has the files of a `region`; scattered files are anywhere in the `whole` of
    the data. A share of the files is `sent`; the others are only examined. If `sent` is 0, the shape is that of one
    byte, which stands for the walk over all files.

    Scattered files take positioned reads for directory, record and data; files that are only examined share the reads
    of directories and records. Files that are stored together are read in sequence, records first. Cached files take no
    reads. Each worker has one request in flight, which waits in the queues of all others. If its host reads ahead of
    programs, the requests for a file after the first one are in flight while the worker handles what came before. The
    core seconds of `who` are spent in addition to those of the file system. On a disk, the fairness weight of the walk
    is that of the bytes that a sequential stream would move in the same time.
    """
    files = data.filesystem
    if files is None:
        raise JobFailedError(f"'{data.name}' has no file system")  # the checks exclude it
    mean, cold, store = data.size / data.files, 1.0 - data.cached, region.store
    each = max(data.size * sent, 1.0) / data.files
    outside = equations.outside_record(mean if data.file_size is None else data.file_size, files.resident)
    left, apart, keeper = who.looked_at(sent), data.scattered, who.remote.keeper if who.remote else host
    window = who.remote.request if who.remote else _window(host, files, region)
    early = equations.behind_the_first(outside, window) if host.overlaps else 0.0
    shares = (sent, left)
    in_order = _together(keeper, (data, files), region, outside, shares, early=early) if apart < 1.0 else _NONE
    anywhere = (
        _scattered(data, files, whole or region, outside, shares, asks=(early, window, who.workers))
        if apart > 0.0
        else _NONE
    )
    read = _mixed(in_order, anywhere, apart)
    left_alone = files.cpu_per_file if left <= 0.0 or files.walk_cpu is None else files.walk_cpu
    cpu = keeper.seconds(sent * files.cpu_per_file + left * left_alone)
    index = host.seconds(sent * who.file_cpu + (left * who.look_cpu if left > 0.0 else 0.0))
    places = {store.link: Spot(region.begin + region.size / 2.0)}
    shape = FlowShape(
        {store.link: read.busy / each}, {store.link: 1.0}, places, sequential=1.0 - apart, workers=who.workers
    )
    shape = keeper.working(shape.through(bus(store, "read")).part(cold), cpu / each)
    shape = host.working(shape, index / each)
    parts = {part: cold * seconds / each for part, seconds in read.parts.items()}
    waited = sent * files.open_time
    own: dict[tuple[str, str], float] = {
        (f"data.{data.name}", Activity.OPEN): waited / each,
        (keeper.cpu.name, Activity.OPEN): cpu / each,
        (host.cpu.name, Activity.INDEX): index / each,
    }
    serial = (cold * read.latency + cpu + index + waited) / each
    if who.remote is not None:
        size = mean if data.file_size is None else data.file_size
        remote, trips = who.remote, who.remote.trips(size, sent, left)
        crossed = requested(keeper, remote.networks, remote.answering, trips, sent * size)
        shape = keeper.working(shape, remote.answering * trips / each)
        own = _added(own, {part: seconds / each for part, seconds in crossed.items()})
        serial += sum(crossed.values()) / each
        if remote.served is not None and sent > 0.0:
            shape = remote.served.bound(shape)
        shape = shape.over(remote.networks)
    if cold > 0.0 and read.busy > 0.0:  # a file counts for the bytes that a stream moves meanwhile
        run = store.run("read", keeper.window(store) or 0.0) * store.width / who.workers
        meanwhile = cold * _meanwhile(region, in_order, anywhere, apart, run)
        shape = shape._replace(weight=each / meanwhile, among=LocalWeight(store.link, 1.0))
    if serial <= 0.0:
        return shape
    shape = shape.cycle(_added(parts, own), 1.0 / serial)
    if early <= 0.0:
        return shape
    later = {part: cold * seconds / each for part, seconds in read.later.items()}
    if who.remote is not None:
        remote, trips = who.remote, sent * outside / window
        behind = requested(keeper, remote.networks, remote.answering, trips, sent * outside)
        later = _added(later, {part: early * seconds / each for part, seconds in behind.items()})
    never = host.machine.read_ahead is None and who.remote is None
    return shape.asking_early(later, early, math.inf if never else 0.0)


def _added(
    one: Mapping[tuple[str, str], float], other: Mapping[tuple[str, str], float]
) -> dict[tuple[str, str], float]:
    """The sums of both, by part."""
    return dict(one) | {part: one.get(part, 0.0) + seconds for part, seconds in other.items()}


def _window(host: Host, files: Files, region: Region) -> float:
    """Bytes of a contiguous file that one request reads."""
    return min(host.window(region.store) or files.fragment, region.size)


class _Reads(NamedTuple):
    """The reads of a file."""

    latency: float
    """Seconds until they are done, in series."""
    busy: float
    """Seconds of the device's time."""
    parts: dict[tuple[str, str], float]
    """These seconds (of latency) by address and activity."""
    later: dict[tuple[str, str], float]
    """Those of `parts` that are for data after the first request."""
    number: float = 0.0
    """Number of reads."""


_NONE = _Reads(0.0, 0.0, {}, {})


def _mixed(together: _Reads, scattered: _Reads, share: float) -> _Reads:
    """Mean reads of a file, if a `share` (0 to 1) of the files is scattered."""
    mean = _NONE
    for reads, weight in ((together, 1.0 - share), (scattered, share)):
        parts, later = (
            _added(before, {part: weight * seconds for part, seconds in more.items()})
            for before, more in ((mean.parts, reads.parts), (mean.later, reads.later))
        )
        mean = _Reads(mean.latency + weight * reads.latency, mean.busy + weight * reads.busy, parts, later)
    return mean


def _meanwhile(region: Region, together: _Reads, scattered: _Reads, share: float, run: float) -> float:
    """Bytes that a sequential stream would move on the device for each file of a walk, a `share` of which is scattered.

    In order of arrival, a disk serves one run of the stream for each request at a random place. `run` is the bytes of
    such a run divided by the number of workers, as each of these has one request. Files that are stored together occupy
    the device as long as the stream would; so do all files on a device without an arm.
    """
    stream = region.store.stream("read", region.begin, region.size)
    stream = (stream + lost_to_visitors(region, stream)) / region.store.sides(region.begin, region.size)
    anywhere = scattered.number * run if math.isfinite(run) else scattered.busy / stream
    return (1.0 - share) * together.busy / stream + share * anywhere


def _together(
    host: Host,
    what: tuple[DataSet, Files],
    region: Region,
    outside: float,
    shares: tuple[float, float],
    *,
    early: float,
) -> _Reads:
    """The reads of a file whose record and data follow those of the file before; read-ahead ends with each file.

    `shares` are the shares of files that are sent, and only examined. If one of these is all files, records are read in
    sequence; otherwise those of files that are sent may be read one by one. A share `early` of the data is requested in
    advance: the disk has read it by then, without an overhead for each request.
    """
    (data, files), (sent, left) = what, shares
    ahead = _window(host, files, region)
    room = min(max(region.size, data.files * files.record), region.store.size)  # empty files have records, too
    records = min(files.record_read or host.window(region.store) or files.fragment, room)
    requests = equations.positioned_reads(outside, ahead, 0.0)
    piece = outside / requests if requests else 0.0
    walk = (_next(region, records), files.record / records, records)
    alone = region.store.scattered("read", region.begin, region.size, records)
    if sent + left < 1.0 and sent * alone.latency < walk[1] * walk[0].latency:
        walk = (alone, sent, records)
    read = _next(region, max(piece, 1.0))
    later = sent * requests * early * read.latency
    passing = piece * region.store.stream("read", region.begin, region.size) + returning(region, piece).busy
    passing /= region.store.sides(region.begin, region.size)
    read = read._replace(busy=read.busy - early * max(read.busy - passing, 0.0))
    if 0.0 < sent < 1.0 and outside:  # the first read of a file comes after those that are left alone
        behind = max(region.size - outside, 0.0)  # one of several streams may have less room than a file
        first, share = _skipping(region, min(gap(outside, sent), behind), piece), 1.0 / requests
        read = Service(*(later + share * (one - later) for one, later in zip(first, read, strict=True)))
    return _sum(region, walk, (read, sent * requests, piece), (early, later))


def _next(region: Region, size: float) -> Service:
    """The time of a read that continues after the one before; users may have moved the arm away meanwhile."""
    read, back = region.store.continued(region.begin, size), returning(region, size)
    return Service(read.latency + back.latency, read.busy + back.busy)


def _skipping(region: Region, skipped: float, piece: float) -> Service:
    """The time of a read behind `skipped` bytes: the disk moves on, or reads them too where that is faster."""
    moved = region.store.request("read", region.begin, region.begin + skipped, piece)
    across = region.store.continued(region.begin, skipped + piece)
    return min(moved, across)


def looked(data: DataSet, files: Files) -> equations.Looking:
    """The reads for a file that is only examined: at most those that a file which is read takes before its data."""
    most = equations.Looking(files.reads_per_file, files.reads_per_file * files.record)
    if files.entry is None or files.directory_read is None:
        return most
    record, read = 0.0 if files.listed else files.record, files.record_read or files.directory_read
    each = equations.looking(files.entry, files.directory_read, record, max(read, record), data.directories_per_file)
    return min(each, most)


def _scattered(
    data: DataSet,
    files: Files,
    region: Region,
    outside: float,
    shares: tuple[float, float],
    *,
    asks: tuple[float, float, int],
) -> _Reads:
    """The reads of a file at a random place: its records and data are anywhere in the region.

    `shares` are the shares of files that are sent, and only examined. `asks` is the share of the data that is
    requested in advance, the bytes of the first request before it, and the workers, each of whom has one request at the
    disks.
    """
    begin, room, (sent, left), (early, window, workers) = region.begin, region.size, shares, asks
    data_reads = equations.positioned_reads(outside, files.fragment, 0.0)
    piece = max(min(outside / data_reads if data_reads else 0.0, room), 1.0)
    look = looked(data, files) if left > 0.0 else equations.Looking(0.0, 0.0)
    reads = sent * files.reads_per_file + left * look.reads
    moved = sent * files.reads_per_file * files.record + left * look.bytes
    record = max(min(moved / reads if reads else 0.0, room), 1.0)
    walk = (region.store.scattered("read", begin, room, record, workers), reads, record)
    one = region.store.scattered("read", begin, room, piece, workers)
    first = region.store.scattered("read", begin, room, min(window, piece)) if early else one
    later = sent * max(data_reads * one.latency - first.latency, 0.0) if early else 0.0
    return _sum(region, walk, (one, sent * data_reads, piece), (early, later))


def _sum(
    region: Region,
    walk: tuple[Service, float, float],
    data: tuple[Service, float, float],
    behind: tuple[float, float],
) -> _Reads:
    """The reads of a file in series: `walk` for directories and records, and `data`.

    Both are the time of one read, the number of reads, and the bytes of each. `behind` is the share of the data reads
    after the first one of a file, and their seconds on the device.
    """
    store = region.store
    path, stream = bus(store, "read"), store.stream("read", region.begin, region.size)
    away = travel_time(path)
    crossed = {network: max(1.0 / network.rate - stream, 0.0) for network in path}  # behind a slower device: none
    latency = sum(times * (service.latency + away) for service, times, _ in (walk, data))
    busy = sum(times * service.busy for service, times, _ in (walk, data))
    parts: dict[tuple[str, str], float] = {
        (store.name, what): times * one.latency
        for what, (one, times, _) in ((Activity.WALK, walk), (Activity.READ, data))
    }
    later: dict[tuple[str, str], float] = {
        (store.name, Activity.READ): behind[1],
        **travelling(path, behind[0] * data[1]),
    }
    moved = sum(times * size for _, times, size in (walk, data))
    for network, each in crossed.items():
        if each > 0.0:
            parts[network.link.name, Activity.TRANSFER] = moved * each
            later = _added(later, {(network.link.name, Activity.TRANSFER): behind[0] * data[1] * data[2] * each})
            latency += moved * each
    later = {part: seconds for part, seconds in later.items() if seconds > 0.0}
    return _Reads(latency, busy, parts | travelling(path, walk[1] + data[1]), later, walk[1] + data[1])
