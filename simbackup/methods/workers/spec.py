"""What a file may say about work that several workers, threads, connections or files of one program share."""

from __future__ import annotations

from simbackup.schema.quantity import Frozen, Share


class WorkersSheet(Frozen):
    """Several workers that share the work of one job."""

    serial_share: Share
    """Share of the work that one worker does while the others wait for it: opening, scanning, joining, stragglers, a
    last flush.
    """
