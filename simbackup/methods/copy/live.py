"""The copy of one data set onto another."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.devices.host.page_cache import VolumeRange
from simbackup.engine.activity import Activity
from simbackup.methods.job import Moved, Steps
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class CopyData:
    """A copy of one data set onto the place of another, as cp does."""

    host: str
    data: str
    to: str
    method: str = "copy"

    def run(self, system: System, job: str) -> Steps:
        """Read at the pace of disk and core into the page cache, which write-back empties."""
        data, target = system.data[self.data], system.data[self.to]
        fill = system.hosts[self.host].copying(data.volume.region.part(data.begin, data.size))
        yield from system.write(
            job, self.host, VolumeRange(target.volume, target.begin, data.size), fill, Activity.COPY
        )
        return Moved(data.size, float(data.files))
