"""simbackup.methods.copy.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class CopySpec(JobSpec):
    """Copy of one data set onto another place, as cp does."""

    method: Literal["copy"]
    data: Text
    """The data set that is read."""
    to: Text
    """The data set whose place is written."""
