"""Files that another host reads as from a share."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.methods.file_backup.walk import Remote, Walkers
from simbackup.methods.tool.live import Tool
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Share:
    """The host that keeps the files, the networks to it, requests for each file, and bytes of a request for data.

    `look_calls` are the requests for a file that is only looked at.
    """

    keeper: str
    networks: tuple[str, ...]
    calls: float
    request: float
    look_calls: float


def walkers(system: System, tool: Tool, workers: int, share: Share | None) -> Walkers:
    """Those who walk the files of a backup, over a share if there is one."""
    if share is None:
        return Walkers(workers, tool.file_cpu, tool.in_turn, None, tool.look_cpu)
    networks = tuple(system.networks[name] for name in share.networks)
    remote = Remote(system.hosts[share.keeper], networks, share.calls, share.request, share.look_calls)
    return Walkers(workers, tool.file_cpu, tool.in_turn, remote, tool.look_cpu)
