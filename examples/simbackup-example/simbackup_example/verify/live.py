"""Checks of save sets on disk."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.methods.file_backup.disk import lying, seek
from simbackup.methods.job import Moved, Steps
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Verify:
    """A check of the newest save set of a backup, at the host that owns the disk where it lies."""

    backup: str
    host: str
    check_cpu: float
    method: str = "verify"

    def run(self, system: System, job: str) -> Steps:
        """Read the save set in sequence, at the pace of disk and core."""
        saved, copy = system.saved(self.backup, self.backup)
        host, source = system.hosts[self.host], lying(system, copy, 0.0, saved.size)
        yield from seek(system, job, source, ())
        shape = host.reading(source, host.seconds(self.check_cpu))
        flow = shape.start(system.network, job, "verify", saved.size)
        yield flow.done
        system.account(job, flow)
        return Moved(saved.size, float(saved.files))
