"""Backup that is a frozen image, and restores from it."""

from __future__ import annotations

from simbackup.methods.frozen_image.spec import FrozenImageBackupSpec
from simbackup.schema.registry import MethodKind

KINDS = (
    MethodKind(
        ("frozen_image",),
        FrozenImageBackupSpec,
        "simbackup.methods.frozen_image.make:make",
        "simbackup.methods.frozen_image.make:restore",
    ),
)
