"""What a file may say of a device that keeps nothing."""

from __future__ import annotations

from typing import Literal

from simbackup.schema.capability import Sink


class NulSpec(Sink):
    """A device that takes whatever is written and keeps nothing, by which the reading side is measured alone."""

    kind: Literal["nul"]
