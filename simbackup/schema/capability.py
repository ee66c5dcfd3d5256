"""simbackup.schema.capability"""

from __future__ import annotations

from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec
from simbackup.devices.snapshot.spec import (
    CheckpointSpec,
    SnapshotSpec,
)

FrozenImage = SnapshotSpec | CheckpointSpec | MirrorSpec | RedirectSnapshotSpec | CloneSpec
"""Whatever keeps a volume as it was."""
