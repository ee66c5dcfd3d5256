"""Images read by another host over a share, one request after the other."""

from __future__ import annotations

from simbackup.data.live import DataSet
from simbackup.devices.host.live import Host
from simbackup.devices.shape import FlowShape
from simbackup.methods.file_backup.portion import Portion, changed_blocks
from simbackup.methods.share.live import Share, asked
from simbackup.methods.tool.live import Tool
from simbackup.system import BackupSource, System


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
