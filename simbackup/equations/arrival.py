"""What a request finds at a server that serves in order of arrival, beside streams and requests of others.

Each stream asks for its next run when the one before is done, and so has one at the server at most. Runs take as long
each, but for the way back to their place, which some of them lose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

ROUNDS = 50
"""Most rounds in which the numbers of requests that several have at a server are settled."""
SETTLED = 1e-9


class Run(NamedTuple):
    """Seconds of the runs of a stream: what they move, the mean with what they lose, and one that has waited."""

    moving: float
    mean: float
    waited: float

    @property
    def left(self) -> float:
        """Mean seconds that the one in service still takes.

        `E[R^2] / (2 E[R])` of a run that loses its place or does not, so that it takes one of two times.

        >>> Run(1.0, 1.0, 1.0).left, Run(1.0, 2.0, 3.0).left  # half of a run; the longer ones are met more often
        (0.5, 1.25)
        """
        longest = max(self.waited, self.mean)
        square = self.moving**2 + (self.mean - self.moving) * (longest + self.moving)
        return square / (2.0 * self.mean) if self.mean > 0.0 else 0.0


class Party(NamedTuple):
    """Somebody else at a server: the share of it that they use, seconds of a request, and of what is left of one.

    `number` are the requests that they have there on average, where that is known, in service and waiting; `most` are
    those that they ever have. `waited` are the seconds of one that has waited.
    """

    used: float
    mean: float
    left: float
    waited: float
    number: float | None = None
    most: float = 1.0

    def work(self, number: float) -> float:
        """Seconds that so many requests still take."""
        return max(number - self.used, 0.0) * self.waited + min(self.used, number) * self.left


def work_found(parties: Sequence[Party], load: float = 0.0, each: float = 0.0, own: float = 0.0) -> float:
    """Seconds of work of others that a request finds on average, beside requests at random.

    `sum over all parties of (Q - u) w + u l`, with Q their requests there, of which u are in service and take l seconds
    still, and w for each that waits. Where Q is not known it is `(u / r) (r + f / (1 - load))` with f what all others
    have there, by Little's law, and not more than all that they have. Range: exact for requests at random that find
    streams always at the server, if these take their runs in turn; within 10 % where something else limits these.

    Parameters
    ----------
    parties
        The others.
    load
        Share that requests at random use, whose number follows from what they find.
    each
        Seconds of one of these.
    own
        Seconds of work of others like the request itself, which those whose number is not known find, too.

    >>> stream = Party(used=0.5, mean=0.1, left=0.05, waited=0.1, number=1.0)
    >>> round(work_found([stream, stream]), 9)  # one is in service, the other waits
    0.15
    >>> round(work_found([Party(used=0.2, mean=0.1, left=0.05, waited=0.1)]), 9)  # alone, it never waits
    0.01
    """
    free = 1.0 - load
    numbers = [party.used if party.number is None else party.number for party in parties]
    works = [party.work(number) for party, number in zip(parties, numbers, strict=True)]
    unknown = [i for i, party in enumerate(parties) if party.number is None and party.mean > 0.0]
    for _ in range(ROUNDS if unknown else 0):
        change = 0.0
        for i in unknown:
            party = parties[i]
            others = math.fsum(works) - works[i] / max(party.most, 1.0)  # without the one that comes
            before = (others + own + load * each) / free if free > 0.0 else math.inf
            residence = party.mean + before
            number = min(party.used / party.mean * residence, party.most)
            change = max(change, abs(number - numbers[i]))
            numbers[i], works[i] = number, party.work(number)
        if change <= SETTLED:
            break
    return math.fsum(works)
