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
    """An application whose requests cross links: a number each second, or from clients one after the other."""

    via: Annotated[Names, Field(min_length=1), Refers("works on", "links")]
    """The links that a request crosses, in order."""
    request: PositiveSize
    """Mean bytes of a request with its answer, on each of these links; sizes are exponential."""
    timeout: PositiveDuration | None = None
    """Longest wait on the links before a request times out; none does by default."""
    transactions: Frequency | None = None
    """Requests a second, however long each waits."""
    clients: PositiveCount | None = None
    """Number of clients; each sends its next request after the answer to the last."""
    think_time: Duration | None = None
    """Time that a client waits between two requests; none by default."""

    recognised_by: ClassVar[tuple[str, ...]] = ("via",)
