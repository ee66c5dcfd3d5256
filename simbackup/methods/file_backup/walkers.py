"""Those who walk the files of a backup, at their host or over a share."""

from __future__ import annotations

from simbackup.methods.file_backup.walk import Remote, Walkers
from simbackup.methods.share.live import Share
from simbackup.methods.tool.live import Tool
from simbackup.system import System


def walkers(system: System, tool: Tool, workers: int, share: Share | None) -> Walkers:
    """Those who walk the files of a backup, over a share if there is one."""
    if share is None:
        return Walkers(workers, tool.file_cpu, tool.in_turn, None, tool.look_cpu, tool.reads_records, tool.tracks_files)
    networks = tuple(system.networks[name] for name in share.networks)
    keeper = system.hosts[share.keeper]
    remote = Remote(
        keeper,
        networks,
        share.calls,
        share.request,
        share.look_calls,
        keeper.seconds(share.call_cpu),
        share.served(system),
    )
    return Walkers(workers, tool.file_cpu, tool.in_turn, remote, tool.look_cpu, tool.reads_records, tool.tracks_files)
