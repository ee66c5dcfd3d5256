"""Solving what a change reaches comes to the same as solving the whole network."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest
import simpy

from benchmarks import random_systems, systems
from benchmarks.transfers import data_set, run
from simbackup.devices.closed_network import ClosedClass
from simbackup.engine.buffer import Buffer
from simbackup.engine.flow import Flow, LocalWeight
from simbackup.engine.limit import Behind, Law, Limit, OnOwnLink, Others, Use
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.cases import for_each, some
from tests.shared import EqualLosses

SAME = 1e-9
SETTLED = 1e-6
"""How near to each other the waits of requests that go round are, which a solution settles to 1e-4."""
STEPS = 40


@dataclass(frozen=True)
class Twist:
    """What the flows of a system may have beside demands, shares and caps."""

    laws: float = 0.0
    behind: float = 0.0
    customers: float = 0.0
    turns: float = 0.0
    buffers: float = 0.0
    tapes: float = 0.0
    """Flows whose law asks about a drive that they mostly have for themselves."""
    among: float = 0.0
    """Flows whose weight holds among those of one link only."""
    ties: bool = False
    apart: bool = False
    """Whether requests that go round wait at one of their links alone, which hardly any others cross."""


@dataclass
class System:
    """A network under random changes. Two of the same seed change in the same way."""

    seed: str
    twist: Twist
    whole: bool
    env: simpy.Environment = field(default_factory=simpy.Environment)
    flows: list[Flow] = field(default_factory=list[Flow])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    number: int = 0

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)  # noqa: S311 (a test is no secret)
        self.network = FlowNetwork(self.env, Trace(), whole=self.whole)
        count = self.draw.choice([2, 4, 8, 16])
        self.links = [Link(f"links.{i:02}", self._size(), self._turning()) for i in range(count)]
        self.crowd = self.draw.choice([3, 10, 25])
        self.drives = [Link(f"drives.{i:02}", self._size()) for i in range(12)] if self.twist.tapes else []
        self.rare = [Link(f"rare.{i:02}", self._size()) for i in range(24)] if self.twist.apart else []

    def _size(self) -> float:
        return self.draw.choice([10.0, 20.0, 50.0, 100.0]) if self.twist.ties else self.draw.uniform(1.0, 100.0)

    def _turning(self) -> EqualLosses | None:
        return EqualLosses(self.draw.uniform(0.1, 2.0)) if self.draw.random() < self.twist.turns else None

    def step(self) -> None:
        """Make one to three changes at once, and let some time pass."""
        for _ in range(self.draw.choice([1, 1, 1, 3])):
            self._change()
        self.env.run(until=self.env.now + self.draw.choice([1e-6, 0.5, 3.0]))

    def _change(self) -> None:
        self.flows = [flow for flow in self.flows if flow.active]
        kind = self.draw.random()
        if not self.flows or (kind < 0.6 and len(self.flows) < self.crowd):
            self._couple() if self.draw.random() < self.twist.buffers else self._start()
        elif kind < 0.7:
            self.network.stop(self.draw.choice(self.flows))
        elif kind < 0.75:
            self._reshape(self.draw.choice(self.flows))
        elif kind < 0.85:
            capacity = 0.0 if self.draw.random() < 0.1 else self._size()
            self.network.set_capacity(self.draw.choice([*self.links, *self.rare]), capacity)
        else:
            cap = self.draw.choice([math.inf, self.draw.uniform(0.1, 30.0)])
            flow = self.draw.choice(self.flows)
            self.network.set_cap(flow, cap if flow.demands else 5.0)

    def _reshape(self, flow: Flow) -> None:
        """Let a flow go on with fewer demands, or with others; requests that go round keep theirs."""
        if flow.customers is None and len(flow.demands) > 1:
            demands = {link: self.draw.choice([0.0, 1.0, self.draw.uniform(0.1, 5.0)]) for link in flow.demands}
            demands[next(iter(demands))] = 2.0
            self.network.reshape(
                flow, demands, demands, Limit(self.draw.uniform(1.0, 50.0), "reshaped"), None, places={}
            )

    def _couple(self) -> None:
        buffer = Buffer(self.network, self.draw.uniform(1.0, 60.0), f"buffers.{len(self.buffers):02}")
        self.buffers.append(buffer)
        for attach in (buffer.fill, buffer.drain):
            for _ in range(self.draw.choice([1, 1, 2])):
                attach(self._start(plain=True), bytes_per_unit=self.draw.choice([1.0, self.draw.uniform(0.3, 3.0)]))

    def _start(self, *, plain: bool = False) -> Flow:
        """A flow; what fills or drains a buffer has no law, as what it makes of a hold decides whether that goes on."""
        draw, twist = self.draw, self.twist
        crossed = draw.sample(self.links, draw.randint(1, min(len(self.links), 4)))
        demands = {link: 1.0 if twist.ties else draw.choice([1.0, draw.uniform(0.1, 5.0)]) for link in crossed}
        cap = math.inf if draw.random() < 0.6 else draw.choice([1.0, 5.0, draw.uniform(0.1, 30.0)])
        law: Law | None = None
        customers = None
        if plain:
            pass
        elif twist.tapes and draw.random() < twist.tapes:
            drive = draw.choice(self.drives)
            demands[drive] = 1.0
            law = OnOwnLink(_beside(drive, draw.uniform(2.0, 20.0), draw.uniform(0.2, 3.0)), drive)
        elif draw.random() < twist.laws:
            law = _stops(draw.uniform(5.0, 60.0), draw.uniform(0.2, 3.0))
        elif draw.random() < twist.behind:
            law = Behind(_waits(crossed[0], draw.uniform(5.0, 60.0), draw.uniform(0.2, 0.9)))
        elif draw.random() < twist.customers:
            met = {draw.choice(self.rare): 0.2} if twist.apart else demands
            demands |= met
            parts = {(link.name, "read"): demand / (1.0 if twist.apart else 100.0) for link, demand in met.items()}
            customers = ClosedClass(draw.randint(1, 4), parts, {link: demand / 2.0 for link, demand in met.items()})
        self.number += 1
        share = 1.0 if twist.ties or draw.random() < 0.5 else draw.uniform(0.2, 4.0)
        size = draw.choice([math.inf, draw.lognormvariate(4.0, 1.5)])
        among = LocalWeight(crossed[0], draw.uniform(0.5, 2.0)) if twist.among and draw.random() < twist.among else None
        flow = self.network.start(
            f"jobs.{self.number:03}", "write", size, demands, weight=share, cap=cap, moves=demands, law=law,
            customers=customers, among=among,
        )  # fmt: skip
        self.flows.append(flow)
        return flow


def _stops(drained: float, turn: float) -> Use:
    """A tape that stops and starts when it is offered less than it takes."""

    def law(offer: float, others: Others) -> Limit:
        del others
        return Limit(offer if offer >= drained else offer / (1.0 + turn * (1.0 - offer / drained)), "tape")

    return law


def _beside(drive: Link, drained: float, turn: float) -> Use:
    """A tape to which others write, too: it stops where all of them together offer less than it takes."""

    def law(offer: float, others: Others) -> Limit:
        return _stops(drained * (1.0 - others(drive)), turn)(offer, others)

    return law


def _waits(link: Link, most: float, part: float) -> Callable[[Others], Limit]:
    """Users who wait behind others on a link."""
    return lambda others: Limit(most * (1.0 - part * others(link)), "users")


TWISTS = {
    "plain": Twist(),
    "ties": Twist(ties=True),
    "laws": Twist(laws=0.3),
    "tapes": Twist(tapes=0.1),
    "tapes beside all": Twist(tapes=0.1, turns=0.2, buffers=0.2),
    "users": Twist(behind=0.3, laws=0.1),
    "requests": Twist(customers=0.3),
    "requests apart": Twist(customers=0.6, apart=True),
    "requests apart beside all": Twist(customers=0.4, apart=True, turns=0.3, buffers=0.3),
    "weights": Twist(among=0.7),
    "weights beside all": Twist(among=0.7, customers=0.3, turns=0.2, buffers=0.2),
    "turns": Twist(turns=0.5),
    "buffers": Twist(buffers=0.4),
    "buffers with ties": Twist(buffers=0.4, ties=True),
    "all": Twist(laws=0.1, behind=0.1, turns=0.3, buffers=0.3),
}


@pytest.fixture(params=["one by one", "in crowds"])
def crowded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether even two flows that a link limits share its level."""
    if request.param == "in crowds":
        monkeypatch.setattr("simbackup.engine.group.MANY", 2)
        monkeypatch.setattr("simbackup.engine.group.LEFT", 2)


