"""The streams between which a link turns, and what it loses by that."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simbackup.engine.filling import TIE

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.group import Variable
    from simbackup.engine.link import Link


class StreamKind(NamedTuple):
    """The kind of a stream, all of which lose alike, and how much of it one unit of a flow is."""

    kind: Hashable
    amount: float


class Losses(Protocol):
    """What the streams of one link lose if each of them turns for all that it moves.

    A stream loses its amount times what its kind loses `each`: a change among thousands of streams moves what all of
    them lose at the cost of one.
    """

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Count a flow among the streams of the link; None if it is none."""
        ...

    def detach(self, flow: Flow) -> None:
        """Count a stream no more."""
        ...

    def each(self, kind: Hashable) -> float:
        """Units of the link that a stream of a kind loses for each of its amount, among those that are there now."""
        ...


class Streams:
    """The streams of one link.

    They are even if none moves more than all others together: then each turns for all that it moves, and demands the
    same at any rates (`switchover`). Uneven ones are solved together.
    """

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._streams: dict[Flow, StreamKind] = {}
        self._spared: Mapping[Flow, float] | None = None

    @property
    def uneven(self) -> bool:
        """Whether one of them is spared turns, as far as is known."""
        return self._spared is not None

    def attach(self, link: Link, flow: Flow) -> None:
        """Count a flow among the streams if it is one."""
        stream = self._losses.attach(link, flow)
        if stream is not None:
            self._streams[flow] = stream

    def detach(self, flow: Flow) -> None:
        """Count a flow no more; what is left of them may be even."""
        if self._streams.pop(flow, None) is not None:
            self._losses.detach(flow)
        if len(self._streams) < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            self._spared = None

    def of(self, flow: Flow) -> StreamKind | None:
        """What a flow is among the streams."""
        return self._streams.get(flow)

    def each(self, kind: Hashable) -> float:
        """Units that a stream of a kind loses for each of its amount."""
        return self._losses.each(kind) if len(self._streams) > 1 else 0.0

    def lost(self, flow: Flow) -> float:
        """Units that one unit of a flow loses at the present rates."""
        if self._spared is None or flow not in self._spared:
            return self.most_lost(flow)
        return self._spared[flow]

    def most_lost(self, flow: Flow) -> float:
        """Units that one unit of a flow loses if it turns for all that it moves."""
        stream = self._streams.get(flow)
        return stream.amount * self.each(stream.kind) if stream is not None else 0.0

    def spares(self, flow: Flow) -> bool:
        """Whether a flow turns for less than all that it moves."""
        return self.uneven and self.lost(flow) < self.most_lost(flow) * (1.0 - TIE)

    def turn(self, lost: Mapping[Flow, float] | None) -> None:
        """Take what streams lose at the present rates; None if each turns for all that it moves."""
        self._spared = lost

    def even(self, link: Link, rates: Mapping[Variable, float]) -> bool:
        """Whether they are even at these rates, and at those of now for other flows."""
        most = total = 0.0
        for variable in link.variables:
            rate = rates.get(variable, variable.rate)
            one, lost = variable.lost_on(link)
            most, total = max(most, one * rate), total + lost * rate
        return 2.0 * most <= total * (1.0 + TIE)
