"""A job queue: at most so many jobs run at once; others wait in its order."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import simpy

from simbackup.engine.events import LAST, Call


@dataclass(frozen=True, slots=True)
class Claim:
    """What a job says when it comes: bytes to move, its priority, and when it has to end, in seconds."""

    size: float
    priority: float
    due: float


ORDERS: dict[str, Callable[[Claim], float]] = {
    "first_come": lambda claim: 0.0,  # noqa: ARG005 (who came first goes first among equals)
    "longest_first": lambda claim: -claim.size,
    "priority": lambda claim: claim.priority,
    "deadline": lambda claim: claim.due,
}
"""What is least for those that go first."""


@dataclass(eq=False, slots=True)
class Admission:
    """A job that waits in some queues, then has a place in all; `admitted` succeeds with the last queue."""

    claim: Claim
    queues: tuple[JobQueue, ...]
    admitted: simpy.Event

    def leave(self) -> None:
        """Give the places back; the next jobs are admitted after everything else of this instant."""
        for queue in self.queues:
            queue.running -= 1
            queue.ask()


@dataclass(eq=False, slots=True)
class JobQueue:
    """A queue with places for so many jobs, which admits those that wait in an order."""

    env: simpy.Environment
    name: str
    places: int
    order: str
    running: int = 0
    waiting: list[Admission] = field(default_factory=list[Admission])
    _asked: bool = False

    @property
    def free(self) -> bool:
        """Whether it has a place."""
        return self.running < self.places

    def ask(self) -> None:
        """Admit who waits after everything else of this instant, so that all who come at once are compared."""
        if not self._asked:
            self._asked = True
            Call(self.env, self._admit, priority=LAST)

    def _admit(self, _call: simpy.Event) -> None:
        """Admit jobs in the order, as long as there is a place; one that also waits elsewhere is passed over."""
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
    """A job in all of some queues."""
    one = Admission(claim, tuple(dict.fromkeys(queues)), queues[0].env.event())
    for queue in one.queues:
        insort(queue.waiting, one, key=lambda other, of=ORDERS[queue.order]: of(other.claim))
        queue.ask()
    return one
