"""What limits a flow, and where its seconds go."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from simbackup.engine.link import Link

Parts = Mapping[tuple[str, str], float]
"""Where the seconds of one unit go that a flow takes by itself: by address and activity, one after the other."""

WHOLE: Parts = {}
"""Parts of what is due to one cause alone."""


class Place(NamedTuple):
    """Where a flow moves its bytes on a link, how many of them go before another flow has its turn, and which way.

    One request occupies a `share` of the link: one disk of several.
    """

    position: float
    run: float = 0.0
    writes: bool = False
    share: float = 1.0


class Limit(NamedTuple):
    """A flow's own greatest rate, units per second, the address that explains it, and the parts of it, if several.

    `rest` are seconds of a unit for which what limits the flow without its law still does, beside the parts.
    """

    rate: float
    cause: str
    parts: Parts = WHOLE
    rest: float = 0.0

    def shared(self, cause: str, parts: Parts) -> Limit:
        """The limit with its rest among its parts, which is due to a cause, or to parts that follow each other."""
        if not self.rest:
            return self
        whole = parts or {(cause, ""): 1.0}
        scale = self.rest / sum(whole.values())
        found = dict(self.parts)
        for part, seconds in whole.items():
            found[part] = found.get(part, 0.0) + seconds * scale
        return self._replace(parts=found, rest=0.0)


Law = Callable[[float, Callable[["Link"], float]], Limit]
"""How a flow uses the rate that the network offers: given that rate and the share of any link that others use,
the greatest rate of the flow and what explains it. A rate that does not bind changes nothing."""


class Segment(NamedTuple):
    """A time (seconds) for which one thing limited a flow: an address, and the parts of a cycle where it is one."""

    begin: float
    end: float
    cause: str
    parts: Parts
