"""The flows that go on as they are beside those that are solved: what they leave, and whether rates move them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import BeyondReachError
from simbackup.engine.solver import TIE, Allocation, same


class Beside:
    """The flows that go on as they are on links that others of them are solved for; their use is not on offer."""

    def __init__(self, flows: Sequence[Mover], links: Sequence[Link], place: Collection[Mover]) -> None:
        self.flows = flows
        self.links = links
        self.others: dict[Link, list[Mover]] = {}
        self.used: dict[Link, float] = {}
        for link in links:
            if len(link.movers) > 1 and (others := [flow for flow in link.movers if flow not in place]):
                self.others[link] = others
                self.used[link] = sum([flow.load_on(link) * flow.rate for flow in others])

    def left(self, link: Link) -> float:
        """What others leave of a link, units a second."""
        return max(0.0, link.capacity - self.used[link]) if link in self.others else link.capacity

    def check(self, allocation: Allocation) -> None:
        """Raise BeyondReachError if an allocation moves flows outside, or changes what limits them, with these."""
        if not self.others:
            return
        used = dict(self.used)
        levels: dict[Link, float] = {}
        moved: set[Link] = set()
        for flow, rate in zip(self.flows, allocation.rates, strict=True):
            for link in flow.demands:
                if link in used:
                    used[link] += flow.load_on(link) * rate
                    levels[link] = max(levels.get(link, 0.0), rate / flow.share)
                    if not same(rate, flow.rate):
                        moved.add(link)
        full = {self.links[i] for i in allocation.filled if i < len(self.links)}
        beyond: dict[Mover, None] = {}
        for link, others in self.others.items():
            if link in moved:
                beyond.update(dict.fromkeys(flow for flow in others if flow.bottleneck is link))
            if link in full or (link in moved and used[link] >= link.capacity * (1.0 - TIE)):
                beyond.update(dict.fromkeys(flow for flow in others if above(flow, link, levels[link])))
        if beyond:
            raise BeyondReachError(beyond)


def above(flow: Mover, link: Link, level: float) -> bool:
    """Whether a flow has a higher level than others on a full link, or the same and another label than is due."""
    own = flow.rate / flow.share
    if link not in flow.demands or own < level * (1.0 - TIE):
        return False
    if own > level * (1.0 + TIE):
        return True
    return flow.bottleneck is not link and (flow.bottleneck is None or link.name < flow.bottleneck.name)
