"""A job queue: at most so many jobs run at once; others wait in its order."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import simpy

from simbackup.engine.events import LAST, Call

if TYPE_CHECKING:
    from simbackup.devices.job_queue.spec import JobQueueSpec
    from simbackup.devices.site import Site


@dataclass(frozen=True, slots=True)
class Claim:
    """What decides the place of a job in a queue."""

    size: float
    """Bytes that it will move."""
    priority: float
    """The priority that the job states; lower numbers go first."""
    due: float
    """When it has to end, seconds after the start."""


ORDERS: dict[str, Callable[[Claim], float]] = {
    "first_come": lambda claim: 0.0,  # noqa: ARG005 (who came first goes first among equals)
    "longest_first": lambda claim: -claim.size,
    "priority": lambda claim: claim.priority,
    "deadline": lambda claim: claim.due,
}
"""Sort keys by name of the order; the least goes first."""


@dataclass(eq=False, slots=True)
class Admission:
    """A job that waits in several queues, and then has a place in all of them."""

    claim: Claim
    """What decides its place."""
    queues: tuple[JobQueue, ...]
    """The queues."""
    admitted: simpy.Event
    """Succeeds, with the queue that admitted it last, when all have a place."""

    def leave(self) -> None:
        """Give the places back; the next jobs are admitted after everything else of this instant."""
        for queue in self.queues:
            queue.running -= 1
            queue.ask()


@dataclass(eq=False, slots=True)
class JobQueue:
    """A queue that lets at most so many jobs run at once, and admits waiting jobs in an order."""

    env: simpy.Environment
    name: str
    places: int
    """Jobs that may run at once."""
    order: str
    """Name of the order, a key of `ORDERS`."""
    running: int = 0
    """Jobs that run now."""
    waiting: list[Admission] = field(default_factory=list[Admission])
    """Jobs that wait, in the order in which they will be admitted."""
    _asked: bool = False
    """Whether it will admit jobs at the end of this instant."""

    @property
    def free(self) -> bool:
        """Whether another job may run."""
        return self.running < self.places

    def ask(self) -> None:
        """Admit waiting jobs at the end of this instant, so that all jobs that come at once are compared."""
        if not self._asked:
            self._asked = True
            Call(self.env, self._admit, priority=LAST)

    def _admit(self, _call: simpy.Event) -> None:
        """Admit jobs in order while there is a place, passing over those that also wait in a full queue."""
        self._asked = False
        for one in tuple(self.waiting):
            if not self.free:
                break
            if all(queue.free for queue in one.queues):
                for queue in one.queues:
                    queue.running += 1
                    queue.waiting.remove(one)
                one.admitted.succeed(self)


def enter(queues: Sequence[JobQueue], claim: Claim) -> Admission:
    """Enter a job into several queues at once; it is admitted when all of them have a place."""
    one = Admission(claim, tuple(dict.fromkeys(queues)), queues[0].env.event())
    for queue in one.queues:
        insort(queue.waiting, one, key=lambda other, of=ORDERS[queue.order]: of(other.claim))
        queue.ask()
    return one


def make(site: Site, queue: JobQueueSpec) -> JobQueue:
    """The queue, empty."""
    return JobQueue(site.system.env, f"devices.{site.name}", int(queue.at_once.si), queue.order)
