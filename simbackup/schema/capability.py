"""simbackup.schema.capability"""

from __future__ import annotations

from simbackup.devices.mirror.spec import Mirror
from simbackup.devices.redirect.spec import Clone, RedirectSnapshot
from simbackup.devices.snapshot.spec import (
    Checkpoint,
    Snapshot,
)

FrozenImage = Snapshot | Checkpoint | Mirror | RedirectSnapshot | Clone
"""Whatever keeps a volume as it was."""
