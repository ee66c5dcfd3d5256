"""simbackup.methods.restore.spec"""

from __future__ import annotations

from simbackup.methods.native.spec import Rounds
from simbackup.schema.job import JobSpec, Names
from simbackup.schema.quantity import (
    Frozen,
    Pieces,
    PositiveSize,
    Share,
    Text,
)


class SelectSpec(Frozen):
    """The part of a save set that is restored."""

    files: Pieces
    """Number of files; each is located by itself."""
    size: PositiveSize
    """Their bytes together."""
    at: Share | None = None
    """Where they lie in the save set; spread over it unless stated."""


class RestoreSpec(JobSpec):
    """Restore of the last copy that a backup job made."""

    restore: Text
    """The backup job whose save set is restored."""
    select: SelectSpec | None = None
    """The files that are wanted; the whole save set unless stated."""
    to: Text | None = None
    """The data set whose place is written; where the data came from unless stated."""
    streams: Pieces | None = None
    """Drives that read from tape at once; one unless stated."""
    replay: Names = ()
    """Incremental backups whose runs since then are replayed after it."""
    rounds: Rounds | None = None
    """How the buffers of a native restore go round, `steady` or `by_event`; as in its backup unless stated."""
