"""simbackup.methods.write.spec"""

from __future__ import annotations

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    PositiveShare,
    PositiveSize,
    PositiveTimePerByte,
    Text,
)


class WriteSpec(JobSpec):
    """Foreground program that writes a data set in sequence through the page cache, as dd does."""

    method: Literal["write"]
    data: Text
    """The data set that is written."""
    portion: PositiveShare | None = None
    """Share of the data set that is written, from its beginning; all of it unless stated."""
    cpu_per_byte: PositiveTimePerByte | None = None
    """Time of the reference core for each byte; that of the host's copy_rate unless stated."""
    flush: bool = False
    """Whether it ends only when all it wrote is on disk, as dd does with conv=fsync."""
    synchronous: bool = False
    """Whether each request is on disk before the next is made."""
    request: PositiveSize | None = None
    """Bytes of one request of a synchronous writer."""
    over: Text | None = None
    """The network through which the writer reaches the host of the data."""
