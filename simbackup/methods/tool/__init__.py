"""Backup programs: what they add to the copying."""

from __future__ import annotations

from simbackup.methods.tool.spec import BackupToolSheet

SHEETS = {"backup_tool": BackupToolSheet}
