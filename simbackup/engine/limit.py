"""What limits a flow, and where its seconds go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from simbackup.engine.filling import TIE

if TYPE_CHECKING:
    from simbackup.engine.link import Link

Parts = Mapping[tuple[str, str], float]
"""Where the seconds of one unit go that a flow takes by itself: by address and activity, one after the other."""

WHOLE: Parts = {}
"""Parts of what is due to one cause alone."""


class Spot(NamedTuple):
    """Where a flow moves its bytes on a link, and how it takes turns with others there."""

    position: float
    """Where it begins, in bytes."""
    run: float = 0.0
    """Bytes that it moves before another flow has its turn."""
    writes: bool = False
    share: float = 1.0
    """Share of the link that one request occupies, such as one disk of several; infinite if it has been read ahead, so
    that it waits for nobody there."""
    turns: float = 1.0
    """Turns that it has for each one of another stream."""
    visited: Hashable = None
    """Who else visits the device there; only what computes the losses of the link looks at it."""


class Limit(NamedTuple):
    """A flow's own greatest rate, and what explains it."""

    rate: float
    """Units a second."""
    cause: str
    """The address that explains it."""
    parts: Parts = WHOLE
    """Where the seconds of a unit go, if several addresses explain it."""
    rest: float = 0.0
    """Seconds of a unit that are not due to the law of the flow: what limits the flow without its law explains them."""

    def shared(self, cause: str, parts: Parts) -> Limit:
        """The limit with parts that add up to a whole unit: the rest is attributed to a cause, or to other parts."""
        if not self.rest:
            return self
        whole = parts or {(cause, ""): 1.0}
        scale = self.rest / sum(whole.values())
        found = dict(self.parts)
        for part, seconds in whole.items():
            found[part] = found.get(part, 0.0) + seconds * scale
        return self._replace(parts=found, rest=0.0)

    def at_most(self, seconds: float) -> Limit:
        """The limit with no more than so many seconds of a unit in its parts; its rest takes the others."""
        own = sum(self.parts.values())
        if not self.rest or own <= seconds:
            return self
        parts = (
            {part: part_seconds * seconds / own for part, part_seconds in self.parts.items()} if seconds > 0.0 else {}
        )
        return self._replace(parts=parts, rest=self.rest + own - seconds)


def limit_of(parts: Parts, rate: float) -> Limit:
    """The limit of what takes some seconds of a unit, one after the other, which comes to a rate."""
    spent: dict[str, float] = {}
    for (address, _), seconds in parts.items():
        spent[address] = spent.get(address, 0.0) + seconds
    return Limit(rate, max(spent, key=lambda address: spent[address], default=""), parts)


Others = Callable[["Link"], float]
"""The share of any link, 0 to 1, that other flows use."""

Use = Callable[[float, Others], Limit]
"""What a flow makes of the rate that the network offers it, beside what others are offered."""


@dataclass(frozen=True, slots=True)
class Behind:
    """A law of requests: the rate that they reach while waiting behind others, whatever the network offers."""

    limit: Callable[[Others], Limit]


class OnOwnLink:
    """A law that depends on the use of a single link.

    While nobody else is there the flow goes on like any other, as long as it uses all that others leave it.
    """

    __slots__ = ("link", "use")

    def __init__(self, use: Use, link: Link) -> None:
        self.use = use
        self.link = link

    def __call__(self, rate: float, others: Others) -> Limit:
        """What the flow makes of a rate."""
        return self.use(rate, others)

    @property
    def alone(self) -> bool:
        """Whether nobody else is on the link."""
        return len(self.link.crossing) <= 1

    def leaves(self, rate: float) -> bool:
        """Whether all of a rate is used while nobody else is on the link."""
        return self.use(rate, nobody).rate >= rate * (1.0 - TIE)


def nobody(_: Link) -> float:
    """Zero: the use of a link by others where there are none."""
    return 0.0


Law = Use | Behind
"""How a flow uses what the network offers: its greatest rate, and what explains it; one that does not bind changes
nothing."""


def depends_on_others(law: Law | None) -> bool:
    """Whether a law depends on what others use of the links."""
    return law is not None and not (isinstance(law, OnOwnLink) and law.alone)


class Segment(NamedTuple):
    """A time (seconds) for which one thing limited a flow: an address, and the parts of a cycle where it is one."""

    begin: float
    end: float
    cause: str
    parts: Parts

    def follow(self, before: list[Segment]) -> None:
        """Append this segment, joined to the last one if that has the same cause."""
        last = before[-1] if before else None
        if last is not None and last.cause == self.cause and last.parts == self.parts:
            before[-1] = self._replace(begin=last.begin)
        else:
            before.append(self)
