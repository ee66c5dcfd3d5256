"""The workers that walk the files of a backup, at their host or over a share."""

from __future__ import annotations

from simbackup.late import late
from simbackup.methods.file_backup.walk import Remote, Walkers
from simbackup.methods.share.live import Share
from simbackup.methods.tool.live import Tool
from simbackup.system import System


def walkers(system: System, tool: Tool, workers: int, share: Share | None) -> Walkers:
    """Those who walk the files of a backup, over a share if there is one."""
    return late(
        Walkers, workers=workers, file_cpu=lambda: tool.file_cpu,
        remote=None if share is None else remote(system, share), look_cpu=lambda: tool.look_cpu,
        reads_records=lambda: tool.reads_records,
    )  # fmt: skip


def remote(system: System, share: Share) -> Remote:
    """The host that keeps the files of a share, as those see it who walk them."""
    networks, keeper = tuple(system.networks[name] for name in share.networks), system.hosts[share.keeper]
    return late(
        Remote, keeper=keeper, networks=networks, calls=share.calls, request=share.request,
        look_calls=lambda: share.look_calls, answering=keeper.seconds(share.call_cpu),
        served=lambda: share.served(system),
    )  # fmt: skip
