"""One solution after another: what a change reaches gets its rates, and all that have to do with these note them."""

from __future__ import annotations

from collections.abc import Collection

import simpy

from simbackup.engine.blame import Held, own_limit
from simbackup.engine.crowd import Crowd
from simbackup.engine.crowds import Crowds
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Parts
from simbackup.engine.link import Link
from simbackup.engine.plain import plain_rates
from simbackup.engine.reach import BeyondReachError, FlowCoupling, Reach, Touches
from simbackup.engine.sharing import Sharing
from simbackup.engine.trace import Trace


class Solving:
    """The solutions of a network, whose links and stores are numbered in the order in which they came."""

    def __init__(self, env: simpy.Environment, crowds: Crowds, ends: Ends[Flow], trace: Trace | None) -> None:
        self.links: dict[Link, int] = {}
        self.stores: dict[FlowCoupling, int] = {}
        self._env = env
        self._crowds = crowds
        self._ends = ends
        self._trace = trace

    def solve(self, reach: Reach, touched: Touches) -> Collection[FlowCoupling]:
        """Give all that changes reach their rates; the stores that limit some of them."""
        while True:
            reach.take(touched)
            try:
                if not reach.plain:
                    for crowd in tuple(reach.crowds):
                        reach.part(crowd, self._crowds.dissolve(crowd))
                    return self._share(reach)
                if self._fill(reach):
                    return ()
            except BeyondReachError as beyond:
                reach.add(beyond.flows)

    def note(self, reach: Reach, limiting: Collection[FlowCoupling], *, crowded: bool) -> None:
        """Let stores and links take over the new rates, and flows that a link limits share its level if they may."""
        for store in sorted(reach.asked, key=self.stores.__getitem__) if reach.asked else ():
            store.solved(binding=store in limiting)
        links = reach.links
        if crowded:
            self._crowds.form(links)
        if self._crowds.changed:
            links = links | self._crowds.links
            self._crowds.carry([link for link in links if link.crowds])
        stale = [link for link in links if link.stale or not link.crossing]
        for link in sorted(stale, key=lambda link: self.links.get(link, 0)):
            link.take_rates(float(self._env.now), self._trace)
            if not link.crossing:
                self.links.pop(link, None)
        if self._crowds.changed:
            self._crowds.settle()

    def _fill(self, reach: Reach) -> bool:
        """Give movers that nothing but links and caps limit their rates, unless members have to leave a crowd first."""
        found = plain_rates(reach.flows)
        if reach.crowds:
            for mover, rate, limit in found:
                if isinstance(mover, Crowd) and (out := self._crowds.parted(mover, rate, limit)):
                    reach.part(mover, out)
                    return False
        for mover, rate, limit in found:
            if isinstance(mover, Crowd):
                self._crowds.assign(mover, rate)
            else:
                self._assign(mover, rate, limit, own_limit(mover, rate, limit))
        return True

    def _share(self, reach: Reach) -> Collection[FlowCoupling]:
        """Give flows their rates by all rules; the stores that limit some of them."""
        flows = sorted((one for one in reach.flows if isinstance(one, Flow)), key=lambda flow: flow.number)
        # By name, so that ties do not depend on the order of starting.
        links = sorted((link for link in reach.links if link.crossing), key=lambda link: link.name)
        asked = sorted(reach.asked, key=self.stores.__getitem__)
        held = [(store, hold) for store in asked if (hold := reach.asked[store]) is not None]
        sharing = Sharing(flows, links, [Held(store.name, *hold) for store, hold in held])
        allocation = sharing.solve()
        blame = sharing.blame(allocation)
        for i, (flow, rate) in enumerate(zip(flows, allocation.rates, strict=True)):
            self._assign(flow, rate, blame.link(i), blame.of(i))
        return {held[i - len(links)][0] for i in allocation.filled if i >= len(links)}

    def _assign(self, flow: Flow, rate: float, limit: Link | None, why: tuple[str, Parts]) -> None:
        before = flow.near
        flow.assign(float(self._env.now), rate, limit, why)
        if flow.near != before:
            self._ends.put(flow, before)
