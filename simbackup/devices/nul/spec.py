"""What a file may say about a device that keeps nothing."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import Sink


class NulSpec(Sink):
    """A device that takes whatever is written and keeps nothing, so that only the reading side counts."""

    kind: Literal["nul"]
