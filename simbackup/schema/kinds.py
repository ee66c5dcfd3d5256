"""All kinds of parts: what a device may say in a scenario, and what a datasheet has to say."""

from __future__ import annotations

from simbackup.schema.devices import (
    Disk,
    DiskParameters,
    HostParameters,
    LogicalVolume,
    NetworkParameters,
    Nul,
    Raid,
    RaidParameters,
    RedirectVolume,
    RedirectVolumeParameters,
    Ssd,
    SsdParameters,
)
from simbackup.schema.frozen_images import (
    Checkpoint,
    CheckpointParameters,
    Clone,
    Mirror,
    MirrorParameters,
    RedirectSnapshot,
    Snapshot,
    SnapshotParameters,
)
from simbackup.schema.quantity import Frozen
from simbackup.schema.software import (
    BackupEngineParameters,
    BackupToolParameters,
    DatabaseParameters,
    FilesystemParameters,
    PopulationParameters,
    WorkloadParameters,
)
from simbackup.schema.tape import TapeDriveParameters, TapeLibrary, TapeLibraryParameters

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
