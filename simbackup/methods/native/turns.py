"""The steady rate of the buffers of a native backup, and what its disks lose by turning between volumes and files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from simbackup.devices.network.adapter import Standing
from simbackup.devices.network.live import Network
from simbackup.devices.shape import FlowShape
from simbackup.devices.store import Region
from simbackup.engine.filling import Bracket
from simbackup.engine.limit import Behind, Limit, Others
from simbackup.engine.link import Link
from simbackup.equations.buffers import HalfLoop, LoopState, joined_rate, loop, visits
from simbackup.equations.waiting import loop_queue
from simbackup.methods.native.sides import End, Side, Sides
from simbackup.trace.activity import Activity

Centre = tuple[Link, int]
"""A queue: a link, and one of its wires or servers."""

HALVINGS = 40


@dataclass(frozen=True, slots=True)
class SteadyLoop:
    """The buffers of a native backup as customers of a closed network; of two if it is compressed."""

    job: str
    """The address of the job."""
    sides: Sides
    """Where buffers are filled, coded and emptied."""
    buffers: int
    """Buffers in each loop."""
    size: float
    """Bytes of a buffer."""
    joined: bool = False
    """Whether there are two loops, of which one fills the other."""

    def centres(self, shape: FlowShape, others: Others) -> dict[Centre, float]:
        """The queues that a buffer passes, with the seconds of a byte, if others use a share of each link.

        Streams over several wires each use one of them.
        """
        found: dict[Centre, float] = {}
        wires = {link: self.wires(network) for network in self.visits() for link in network.links}
        beyond = self._beyond(shape, others)
        for link, demand in shape.demands.items():
            if link in beyond:
                continue
            free, servers = 1.0 - others(link), 1
            if link in wires:
                servers, rate = wires[link]
                each = demand / servers / (free * rate) if free > 0.0 else math.inf
            else:
                each = _seconds(shape, link, others)
            found |= {(link, server): each for server in range(servers)}
        return found

    def coding(self, others: Others) -> float:
        """Seconds of a thread for each byte, if others use a share of the cores."""
        coding = self.sides.coding
        if coding is None:
            return 0.0
        free = 1.0 - others(coding.host.cpu)
        return coding.seconds / free if free > 0.0 else math.inf

    def visits(self) -> dict[Network, tuple[float, int]]:
        """How often a buffer crosses each network in a cycle, and the number of streams there."""
        found: dict[Network, tuple[float, int]] = {}
        for side in (self.sides.before, self.sides.after):
            for place in side.places:
                for network in place.way(side.direction):
                    times, streams = found.get(network, (0.0, 0))
                    found[network] = (times + 1.0 / len(side.places), streams + 1)
        return found

    def wires(self, network: Network) -> tuple[int, float]:
        """Wires of a network that its streams use, at most one each, and the bytes a second of a wire."""
        return max(min(self.visits()[network][1], network.wires), 1), network.rate

    def _beyond(self, shape: FlowShape, others: Others) -> set[Link]:
        """Links that a buffer passes at the same time as a slower one; they have no queue of their own."""
        found, kept = set[Link](), set[Link]()
        for network in self.visits():
            crossed = [link for link in network.links if link in shape.demands]
            if crossed:
                slowest = max(crossed, key=lambda link: _seconds(shape, link, others))
                kept.add(slowest)
                found |= {*crossed} - {slowest}
        return found - kept

    def every(self, others: Others) -> list[tuple[Link, float]]:
        """All queues with the seconds of a byte; each thread between two loops has a queue, others share one."""
        both = self.centres(self.sides.before.shape(), others)
        for centre, each in self.centres(self.sides.after.shape(), others).items():
            both[centre] = both.get(centre, 0.0) + each
        found = [(link, each) for (link, _), each in both.items()]
        coding = self.sides.coding
        if coding is not None:
            found += [(coding.host.cpu, self.coding(others) / coding.threads)] * (coding.threads if self.joined else 1)
        return found

    def latency(self) -> float:
        """Seconds of a cycle in addition to all queues."""
        return self.sides.before.wait() + self.sides.after.wait()

    @property
    def law(self) -> Behind:
        """Its rate follows from its queues, whatever its fair share is."""
        return Behind(self.limit)

    def limit(self, others: Others) -> Limit:
        """Bytes a second of the loop, and what limits them: the longest queue, or all that a buffer passes.

        With enough buffers the longest queue is never empty, and what else they do meanwhile takes no time from it.
        With fewer they limit, and the parts are those of a round.
        """
        centres = self.every(others)
        found = self.state(others)
        longest, most = max(centres, key=lambda centre: centre[1])
        if self.rounds(others) / self.size <= most * self.buffers:
            return Limit(found.rate, longest.name)
        own = f"{self.job}.buffers"
        parts: dict[tuple[str, str], float] = {
            (own, Activity.WAIT_FOR_REQUESTS): (1.0 - math.fsum(found.standing)) / found.rate
        }
        for (link, _), share in zip(centres, found.standing, strict=True):
            parts[link.name, ""] = parts.get((link.name, ""), 0.0) + share / found.rate
        return Limit(found.rate, own, parts)

    def rounds(self, others: Others) -> float:
        """Seconds of a cycle of the slower loop in addition to queues of devices."""
        waits = self.sides.before.wait(), self.sides.after.wait()
        return (max(waits) if self.joined else sum(waits)) + self.size * self.coding(others)

    def state(self, others: Others) -> LoopState:
        """The rate, and the mean share of all buffers at each centre."""
        demands, latency = tuple(each for _, each in self.every(others)), self.latency()
        coder = self.sides.coding
        if not self.joined:
            pool = (self.coding(others), coder.threads) if coder is not None else None
            return loop(self.size, self.buffers, latency, demands if pool is None else demands[:-1], pool)
        before, after = (self._side(side, others) for side in (self.sides.before, self.sides.after))
        coding, threads = self.coding(others) * self.size, coder.threads if coder is not None else 1
        if math.isinf(coding) or any(map(math.isinf, demands)):
            return loop(self.size, self.buffers, latency, demands)
        rate = self.size * joined_rate(self.buffers, before, after, coding, threads)
        return _as_one_loop(self.size, 2 * self.buffers, latency, demands, rate)[0]

    def busy_with(self, link: Link) -> float:
        """Mean number of buffers that wait or are served at a link while it is busy, if nobody else uses anything."""
        centres, state = self.every(_idle), self.state(_idle)
        here = [(each, share) for (other, each), share in zip(centres, state.standing, strict=True) if other is link]
        used = state.rate * math.fsum(each for each, _ in here)
        number = self.buffers * (2 if self.joined else 1)
        return number * math.fsum(share for _, share in here) / used if used > 0.0 else 1.0

    def _side(self, side: Side, others: Others) -> HalfLoop:
        """One of the loops, with all centres of both."""
        here, numbers = self.centres(side.shape(), others), list[Centre]()
        for one in (self.sides.before, self.sides.after):
            numbers += [centre for centre in self.centres(one.shape(), others) if centre not in numbers]
        return HalfLoop(tuple(here.get(centre, 0.0) * self.size for centre in numbers), side.wait())

    def standing(self, network: Network, others: Others) -> Standing:
        """The buffers that queue at a network, on each wire that they use."""
        crossed = self.sides.shape().demands.get(network.link, 0.0)
        visited = next((one for one in self.visits() if network.link in one.links), None)
        centres = self.every(others)
        here = next((i for i, (link, _) in enumerate(centres) if link is network.link), None)
        if visited is None or here is None or crossed <= 0.0:  # beyond a slower port nothing queues
            return Standing((), 0.0, 0.0)
        wires = self.wires(visited)[0]
        seconds = self.size * crossed / self.visits()[visited][0] / network.rate
        if any(math.isinf(each) for _, each in centres):
            stands = tuple(float(math.isinf(centres[here][1])) for _ in range(self.buffers))
            return Standing(stands, seconds, float(wires))
        demands, latency, buffers = tuple(each for _, each in centres), self.latency(), self.buffers
        if self.joined or self.sides.coding is not None:
            buffers *= 2 if self.joined else 1
            latency = _as_one_loop(self.size, buffers, latency, demands, self.state(others).rate)[1]
        return Standing(
            loop_queue([each * self.size for each in demands], buffers, latency, here), seconds, float(wires)
        )


def _idle(link: Link) -> float:
    """Nobody else uses a link."""
    del link
    return 0.0


def _seconds(shape: FlowShape, link: Link, others: Others) -> float:
    """Seconds of a byte on a link, if others use a share of it."""
    free = 1.0 - others(link)
    return shape.demands[link] / (free * link.nominal) if free > 0.0 else math.inf


@lru_cache(maxsize=1024)
def _as_one_loop(
    size: float, buffers: int, latency: float, demands: tuple[float, ...], rate: float
) -> tuple[LoopState, float]:
    """One loop with all buffers of two and their rate; its latency includes the waits for each other."""
    low, high = latency, max(buffers * size / rate, latency) if rate > 0.0 else latency
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if loop(size, buffers, middle, demands).rate > rate else (low, middle)
    return loop(size, buffers, high, demands)._replace(rate=rate), high


STEPS, SWEEPS = 50, 5
EXACT = 1e-4
"""Most steps of an approach, most rounds over devices, and the share of a number of buffers at which both end."""


class _Place(NamedTuple):
    """A place on a device: where it is, requests there for each buffer, their bytes, and whether they are writes."""

    region: Region
    share: float
    size: float
    writes: bool
    file: bool


def shared(volumes: Sequence[End], files: Sequence[End]) -> list[Link]:
    """The devices that have several places."""
    links = [end.region.store.link for end in (*volumes, *files) if end.region is not None]
    return list(dict.fromkeys(link for link in links if links.count(link) > 1))


def lost_in_turns(
    volumes: Sequence[End],
    files: Sequence[End],
    size: float,
    each: float,
    waiting: Mapping[Link, float],
    *,
    backup: bool,
) -> dict[Link, float]:
    """Seconds that each device with several places loses for a byte, by turning from one to another.

    So many buffers wait there, or are served, while the device works (`equations/buffers.py`). A buffer of some size
    is as likely to go to any of the volumes, and to any of the files, which take `each` bytes for a byte of the
    database. Volumes are read in a backup, and files written.
    """
    lost = dict[Link, float]()
    for link in shared(volumes, files):
        here = [
            _Place(end.region, 1.0 / len(ends), size * part, writes=writes, file=ends is files)
            for ends, part, writes in ((volumes, 1.0, not backup), (files, each, backup))
            for end in ends
            if end.region is not None and end.region.store.link is link
        ]
        here.sort(key=lambda place: place.region.begin)
        seconds = _turned(here, waiting[link])
        if seconds > 0.0:
            lost[link] = seconds / sum(place.share * place.size for place in here)
    return lost


def settled(loop: Callable[[Mapping[Link, float]], SteadyLoop], devices: Sequence[Link]) -> SteadyLoop:
    """The loop with as many buffers at some devices as the turns leave there: longer turns let more wait, for fewer.

    Others are left out. With several devices, each is settled beside the others until none moves.
    """
    waiting = dict.fromkeys(devices, 1.0)
    for _ in range(SWEEPS if len(devices) > 1 else 1):
        before = dict(waiting)
        for link in devices:
            waiting[link] = _settled_at(loop, waiting, link)
        if all(abs(waiting[link] - number) <= EXACT * number for link, number in before.items()):
            break
    return loop(waiting)


def _settled_at(loop: Callable[[Mapping[Link, float]], SteadyLoop], beside: Mapping[Link, float], link: Link) -> float:
    """Buffers at a device that leave as many there, by false position of logarithms (the Illinois algorithm)."""

    def more(logarithm: float) -> float:
        """By how much more wait than so many, as logarithms."""
        return math.log(max(loop({**beside, link: math.exp(logarithm)}).busy_with(link), 1.0)) - logarithm

    low, high = 0.0, math.log(2.0 * loop(beside).buffers)
    above, below = more(low), more(high)
    if above <= 0.0 or below >= 0.0:
        return math.exp(low if above <= 0.0 else high)
    bracket = Bracket(low, above, high, below)
    for _ in range(STEPS):
        middle = bracket.middle()
        found = more(middle)
        if abs(found) <= EXACT or bracket.high - bracket.low <= EXACT:
            return math.exp(middle)
        bracket.narrow(middle, found, below=found > 0.0)
    return math.exp((bracket.low + bracket.high) / 2.0)


def _turned(here: Sequence[_Place], waiting: float) -> float:
    """Seconds that all places of a device lose for each buffer that goes round."""
    total, writers = sum(place.share for place in here), sum(place.writes for place in here)
    shares = [place.share / total for place in here]
    spread = sum(place.share / total * place.region.store.spread(place.size, writes=place.writes) for place in here)
    seconds = 0.0
    for place, visit in zip(here, visits(_following(here), shares, waiting, round(spread)), strict=True):
        store, begin, run = place.region.store, place.region.begin, visit.requests
        writing = writers if place.writes else 0
        for other, came in zip(here, visit.came_from, strict=True):
            if came > 0.0:
                turn = store.switchover(begin, other.region.begin, place.size * run, writing=writing)
                seconds += place.share / run * came * turn.busy
    return seconds


def _following(here: Sequence[_Place]) -> list[list[float]]:
    """Probabilities of the place of a buffer's next request on the device, after one at each place.

    What was read from a volume goes to a file, of which a share lies here; what was written is read again from a
    volume, of which a share lies here, too.
    """
    volumes = sum(place.share for place in here if not place.file)
    files = sum(place.share for place in here if place.file)
    next_read = volumes / (1.0 - (1.0 - volumes) * (1.0 - files))  # the next one here, of a buffer that is empty

    def after(file: bool) -> tuple[float, float]:
        """Probabilities that the next is a volume, and that it is a file."""
        read = next_read if file else (1.0 - files) * next_read
        return read, 1.0 - read

    found: list[list[float]] = []
    for place in here:
        read, written = after(place.file)
        found.append([
            written * other.share / files if other.file else read * other.share / volumes for other in here
        ])  # fmt: skip
    return found
