"""simbackup.methods.observe.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    PositiveDuration,
    Text,
)


class ObserveSpec(JobSpec):
    """Nothing but time that passes, over which it is told how much users get done."""

    method: Literal["observe"]
    workload: Text
    """The users."""
    duration: PositiveDuration
    """How long they are watched."""
