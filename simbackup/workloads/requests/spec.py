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
from simbackup.schema.workload import WorkloadSpec


class RequestsSpec(WorkloadSpec):
    """An application whose requests cross links: a rate of requests, or clients that ask one after the other."""

    via: Annotated[Names, Field(min_length=1)]
    """The links that a request crosses, in the order in which it does."""
    request: PositiveSize
    """Mean bytes of a request and its answer together, on each of these links; they spread exponentially about it."""
    timeout: PositiveDuration | None = None
    """Wait for its turn on the links after which a request has timed out; none does unless stated."""
    transactions: Frequency | None = None
    """Requests a second, which come by themselves, however long each waits."""
    clients: PositiveCount | None = None
    """Clients of whom each makes the next request when it has the answer to the last."""
    think_time: Duration | None = None
    """Time that such a client waits between two requests; none unless stated."""

    told_by: ClassVar[tuple[str, ...]] = ("via",)
