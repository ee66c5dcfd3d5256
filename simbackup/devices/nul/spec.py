"""What a file may say about a device that keeps nothing."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import Sink


class NulSpec(Sink):
    """A device that takes all data and keeps nothing; it serves to measure only the reading side."""

    kind: Literal["nul"]
