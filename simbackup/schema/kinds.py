"""All kinds of parts: what a device may say in a scenario, and what a datasheet has to say."""

from __future__ import annotations

from simbackup.data.spec import DatabaseSheet, FilesystemSheet, PopulationSheet
from simbackup.devices.disk.spec import DiskSpec, DiskSheet
from simbackup.devices.host.spec import HostSheet
from simbackup.devices.mirror.spec import MirrorSpec, MirrorSheet
from simbackup.devices.network.spec import NetworkSheet
from simbackup.devices.nul.spec import NulSpec
from simbackup.devices.raid.spec import RaidSpec, RaidSheet
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec, RedirectVolumeSheet
from simbackup.devices.snapshot.spec import CheckpointSpec, CheckpointSheet, SnapshotSpec, SnapshotSheet
from simbackup.devices.ssd.spec import SsdSpec, SsdSheet
from simbackup.devices.tape.spec import TapeDriveSheet, TapeLibrarySpec, TapeLibrarySheet
from simbackup.devices.volume.spec import LogicalVolumeSpec
from simbackup.methods.native.spec import BackupEngineSheet
from simbackup.methods.tool.spec import BackupToolSheet
from simbackup.schema.quantity import Frozen
from simbackup.workloads.users.spec import WorkloadSheet

DEVICES: dict[str, type[Frozen]] = {
    "disk": DiskSpec,
    "ssd": SsdSpec,
    "raid": RaidSpec,
    "logical_volume": LogicalVolumeSpec,
    "snapshot": SnapshotSpec,
    "checkpoint": CheckpointSpec,
    "mirror": MirrorSpec,
    "redirect_volume": RedirectVolumeSpec,
    "redirect_snapshot": RedirectSnapshotSpec,
    "clone": CloneSpec,
    "tape_library": TapeLibrarySpec,
    "nul": NulSpec,
}
"""What a device of each kind may say."""

PARAMETERS: dict[str, type[Frozen]] = {
    "host": HostSheet,
    "disk": DiskSheet,
    "ssd": SsdSheet,
    "raid": RaidSheet,
    "snapshot": SnapshotSheet,
    "checkpoint": CheckpointSheet,
    "mirror": MirrorSheet,
    "redirect_volume": RedirectVolumeSheet,
    "tape_drive": TapeDriveSheet,
    "tape_library": TapeLibrarySheet,
    "network": NetworkSheet,
    "filesystem": FilesystemSheet,
    "database": DatabaseSheet,
    "backup_tool": BackupToolSheet,
    "population": PopulationSheet,
    "backup_engine": BackupEngineSheet,
    "workload": WorkloadSheet,
}
"""What a datasheet of each kind has to say."""
