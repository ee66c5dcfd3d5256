"""Backup to `nul`: reads and sends, writes nothing."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.methods.file_backup.disk import ReadsLikeDisk
from simbackup.methods.job import Moved, Steps, side_by_side
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


@dataclass(frozen=True, slots=True)
class NullBackup(ReadsLikeDisk):
    """A backup that reads as one onto a disk does and crosses the same networks; nothing is copied to be written."""

    def run(self, system: System, job: str) -> Steps:
        """Prepare, and read blocks or files."""
        it = self.backup
        data = system.data[it.data]
        part = it.begin(system, data)
        yield from it.start(system, job, part)

        def stream(number: int) -> Process:
            shape = it.going(system, data, copies=1.0, number=number)
            flow = system.bounded(job, shape).start(system.network, job, Activity.SAVE, part.size / it.streams)
            yield flow.done
            system.account(job, flow)

        yield from side_by_side(system, [stream(number) for number in range(it.streams)])
        return Moved(part.size, part.files)
