"""The copy of one data set onto another."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.devices.host.page_cache import VolumeRange
from simbackup.methods.file_backup.walk import Walkers, walking
from simbackup.methods.job import Moved, Steps
from simbackup.methods.making import NONE, FilesMade, beside, filling, makes
from simbackup.system import System
from simbackup.trace.activity import Activity


@dataclass(frozen=True, slots=True)
class CopyData:
    """A copy of one data set onto the place of another, as cp does."""

    host: str
    """The host."""
    data: str
    """The data set that is read."""
    to: str
    """The data set that is written."""
    method: str = "copy"

    def run(self, system: System, job: str) -> Steps:
        """Read at the pace of disk and core into the page cache, which write-back empties."""
        data, target = system.data[self.data], system.data[self.to]
        host, region = system.hosts[self.host], data.volume.region.part(data.begin, data.size)
        if makes(data):
            fill = host.then(walking(host, data, region, Walkers()), 2.0 / host.copy_rate)
        else:
            fill = host.copying(region)
        made = FilesMade(data.files / data.size) if makes(data) else NONE
        place = VolumeRange(target.volume, target.begin, data.size, beside(target, made))
        yield from system.write(job, self.host, place, filling(fill, host, target, made), Activity.COPY)
        return Moved(data.size, float(data.files))
