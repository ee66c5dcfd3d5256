"""Block volumes of a cloud: operations a second, bytes a second, and credits for more of the former."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.devices.network.live import Network
from simbackup.devices.store import Direction, FlatStore, Service
from simbackup.engine.alarm import Alarm
from simbackup.engine.clock import Clock
from simbackup.engine.flows import FlowNetwork, Link
from simbackup.engine.trace import Trace
from simbackup.equations import burst
from simbackup.units import show_short

ROUNDING = 1e-9
"""Share of the bucket below which it is empty."""
LEAST = 1e-3
"""Share of the bucket that comes back before an empty one lends again, so that it does not open and close for ever."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes, bytes a second, operations a second, bytes of an operation, and seconds of a request."""

    capacity: float
    rate: float
    iops: float
    operation_size: float
    latency: float


class CloudDisk(FlatStore):
    """A block volume of a cloud.

    Operations take its time; bytes also cross a pipe behind the buses that lead to it. Whichever is full first
    limits. A request takes its latency and leaves the volume free for others.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.size = limits.capacity
        self.link = Link(name, 1.0)
        self.pipe = Network(Link(f"{name}.throughput", limits.rate, fastest=limits.rate), 0.0, limits.rate)
        self.credits: Credits | None = None
        self.byte_credits: Credits | None = None
        self._buses: tuple[Network, ...] = ()

    @property
    def path(self) -> tuple[Network, ...]:
        """The buses between it and the host that owns it, and its own pipe."""
        return (*self._buses, self.pipe)

    @path.setter
    def path(self, buses: tuple[Network, ...]) -> None:
        self._buses = buses

    def stream(self, direction: Direction, position: float, size: float) -> float:
        """Seconds of its time for each byte of a sequential stream, whose requests are merged or split into units."""
        del direction, position, size
        return 1.0 / (self.limits.operation_size * self.limits.iops)

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        """What one request takes: as many operations as it has begun units."""
        del direction, head, position
        operations = burst.operations(size, self.limits.operation_size)
        return Service(self.limits.latency, operations / self.limits.iops)

    def record(self, trace: Trace) -> None:
        """Record the pipe and the credits in the trace; those of operations where there are both."""
        link, saved = self.pipe.link, self.credits or self.byte_credits
        left = saved.reported() if saved is not None else {}
        trace.device(
            link.name, "cloud disk throughput", link.busy_s, units=link.units, bytes_moved=link.bytes_moved,
            peak_bytes_per_s=link.peak_bytes_per_s, **left,
        )  # fmt: skip


class Credits:
    """The credits of a volume, for operations or for bytes: all flows over a link spend them, and time restores them.

    With credits, the link has its full capacity; without, the baseline's share of it.
    """

    def __init__(self, link: Link, bucket: burst.Bucket, left: float, clock: Clock, network: FlowNetwork) -> None:
        self.name = link.name
        self.left = left
        self._link, self._bucket, self._clock, self._network = link, bucket, clock, network
        self.without_s = 0.0
        self._full = link.capacity
        self._lends = True
        self._rate = self._since = 0.0
        self._alarm = Alarm(clock.env, self._ring)
        network.couple(self, link)
        self._go_on()

    def hold(self) -> None:
        """No limit of its own: the link holds the flows."""

    def solved(self, *, binding: bool) -> None:
        """Note the operations or bytes a second from now on."""
        del binding
        self._settle()
        self._rate = sum(self._link.demand(flow) * flow.rate for flow in self._link.flows)
        self._rate *= self._bucket.burst / self._full
        self._go_on()

    def _ring(self) -> None:
        self._settle()
        self._go_on()

    def _settle(self) -> None:
        """Update the credits to the present time."""
        now = float(self._clock.env.now)
        self.left = burst.credits_after(self._bucket, self.left, self._rate, now - self._since)
        self.without_s += 0.0 if self._lends else now - self._since
        self._since = now

    def reported(self) -> dict[str, object]:
        """The credits that are left now, the seconds for which it lent none, and both in words."""
        self._settle()
        state = f"{self.left / self._bucket.credits:.0%} of its credits left"
        if self.without_s > 0.0:
            state += f", none for {show_short(self.without_s, 's')}"
        return {"credits": self.left, "without_s": self.without_s, "state": state}

    def _go_on(self) -> None:
        """Start or stop lending, and set the alarm for the next change."""
        bucket, empty = self._bucket, self.left <= ROUNDING * self._bucket.credits
        if self._lends and empty and (self._rate > bucket.baseline or not self._rate):
            self._lend("has used up its credits", bucket.baseline / bucket.burst)
        elif not self._lends and self.left >= (LEAST - ROUNDING) * bucket.credits:
            self._lend("has credits again", 1.0)
        if self._lends == (self._rate > bucket.baseline):
            level = 0.0 if self._lends else LEAST * bucket.credits
            self._alarm.set(self._clock.env.now + burst.time_to(bucket, self.left, self._rate, level))

    def _lend(self, what: str, capacity: float) -> None:
        self._lends = not self._lends
        self._clock.trace.event(self._clock.env.now, self.name, what)
        self._network.set_capacity(self._link, capacity * self._full)
