"""All kinds of parts: what a device may say in a scenario, and what a datasheet has to say."""

from __future__ import annotations

from simbackup.data.spec import DatabaseParameters, FilesystemParameters, PopulationParameters
from simbackup.devices.disk.spec import Disk, DiskParameters
from simbackup.devices.host.spec import HostParameters
from simbackup.devices.mirror.spec import Mirror, MirrorParameters
from simbackup.devices.network.spec import NetworkParameters
from simbackup.devices.nul.spec import Nul
from simbackup.devices.raid.spec import Raid, RaidParameters
from simbackup.devices.redirect.spec import Clone, RedirectSnapshot, RedirectVolume, RedirectVolumeParameters
from simbackup.devices.snapshot.spec import Checkpoint, CheckpointParameters, Snapshot, SnapshotParameters
from simbackup.devices.ssd.spec import Ssd, SsdParameters
from simbackup.devices.tape.spec import TapeDriveParameters, TapeLibrary, TapeLibraryParameters
from simbackup.devices.volume.spec import LogicalVolume
from simbackup.methods.native.spec import BackupEngineParameters
from simbackup.methods.tool.spec import BackupToolParameters
from simbackup.schema.quantity import Frozen
from simbackup.workloads.users.spec import WorkloadParameters

DEVICES: dict[str, type[Frozen]] = {
    "disk": Disk,
    "ssd": Ssd,
    "raid": Raid,
    "logical_volume": LogicalVolume,
    "snapshot": Snapshot,
    "checkpoint": Checkpoint,
    "mirror": Mirror,
    "redirect_volume": RedirectVolume,
    "redirect_snapshot": RedirectSnapshot,
    "clone": Clone,
    "tape_library": TapeLibrary,
    "nul": Nul,
}
"""What a device of each kind may say."""

PARAMETERS: dict[str, type[Frozen]] = {
    "host": HostParameters,
    "disk": DiskParameters,
    "ssd": SsdParameters,
    "raid": RaidParameters,
    "snapshot": SnapshotParameters,
    "checkpoint": CheckpointParameters,
    "mirror": MirrorParameters,
    "redirect_volume": RedirectVolumeParameters,
    "tape_drive": TapeDriveParameters,
    "tape_library": TapeLibraryParameters,
    "network": NetworkParameters,
    "filesystem": FilesystemParameters,
    "database": DatabaseParameters,
    "backup_tool": BackupToolParameters,
    "population": PopulationParameters,
    "backup_engine": BackupEngineParameters,
    "workload": WorkloadParameters,
}
"""What a datasheet of each kind has to say."""
