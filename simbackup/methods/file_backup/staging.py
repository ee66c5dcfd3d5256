"""How a reader hands bytes to a tape drive: in parallel or by turns; and from a spool disk to tape."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.devices.host.live import Host
from simbackup.devices.network.live import Network, commanded
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.methods.tool.live import Tool
from simbackup.trace.activity import Activity

Crossing = tuple[FlowShape, float]
"""What a byte loads on a drive, and the seconds that its host waits with each byte that it hands over."""


def handing_over(
    shape: FlowShape, crossing: Crossing, networks: tuple[Sequence[Network], float], tool: Tool
) -> FlowShape:
    """The shape of bytes that are read and that a drive takes: while the next are read, or by turns with reading.

    `shape` loads the drive and the networks already; so many bytes cross these for each byte.
    """
    (towards, waits), (crossed, share) = crossing, networks
    if not tool.alternates:
        bound = towards._replace(demands={}, moves={}, places={})
        return shape.in_parallel_with(bound, max(shape.workers, 1))._replace(sent=share)  # workers share it
    address = max(towards.demands, key=lambda link: towards.demands[link]).name
    handed, far = shape.after(waits, address, Activity.WRITE, idle=True), commanded(crossed)
    handed = tool.sending(handed, crossed, loaded=True, share=share, travelled=far)
    if shape.workers <= 1:
        return handed
    turn = tool.sending(FlowShape().after(waits, address), crossed, loaded=True, share=share, travelled=far)
    # others read while one of them writes
    return handed.at_most(turn.cap / shape.workers, turn.cause or address, alone=turn.cap)


def staged(
    source: tuple[Host, Region, float], crossing: Crossing, networks: tuple[Sequence[Network], float], tool: Tool
) -> FlowShape:
    """How a byte on a disk of a server loads its way to a drive, which is `crossing` with the networks.

    A byte on the disk stands for so many of the save set, which are those of the drive.
    """
    server, region, stored = source
    reading = server.reading(region, tool.copying(server, copies=1.0) * stored, request=tool.request or tool.block)
    reading = reading.times(1.0 / stored).plus(crossing[0].demands, crossing[0].moves, crossing[0].places)
    return handing_over(reading, crossing, networks, tool)
