"""simbackup.devices.nul.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.quantity import (
    Frozen,
)


class NulSpec(Frozen):
    """A device that takes whatever is written and keeps nothing, by which the reading side is measured alone."""

    kind: Literal["nul"]
