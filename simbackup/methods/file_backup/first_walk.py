"""The walk of programs that first count all files (`walks_first`)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

import simpy

from simbackup.methods.file_backup.walk import walking
from simbackup.methods.file_backup.walkers import walkers
from simbackup.methods.share.live import Share
from simbackup.methods.tool.live import Tool
from simbackup.system import System
from simbackup.trace.activity import Activity


class FileBackup(Protocol):
    """What backups of files have in common, whatever takes the save set."""

    @property
    def host(self) -> str:
        """The host that walks."""
        ...

    @property
    def data(self) -> str:
        """The data set."""
        ...

    @property
    def method(self) -> str:
        """`image` or `file_level`."""
        ...

    @property
    def tool(self) -> Tool:
        """The program."""
        ...

    @property
    def since(self) -> float | None:
        """Seconds since the backup on which it is based, None if it saves all."""
        ...

    @property
    def source(self) -> str | None:
        """The frozen image that is read, if any."""
        ...

    @property
    def workers(self) -> int:
        """How many walk at once."""
        ...

    @property
    def share(self) -> Share | None:
        """How another host reads them, if one does."""
        ...


def first_walk(system: System, job: str, backup: FileBackup) -> Generator[simpy.Event, Any, None]:
    """Look at all files, none of which is read, if the program does so: their number, or a map and the directories.

    It costs what a walk costs that finds nothing to save. What it reads is not taken to stay in memory.
    """
    it = backup.tool
    if backup.method != "file_level" or not it.walks_first:
        return
    host, data = system.hosts[backup.host], system.data[backup.data]
    who = walkers(system, backup.tool, backup.workers, backup.share)
    region = system.origin(data, backup.source, mounted=True).region
    walk = walking(host, data, region, who, 0.0)  # of which a byte is all files
    flow = walk.times(1.0 / data.files).start(system.network, job, Activity.WALK, float(data.files))
    yield flow.done
    system.account(job, flow)
