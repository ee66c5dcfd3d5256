"""How much of a data set a backup saves: all of it, or what has changed since the one that it is based on."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.catalogue import SaveSet
from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region, bus
from simbackup.devices.volume.live import Volume
from simbackup.equations.change import differs, gap
from simbackup.methods.share.live import Share, asked
from simbackup.methods.tool.live import Tool
from simbackup.system import BackupSource, JobFailedError, System
from simbackup.trace.activity import Activity


class Portion(NamedTuple):
    """The part of a data set that a backup saves."""

    size: float
    """Bytes."""
    files: float
    """Files."""
    share: float = 1.0
    """Share (0 to 1) of all bytes, or in a file-level backup of all files."""
    based: bool = False
    """Whether the backup is based on another, even if everything has changed since."""

    @property
    def whole(self) -> bool:
        """Whether everything is saved."""
        return self.share >= 1.0

    def searched(self, tool: Tool) -> bool:
        """Whether the program reads all blocks in search of those that have changed."""
        return self.based and tool.scan_cpu is not None


def portion(data: DataSet, since: float | None, *, by_file: bool) -> Portion:
    """The part that a backup saves if its base is `since` seconds old: whole files, or changed bytes.

    Without a base, it is everything. If nothing has changed, it is one byte, so that every save set can be found and
    read.
    """
    if since is None:
        return Portion(data.size, float(data.files))
    change = data.file_change if by_file else data.change
    if change is None:
        raise JobFailedError(f"'{data.name}' does not say how it changes")  # the checks exclude it
    share = max(differs(change, since), 1.0 / data.size)
    return Portion(data.size * share, data.files * (share if by_file else 1.0), share, based=True)


def changed(host: Host, source: BackupSource, data: DataSet, share: float, tool: Tool) -> FlowShape:
    """What a changed byte of the blocks of a data set loads on its device, and on a host that searches for it.

    Blocks that are tracked are read alone; a program that searches reads all blocks, and examines each byte.
    """
    if tool.scan_cpu is None:
        ahead, waits = host.machine.read_ahead or 0.0, host.waits(tool.request, ahead=tool.reads_ahead)
        return changed_blocks(source.region, share, data.run, ahead, waits=waits).part(1.0 - source.cached)
    scan = host.seconds(tool.scan_cpu)
    shape = host.reading(source.region, scan, source.cached, tool.request, ahead=tool.reads_ahead)
    return shape.times(1.0 / share)


def changed_blocks(region: Region, share: float, run: float, ahead: float = 0.0, *, waits: bool = True) -> FlowShape:
    """What a changed byte of a region loads on its device when changed runs are read in order, one after the other.

    Between two runs the device moves on by the mean gap. Where it is faster to read across, it does, if the gap passes
    below the heads of a disk, or is read `ahead` by host or controller: one request for a run reaches a few disks of an
    array, and the others stand still. A program that `waits` for each run requests the next after it has worked on one.
    """
    store = region.store
    run = min(run, region.size)
    between = min(gap(run, share), max(region.size - run, 0.0))
    one = store.request("read", region.begin, region.begin + between, run)
    across = (run + between) * store.stream("read", region.begin, region.size)
    if between <= max(ahead, store.passed) and across <= one.latency:
        shape = _across(region, between / run, crossed=between <= ahead)
        passed = 0.0 if store.fetches else across  # of what has been read ahead, it waits for its own run alone
        asked = passed + max(store.continued(region.begin, run).latency - run / (run + between) * passed, 0.0)
        return shape.cycle({(store.name, Activity.READ): asked / run}) if waits else shape
    shape = FlowShape({store.link: one.busy / run}, {store.link: 1.0}, sequential=0.0).through(bus(store, "read"))
    return shape.cycle({(store.name, Activity.READ): one.latency / run})


def _across(region: Region, skipped: float, *, crossed: bool) -> FlowShape:
    """What a byte of a region loads on its device when `skipped` other bytes pass before the next one.

    Bytes that a host reads ahead have also `crossed` the buses; others pass below the heads, or end at a controller.
    """
    shape, store = region.streaming("read"), region.store
    if crossed:
        return shape.times(1.0 + skipped)
    shape, alone = shape.plus({store.link: skipped * shape.demands[store.link]}), store.alone(region.begin, region.size)
    if store.sides(region.begin, region.size) > 1.0:
        alone = min(alone, 1.0 / store.stream("read", region.begin, region.size))
    return shape.at_most(alone / (1.0 + skipped), store.name)


def scattered_writes(volume: Volume, place: tuple[float, float], share: float, run: float) -> FlowShape:
    """What each byte loads in addition to a sequential write, if runs go to places all over an area of a volume.

    `place` is the byte of the volume at which the area begins, and its bytes, a share of which is written. From one run
    to the next the device moves on by the mean gap, or writes across it, if that is faster: then the gap passes below
    its heads, and stripes with a gap are read for their parity. A host that gathers writes in its memory has many in
    flight, so that disks of an array work in parallel. A volume that writes to free space writes in sequence all the
    same.
    """
    begin, size = place
    if share >= 1.0 or not volume.in_place:
        return FlowShape()
    store, begin, run = volume.region.store, volume.region.begin + begin, min(run, size)
    between = min(gap(run, share), size - run)
    one, written = store.request("write", begin, begin + between, run), store.stream("write", begin, size)
    read = min(store.stripe + between, run + between) * store.stream("read", begin, size) if store.stripe else 0.0
    across = (run + between) * written + read
    return FlowShape({store.link: max(min(one.busy, across) / run - written, 0.0)})


def applied(saved: SaveSet, target: DataSet) -> FlowShape:
    """What each byte of an incremental image restored on top of another loads in addition to a sequential write."""
    if saved.method != "image" or saved.level == "full":
        return FlowShape()
    place, share = (target.begin, target.size), saved.size / target.size
    return scattered_writes(target.volume, place, share, min(target.run, saved.size))


def asked_blocks(  # noqa: PLR0913
    system: System,
    host: Host,
    origin: BackupSource,
    data: DataSet,
    part: Portion,
    *,
    tool: Tool,
    copy: float,
    share: Share,
) -> FlowShape:
    """How a byte of an image loads all when a host asks another for its blocks, one request after the other.

    A request of `r` bytes takes a round trip, the read, the work of a core that answers, and its bytes on each line:
    `T = R + t(r) + c + r / B`. A stream makes `r / T` bytes a second, whatever the window of its connection. The host
    works on what has come meanwhile, with `copy` seconds of a core for each byte. Changed runs are asked for one by
    one, in requests of no more than their bytes; a program that searches for them asks for all.
    """
    keeper = system.hosts[share.keeper]
    searched = part.searched(tool)
    if part.whole or searched:
        shape = keeper.reading(origin.region, cached=origin.cached, request=share.request)
        shape = asked(shape, system, share, 1.0 / share.request)
    else:
        ahead = keeper.machine.read_ahead or 0.0
        shape = changed_blocks(origin.region, part.share, data.run, ahead).part(1.0 - origin.cached)
        shape = keeper.working(shape, 1.0 / keeper.copy_rate)
        shape = asked(shape, system, share, 1.0 / min(share.request, data.run))
    if searched:
        scan = host.seconds(tool.scan_cpu or 0.0)
        shape = host.on_threads(shape, scan).times(1.0 / part.share)
    return host.on_threads(shape, copy)
