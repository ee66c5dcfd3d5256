"""One solution after another: what a change reaches gets its rates, and all that have to do with these note them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import attrgetter
from typing import cast

import simpy

from simbackup.engine.blame import Held
from simbackup.engine.crowd import Crowd
from simbackup.engine.crowds import MANY, Crowds
from simbackup.engine.ends import Ends
from simbackup.engine.flow import Flow
from simbackup.engine.following import MOST_ROUNDS, Following, Found
from simbackup.engine.laws import stopped
from simbackup.engine.link import Link
from simbackup.engine.near import few
from simbackup.engine.plain import plain_rates
from simbackup.engine.reach import BeyondReachError, FlowCoupling, Reach, StoppedError, Touches, UnevenError
from simbackup.engine.sharing import Sharing
from simbackup.engine.solver import TIE
from simbackup.engine.totals import take_rates
from simbackup.engine.trace import Trace

_number = attrgetter("number")


class Solving:
    """The solutions of a network, whose links and stores are numbered in the order in which they came."""

    def __init__(self, env: simpy.Environment, crowds: Crowds, ends: Ends[Flow], trace: Trace | None) -> None:
        self.links: dict[Link, None] = {}
        self.stores: dict[FlowCoupling, int] = {}
        self._env = env
        self._crowds = crowds
        self._ends = ends
        self._trace = trace

    def near(self, touched: Touches) -> bool:
        """Give the flows that changes reach their rates if these are few and plain; whether they were."""
        if touched.stores or self._crowds.changed or self._crowds.links:
            return False
        filling = few(touched)
        if filling is None:
            return False
        links, now = touched.links, float(self._env.now)
        for flow in touched.flows:
            links.update(dict.fromkeys(flow.links))
        for flow, rate in cast("dict[Flow, float]", filling.rates).items():
            if flow.assign(now, rate, filling.limits[flow], links):
                self._ends.put(flow)
        touched.flows, touched.links = {}, {}
        take_rates(self._stale(links), self.links, now, self._trace)
        return True

    def solve(self, reach: Reach, touched: Touches) -> Collection[FlowCoupling]:
        """Give all that changes reach their rates; the stores that limit some of them."""
        while True:
            reach.take(touched)
            self._leave(reach)
            try:
                limiting = self._fill(reach) if reach.plain else self._share(reach)
                if limiting is not None:
                    return limiting
            except BeyondReachError as beyond:
                reach.add(beyond.flows)
            except StoppedError as stopped:
                reach.ask(stopped.flows)
            except UnevenError as uneven:
                if uneven.crowd is None:
                    reach.turn(uneven.link)
                else:
                    reach.part(uneven.crowd, self._crowds.part(uneven.crowd, uneven.link))

    def _leave(self, reach: Reach) -> None:
        """Let flows leave the crowds of which they are members, so that they can be solved one by one."""
        while reach.leaving:
            flow = next(iter(reach.leaving))
            del reach.leaving[flow]
            if flow.crowd is not None:
                reach.part(flow.crowd, self._crowds.release(flow))

    def note(self, reach: Reach, limiting: Collection[FlowCoupling], *, crowded: bool) -> None:
        """Let stores and links take over the new rates, and flows that a link limits share its level if they may."""
        for store in sorted(reach.asked, key=self.stores.__getitem__) if reach.asked else ():
            store.solved(binding=store in limiting)
        links, crowds, now = reach.links, self._crowds, float(self._env.now)
        if crowded and (crowds.changed or reach.crowds or reach.asked or len(reach.flows) >= MANY):
            if reach.asked:
                crowds.hold(reach.asked)
            crowds.form(links | crowds.links if crowds.links else links)
        if crowds.changed:
            links = links | crowds.links
            crowds.carry([link for link in links if link.crowds])
        stale = self._stale(links)
        take_rates(stale, self.links, now, self._trace)
        for link in stale:
            for crowd in link.crowds:
                if crowd.loads:
                    crowds.changed[crowd] = None
        if crowds.changed:
            crowds.settle()

    @staticmethod
    def _stale(links: Iterable[Link]) -> list[Link]:
        """The links whose totals do not know of the rates."""
        stale = [link for link in links if link.stale]
        stale.sort(key=_number)
        return stale

    def _fill(self, reach: Reach) -> Collection[FlowCoupling] | None:
        """Give movers that links, caps and leaders limit their rates; the stores that limit some of them.

        None if members have to leave a crowd first, or all rules are needed.
        """
        following = Following(reach)
        if reach.asked and not following.hold():
            reach.mix()  # which asks more stores
            return None
        try:
            for _ in range(MOST_ROUNDS):
                found = plain_rates(reach.flows)
                if not reach.asked or following.agree({mover: rate for mover, rate, _ in found}):
                    return self._filled(reach, following, found)
                if not reach.plain:
                    return None
            reach.mix()
            return None
        finally:
            following.end()

    def _filled(self, reach: Reach, following: Following, found: Iterable[Found]) -> Collection[FlowCoupling] | None:
        now = float(self._env.now)
        if reach.crowds and self._part(reach, found):
            return None
        if less := stopped([(mover, rate) for mover, rate, _ in found if mover.law is not None]):
            raise StoppedError(less)
        limiting: dict[FlowCoupling, None] = {}
        for mover, rate, limit in following.after_leaders(found):
            if isinstance(mover, Crowd):
                self._crowds.assign(mover, rate)
                continue
            held = following.explained(mover)
            if limit is None and held is not None and rate >= held[1] * (1.0 - TIE):
                limiting[held[0]] = None
            if mover.assign(now, rate, limit, reach.links):
                self._ends.put(mover)
        return limiting

    def _share(self, reach: Reach) -> Collection[FlowCoupling] | None:
        """Give flows their rates by all rules; the stores that limit some of them.

        None if members have to leave a crowd first.
        """
        if reach.crowds and self._disentangle(reach):
            return None
        movers = sorted(reach.flows, key=_number)
        # By name, so that ties do not depend on the order of starting.
        links = sorted((link for link in reach.links if link.crossing), key=lambda link: link.name)
        asked = sorted(reach.asked, key=self.stores.__getitem__)
        held = [(store, hold) for store in asked if (hold := reach.asked[store]) is not None]
        sharing = Sharing(movers, links, [Held(store.name, *hold) for store, hold in held])
        allocation = sharing.solve()
        blame, now = sharing.blame(allocation), float(self._env.now)
        found = [(mover, allocation.rates[i], blame.link(i)) for i, mover in enumerate(movers)]
        if reach.crowds and self._part(reach, found):
            return None
        for i, (mover, rate, limit) in enumerate(found):
            if isinstance(mover, Crowd):
                self._crowds.assign(mover, rate)
                continue
            if mover.assign(now, rate, limit, reach.links, blame.of(i)):
                self._ends.put(mover)
            if mover.law is not None:
                mover.look_around()
        filled = {i - len(links) for i in allocation.filled} | sharing.offering
        return {held[i][0] for i in filled if i >= 0}

    def _part(self, reach: Reach, found: Iterable[Found]) -> bool:
        """Let the members of a crowd leave that something else stops at what is found; whether any have."""
        for mover, rate, limit in found:
            if isinstance(mover, Crowd) and (out := self._crowds.parted(mover, rate, limit)):
                reach.part(mover, out)
                return True
        return False

    def _disentangle(self, reach: Reach) -> bool:
        """Let the members of crowds leave where others ask what they use, to be solved one by one; whether any have."""
        for crowd in reach.crowds:
            for link in crowd.links:
                if link.asked:
                    reach.part(crowd, self._crowds.part(crowd, link))
                    return True
        return False
