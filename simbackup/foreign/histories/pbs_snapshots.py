"""Proxmox Backup Server 1 to 4: `proxmox-backup-client snapshot list --output-format json`.

The list has the time and the size of each snapshot, and no duration, so that it is no history. See "Backup Client
Usage" at pbs.proxmox.com/docs.
"""

from __future__ import annotations

from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader


def recognises(source: ForeignFile) -> bool:
    """Whether a text is JSON with snapshots of a Proxmox Backup Server."""
    return '"backup-id"' in source.text and '"backup-time"' in source.text


READER: FormatReader[Past] = FormatReader(
    "Proxmox Backup Server 1 to 4", "proxmox-backup-client snapshot list", recognises,
    lacks="it does not state how long the backups took; use the logs of their tasks",
)  # fmt: skip
