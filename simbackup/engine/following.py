"""Flows that a buffer holds to others: what each may move, once it is known what these do.

Most buffers hold a single flow to others that they do not hold. The rate of such a follower is a cap, and what its
leaders move is seldom another for it. So rates are found with what each follower does now, then with what its leaders
move at these rates; if they move the same again, all rates are right. Otherwise all rules are needed.

Invariant: what is found so is what `coupled_rates` finds for the same flows, within rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from simbackup.engine.blame import led_by
from simbackup.engine.coupling import EQUAL
from simbackup.engine.flow import Flow
from simbackup.engine.limit import Limit
from simbackup.engine.link import Link
from simbackup.engine.mover import Mover
from simbackup.engine.reach import FlowCoupling, Ports, Reach
from simbackup.engine.solver import TIE

Found = tuple[Mover, float, Link | None]
"""Who is solved, the rate in units per second, and the link that limits it, None where its cap does."""

MOST_ROUNDS = 3
"""Times that rates are found before all rules are needed, as what leaders move depends on their followers."""


class Following:
    """The followers that are solved, each with the store that holds it and the most that it may do.

    A hold of which a leader is in a crowd that is reached is left out at first, as it hardly binds: what moves with the
    crowd is a member of it.
    """

    def __init__(self, reach: Reach) -> None:
        self.held: dict[Flow, tuple[FlowCoupling, float]] = {}
        self._reach = reach
        self._moving: dict[Flow, tuple[FlowCoupling, Ports, Ports]] = {}
        """Those of the followers whose leaders are solved, too."""
        self._loose: dict[FlowCoupling, tuple[Ports, Ports]] = {}

    def hold(self) -> bool:
        """Hold the followers to what their leaders do, or they themselves if these are solved, too.

        False if all rules are needed, as one has to do with another.
        """
        reach, leading = self._reach, dict[Flow, None]()
        for store, hold in reach.asked.items():
            if hold is None or not hold[0]:
                continue
            (follower, *others), leaders = hold[0], hold[1]
            if others or follower in self.held:
                return False
            if any(leader in reach.flows for leader in leaders):
                self._moving[follower] = (store, *hold)
                leading.update(dict.fromkeys(leaders))
                self.held[follower] = (store, follower.rate)
            elif any(leader.crowd in reach.crowds for leader in leaders):
                self._loose[store] = hold
            else:
                led = sum([leader.rate * size for leader, size in leaders.items()])
                self.held[follower] = (store, led / hold[0][follower])
        if any(leader in self.held for leader in leading):
            return False
        for follower in self.held:
            self._cap(follower)
        return True

    def agree(self, rates: Mapping[Mover, float]) -> bool:
        """Whether these rates are what followers and leaders move; if not, followers are held to what these do."""
        right = True
        for follower, (store, followers, leaders) in self._moving.items():
            most = _moved(leaders, rates) / followers[follower]
            if not math.isclose(most, self.held[follower][1], rel_tol=EQUAL):
                self.held[follower] = (store, most)
                self._cap(follower)
                right = False
        for store, (followers, leaders) in tuple(self._loose.items()):
            led = _moved(leaders, rates)
            if _moved(followers, rates) > led * (1.0 + TIE):
                (follower,) = followers
                if follower in self.held or follower.crowd is not None or any(one in self.held for one in leaders):
                    self._reach.mix()
                    return False
                del self._loose[store]
                self._moving[follower] = (store, followers, leaders)
                self.held[follower] = (store, led / followers[follower])
                self._cap(follower)
                right = False
        return right

    def after_leaders(self, found: Iterable[Found]) -> Iterable[Found]:
        """What is found, those last whose leaders are solved, too."""
        moving = self._moving
        return sorted(found, key=lambda one: one[0] in moving) if moving else found

    def explained(self, flow: Flow) -> tuple[FlowCoupling, float] | None:
        """The store that holds a flow, and the most that it may do, if any; its leaders have their rates by now."""
        if flow in self._moving:
            self._cap(flow)  # what limits its leaders may be another than before
        return self.held.get(flow)

    def end(self) -> None:
        """Hold followers no more, as they have their rates."""
        for follower in self.held:
            follower.hold(None)

    def _cap(self, follower: Flow) -> None:
        store, rate = self.held[follower]
        hold = self._reach.asked[store]
        follower.hold(Limit(rate, *led_by(store.name, hold[1] if hold is not None else {})))


def _moved(ports: Ports, rates: Mapping[Mover, float]) -> float:
    """Bytes a second that flows move at these rates."""
    return sum([_rate(flow, rates) * size for flow, size in ports.items()])


def _rate(flow: Flow, rates: Mapping[Mover, float]) -> float:
    """The rate of a flow, alone or in a crowd, at these rates, and at those of now for others."""
    crowd = flow.crowd
    return rates.get(flow, flow.rate) if crowd is None else flow.weight * rates.get(crowd, crowd.rate)