@pytest.mark.slow
@pytest.mark.usefixtures("crowded")
@for_each("twist", TWISTS)
@for_each("seed", some(range(5), 1))
def test_what_a_change_reaches_is_enough(twist: str, seed: int) -> None:
    few, whole = (System(f"{twist} {seed}", TWISTS[twist], all_of_it) for all_of_it in (False, True))
    same = SETTLED if TWISTS[twist].customers else SAME
    for step in range(STEPS):
        few.step()
        whole.step()
        assert [flow.name for flow in few.flows if flow.active] == [flow.name for flow in whole.flows if flow.active]
        for mine, other in zip(few.flows, whole.flows, strict=True):
            where = f"{mine.name} in step {step}"
            assert mine.rate == pytest.approx(other.rate, rel=same, abs=1e-11), where
            assert mine.cause == other.cause, where
            assert mine.completed == pytest.approx(other.completed, rel=same, abs=1e-9), where
        for system in (few, whole):
            system.network.advance()
        for mine, other in zip(few.links, whole.links, strict=True):
            assert all(flow.active for flow in mine.flows), f"{mine.name} in step {step}"
            used = sum(mine.demand(flow) * flow.rate for flow in mine.flows)
            assert used <= mine.capacity * (1.0 + SAME) + 1e-12
            assert used >= mine.capacity * (1.0 - SAME) - 1e-9 or not mine.limited
            for total in ("units", "busy_s", "bytes_moved", "peak_bytes_per_s"):
                here = f"{total} of {mine.name} in step {step}"
                assert getattr(mine, total) == pytest.approx(getattr(other, total), rel=same, abs=1e-9), here
    assert rates_of(few) == pytest.approx(rates_of(whole), rel=same, abs=1e-9)


def rates_of(system: System) -> list[float]:
    """What each link moves at several times, and the share of it in use, by the trace."""
    assert system.network.trace is not None
    rates, found = link_rates(system.network.trace), list[float]()
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        at = share * system.env.now
        now = {rate.link: rate for rate in rates if rate.time <= at}
        found += [value for link in sorted(now) for value in (now[link].busy, now[link].bytes_per_s)]
    return found


@pytest.mark.slow
@for_each("name", ["w2_100_random", "w2_1000_local", "core_50"])
def test_transfers_of_the_benchmarks_end_at_the_same_time(name: str) -> None:
    few = data_set(name).first(200)
    assert run(few) == pytest.approx(run(few, whole=True), rel=SAME)


@pytest.mark.parametrize("number", range(4))
def test_random_systems_come_to_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = random_systems.system(16, number)
    few = systems.run(plan).result
    monkeypatch.setattr("simbackup.build.FlowNetwork", partial(FlowNetwork, whole=True))
    whole = systems.run(plan).result
    assert few is not None
    assert whole is not None
    assert {row["job"]: row["elapsed"] for row in few.job_rows} == pytest.approx(
        {row["job"]: row["elapsed"] for row in whole.job_rows}, rel=SAME
    )
