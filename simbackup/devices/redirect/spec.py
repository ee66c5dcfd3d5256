"""simbackup.devices.redirect.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.devices.volume.spec import Volume
from simbackup.schema.modelled import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    PositiveSize,
    Text,
)


class RedirectVolumeSheet(Frozen):
    """A volume that writes to free places, never over old data, as WAFL does."""

    block: PositiveSize
    """Bytes of a block, the least that is written to a new place."""
    run: PositiveSize
    """Bytes that are written to contiguous free room before the arms move on."""
    request: PositiveSize
    """Bytes that a client which reads in sequence asks for at once, where its host does not say."""
    read_ahead: PositiveSize | None = None
    """Bytes that the server reads ahead for such a client; none unless stated, as for a LUN."""
    write_latency: Duration
    """Time until a write is safe, in memory that keeps it or in a log."""
    create_time: Duration
    """Time to create a snapshot or a clone."""
    remove_time: Duration
    """Time to remove one."""


class RedirectVolumeSpec(Modelled, RedirectVolumeSheet, Volume):
    """A volume that writes to free places, in a scenario."""

    kind: Literal["redirect_volume"]
    guarantee: Literal["volume", "none"] = "volume"
    """Whether its size is kept for it on its device, or only what it uses is taken."""


class RedirectSnapshotSpec(Frozen):
    """A snapshot of a redirect-on-write volume: nothing is copied, and what is overwritten stays allocated."""

    kind: Literal["redirect_snapshot"]
    of: Text
    """The volume that it freezes."""
    autodelete: bool = False
    """Whether it is deleted where writes find no room otherwise; unless stated it stays, and writes fail."""


class CloneSpec(Frozen):
    """A clone of a redirect-on-write volume: a snapshot that is kept as much room as its volume has."""

    kind: Literal["clone"]
    of: Text
    """The volume that it is a clone of."""
    guarantee: Literal["volume", "none"] = "volume"
    """Whether the size of its volume is kept for it; where there is not so much room its creation fails."""
