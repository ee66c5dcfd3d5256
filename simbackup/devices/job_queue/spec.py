"""What a file may say about a queue of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from simbackup.schema.capability import JobLimit, Piece
from simbackup.schema.part import Facts, number
from simbackup.schema.quantity import Pieces, Word
from simbackup.schema.registry import DeviceKind, Look

Order = Literal["first_come", "longest_first", "priority", "deadline"]


class JobQueueSpec(JobLimit):
    """A limit on the number of jobs that run at once, such as those of a client, of a backup server, or to a target.

    Jobs that name it under `queues` wait until it has a free place. A job that names several queues begins when all of
    them have a free place, and takes none before that.
    """

    kind: Literal["job_queue"]
    at_once: Pieces
    """Maximum number of jobs that run at the same time."""
    order: Annotated[Order, Word()] = "first_come"
    """Which waiting job runs first: the one that came first, the one with the most bytes to save, copy or restore, the
    one with the lowest `priority`, or the one whose window or deadline ends first. Among equals, the one that came
    first.
    """

    pieces: ClassVar[Mapping[str, Piece]] = {"at_once": Piece("at_once", waits="wait for a turn")}

    def facts(self) -> Facts:
        """How many jobs run at once."""
        yield from number(self.at_once, "job at once", "jobs at once")


KINDS = (DeviceKind("job_queue", JobQueueSpec, "simbackup.devices.job_queue.live:make"),)
LOOKS = {"job_queue": Look("M2 3h8v3H2zM2 10h8v3H2zM12 4.5h2.5v7H12", "#fff7ed", "#c2752e")}
