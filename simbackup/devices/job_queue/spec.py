"""What a file may say about a queue of jobs."""

from __future__ import annotations

from typing import Annotated, Literal

from simbackup.schema.capability import JobLimit
from simbackup.schema.facts import Facts, number
from simbackup.schema.quantity import Pieces, Word

Order = Literal["first_come", "longest_first", "priority", "deadline"]


class JobQueueSpec(JobLimit):
    """A limit of the jobs that run at once, such as those of a client, of a backup server, or to a target.

    Jobs that name it under `queues` wait until it has a place for them. A job that names several begins when all of
    them have one, and takes none before.
    """

    kind: Literal["job_queue"]
    at_once: Pieces
    """Most jobs that run at the same time."""
    order: Annotated[Order, Word()] = "first_come"
    """Who comes first of those that wait: who came first, who has most bytes to save, copy or restore, who has the
    lowest `priority`, or whose window or deadline ends first. Among equals it is who came first."""

    def facts(self) -> Facts:
        """How many jobs run at once."""
        yield from number(self.at_once, "job at once", "jobs at once")
