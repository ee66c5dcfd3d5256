"""Images on a disk that a server mounts, to take single files from them."""

from __future__ import annotations

from typing import NamedTuple

from simbackup.data.live import DataSet, Files
from simbackup.devices.host.live import Host
from simbackup.devices.network.live import travel_time
from simbackup.devices.store import Region, bus
from simbackup.equations import files as equations
from simbackup.system import System
from simbackup.trace.activity import Activity
from simbackup.trace.clock import Process


class MountedImage(NamedTuple):
    """An image of a data set on a disk, whose file system a server has mounted.

    A file is found by positioned reads of directories and records, and its data are in runs, as on the disk of the data
    set. Nothing of it is in memory, as the image has just been mounted.
    """

    server: Host
    """The server."""
    data: DataSet
    """The data set that was saved."""
    files: Files
    """The costs of its file system."""
    region: Region
    """Where the image is."""

    def mount(self, system: System, job: str, seconds: float) -> Process:
        """Mount the image, and unmount it again."""
        with system.clock.span(job, self.region.store.name, Activity.MOUNT):
            yield system.env.timeout(seconds)

    def find(self, system: System, job: str, number: float) -> Process:
        """Read the directories and records of so many files, one file after the other, and open them."""
        files, store = self.files, self.region.store
        record = max(min(files.record, self.region.size), 1.0)
        read = store.scattered("read", self.region.begin, self.region.size, record).latency
        with system.clock.span(job, store.name, Activity.WALK):
            yield system.env.timeout(number * files.reads_per_file * (read + travel_time(bus(store, "read"))))
        with system.clock.span(job, self.server.cpu.name, Activity.OPEN):
            yield system.env.timeout(number * (self.server.seconds(files.cpu_per_file) + files.open_time))

    def runs(self, size: float) -> float:
        """Mean contiguous runs of the data of a file of so many bytes."""
        outside, apart = equations.outside_record(size, self.files.resident), self.data.scattered
        if outside <= 0.0:
            return 0.0
        return 1.0 - apart + apart * equations.positioned_reads(outside, self.files.fragment, 0.0)


def mounted(system: System, server: Host, name: str, region: Region) -> MountedImage | None:
    """The mounted image of a data set in a region; None if the data set has no file system."""
    data = system.data[name]
    return None if data.filesystem is None else MountedImage(server, data, data.filesystem, region)
