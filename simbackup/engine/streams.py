"""The streams of a link, and what the link loses by switching between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from simbackup.engine.filling import TIE

if TYPE_CHECKING:
    from simbackup.engine.flow import Flow
    from simbackup.engine.group import Variable
    from simbackup.engine.link import Link


class StreamKind(NamedTuple):
    """The kind of a stream, and its amount for one unit of the flow; a kind loses the same for each unit of amount."""

    kind: Hashable
    amount: float


class Losses(Protocol):
    """What the streams of one link lose if each of them turns for all that it moves.

    A stream loses its amount times what its kind loses `each`: a change among thousands of streams moves what all of
    them lose at the cost of one.
    """

    def attach(self, link: Link, flow: Flow) -> StreamKind | None:
        """Add a flow to the streams of the link; None if it is not a stream."""
        ...

    def detach(self, flow: Flow) -> None:
        """Remove a stream."""
        ...

    def each(self, kind: Hashable) -> float:
        """Units of the link that turning from stream to stream costs, for each unit that a stream of a kind moves."""
        ...


class SequentialFlows:
    """The streams of one link.

    They are even if none moves more than all others together: then each turns for all that it moves, and demands the
    same at any rates (`switchover`). Uneven ones are solved together.
    """

    def __init__(self, losses: Losses) -> None:
        self._losses = losses
        self._streams: dict[Flow, StreamKind] = {}
        self._lost: Mapping[Flow, float] | None = None

    @property
    def uneven(self) -> bool:
        """Whether one stream moves more than all others together. Then the device has to turn to it less often."""
        return self._lost is not None

    def attach(self, link: Link, flow: Flow) -> None:
        """Add a flow, if it is a stream."""
        stream = self._losses.attach(link, flow)
        if stream is not None:
            self._streams[flow] = stream

    def detach(self, flow: Flow) -> None:
        """Remove a flow."""
        if self._streams.pop(flow, None) is not None:
            self._losses.detach(flow)
        if len(self._streams) < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
            self._lost = None

    def of(self, flow: Flow) -> StreamKind | None:
        """The stream kind and amount of a flow."""
        return self._streams.get(flow)

    def each(self, kind: Hashable) -> float:
        """Units of the link that are lost for each unit of amount of a kind."""
        return self._losses.each(kind) if len(self._streams) > 1 else 0.0

    def lost(self, flow: Flow) -> float:
        """Units of the link that are lost for one unit of a flow, at the present rates."""
        if self._lost is None or flow not in self._lost:
            return self.most_lost(flow)
        return self._lost[flow]

    def most_lost(self, flow: Flow) -> float:
        """Units of the link that are lost for one unit of a flow, if all its bytes cost a turn."""
        stream = self._streams.get(flow)
        return stream.amount * self.each(stream.kind) if stream is not None else 0.0

    def spares(self, flow: Flow) -> bool:
        """Whether not all bytes of a flow cost a turn."""
        return self.uneven and self.lost(flow) < self.most_lost(flow) * (1.0 - TIE)

    def set_lost(self, lost: Mapping[Flow, float] | None) -> None:
        """Set what streams lose at the present rates; None if all bytes of all streams cost a turn."""
        self._lost = lost

    def even(self, link: Link, rates: Mapping[Variable, float]) -> bool:
        """Whether no stream moves more than all others together, at given rates and the present ones of other flows."""
        most = total = 0.0
        for variable in link.variables:
            rate = rates.get(variable, variable.rate)
            one, lost = variable.lost_on(link)
            most, total = max(most, one * rate), total + lost * rate
        return 2.0 * most <= total * (1.0 + TIE)
