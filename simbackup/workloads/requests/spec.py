"""What a file may say about an application whose requests cross links."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.quantity import (
    Duration,
    Frequency,
    PositiveCount,
    PositiveDuration,
    PositiveSize,
)
from simbackup.schema.refers import Refers
from simbackup.schema.workload import WorkloadSpec


class RequestsSpec(WorkloadSpec):
    """An application whose requests cross links: a given number per second, or one after the other from each client."""

    via: Annotated[Names, Field(min_length=1), Refers("works on", "links")]
    """The links that a request crosses, in order."""
    request: PositiveSize
    """Mean bytes of a request and its answer on each of these links; sizes are distributed exponentially."""
    timeout: PositiveDuration | None = None
    """Longest wait on the links before a request times out; by default, requests never time out."""
    transactions: Frequency | None = None
    """Requests per second, however long each waits."""
    clients: PositiveCount | None = None
    """Number of clients; each sends its next request after the answer to the previous one."""
    think_time: Duration | None = None
    """Time that a client waits between two requests; none by default."""

    recognised_by: ClassVar[tuple[str, ...]] = ("via",)
