"""What a file may say about a network or bus."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from simbackup.errors import choices
from simbackup.schema.measurable import Measurable
from simbackup.schema.part import USE, Facts, Figures, Modelled, Part, Path, Rules, amount, number
from simbackup.schema.quantity import Count, Duration, Frozen, Pieces, PositiveSize, Rate, Share, Text, Word, usual
from simbackup.schema.registry import Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

ENDS = ("hosts", "devices", "links")
"""Sections of what a link may join."""
BACK = ".back"
"""What follows the name of a link in the address of its other direction, if that has a capacity of its own."""
SEND, RECEIVE = ".send", ".receive"
"""What follows the name of a part in the address of its port, for what it sends and what it receives."""
FEW = 2
"""Parts of a link that needs no ports: it is a line between them."""
WAY, TO = ":", ">"
"""What is between a link, the part from which a way through it comes, and the part to which it goes."""
Medium = Literal["switched", "shared"]
UNSTATED_WINDOW = {
    "value": "3 MiB", "basis": "assumed", "range": ["256 KiB", "6 MiB"], "shared": "window of a connection",
    "why": "not stated: half of the largest receive buffer of Linux; hosts before 2003 open 64 KiB: state it",
}  # fmt: skip
"""The window of a link without a datasheet about which a scenario says nothing, as it would say it."""


def way_through(link: str, before: str, after: str) -> str:
    """The name of the way through a switch from one part to another.

    >>> way_through("lan", "filer", "vault")
    'lan:filer>vault'
    """
    return f"{link}{WAY}{before}{TO}{after}"


class NetworkSheet(Frozen):
    """A network or bus."""

    rate: Rate
    """Bytes of data that it carries per second, not counting packet headers."""
    latency: Duration
    """Time of a round trip, from sending a short request until its answer arrives."""
    duplex: Annotated[Literal["half", "full"], Word()] = "half"
    """`full` if each direction has the whole rate; by default, both directions share it."""
    medium: Annotated[Medium, Word()] = "switched"
    """For a link that joins three or more parts: `switched` if each has its own port, `shared` if all of them share one
    rate, as on a bus, a loop or the cable of early Ethernet.
    """
    window: PositiveSize | None = None
    """Maximum bytes in flight on one connection, which moves no more than a window in a round trip; they may wait in
    the queue of the adapter. By default, that of a datasheet, or 3 MiB as hosts of today open; storage has no limit.
    """
    loss: Share = usual("0 %", "1")
    """Share of the segments that are lost on the way, of 1448 bytes each."""
    congestion: Annotated[Literal["cubic", "reno"], Word()] = "cubic"
    """How senders recover after a loss: `cubic`, the default of Linux since 2006 and Windows since about
    2018; or `reno`, which halves the window and adds a segment each round trip, as older systems do."""
    storage: Annotated[bool, Word()] = False
    """Whether it carries what hosts exchange with devices only, as Fibre Channel, SAS and SCSI do: between two hosts,
    data take another way if there is one. A program that states its `block` sends commands to a tape drive over such a
    link, and over all links behind it, one at a time: each takes their round trips, if these are longer than the
    drive's `command_time`.
    """
    command_trips: Count = usual("2")
    """Round trips of each such command that writes: 2 with Fibre Channel and iSCSI, where the drive asks for the data;
    1 with write acceleration; 0 where a gateway answers for the drive (tape acceleration), and on a parallel bus. One
    that reads takes 1 at most.
    """

    measured_as: ClassVar[Mapping[Measurable, str]] = {
        Measurable.TRANSFER: "rate",
        Measurable.ROUND_TRIP: "latency",
    }


class LinkSpec(Part, Modelled, NetworkSheet):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts, devices and other links that it joins. If there are two, results call the direction from the first to
    the second `links.NAME`, and with full duplex the other one `links.NAME.back`. If there are three or more, each has
    a port with the rate of the link, unless the medium is shared; results call the directions of a port
    `links.NAME.PART.send` and `links.NAME.PART.receive`, or both `links.NAME.PART` with half duplex.
    """
    count: Pieces = usual("1")
    """Number of parallel links of this kind, with each stream on one of them. Each port has the same
    number.
    """
    ports: dict[Text, Rate] = Field(default_factory=dict[str, Rate])
    """Rates of ports whose rate is not that of the link, by the name of the part, such as `{server: 25 Gb/s}`."""

    of_many: ClassVar[tuple[str, ...]] = ("medium", "ports")

    def rules(self) -> Rules:
        """Report ports of a shared medium."""
        if self.ports and self.medium == "shared":
            yield ("ports",), "has no effect on a shared medium", "leave it out, or write 'medium: switched'"

    @classmethod
    def unstated(cls, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The window of a network; what a datasheet does not state has no limit."""
        return {} if "model" in said or "storage" in said else {"window": UNSTATED_WINDOW}

    def streets(self, name: str, ends: Collection[str]) -> tuple[str, ...]:
        """The names of what one can load by itself: both directions of the link, or those of each port.

        >>> half = LinkSpec(joins=("a", "b", "c"), rate="1 GB/s", latency="0 s")
        >>> half.streets("lan", half.joins)
        ('lan.a', 'lan.b', 'lan.c')
        """
        owners = [f"{name}.{end}" for end in ends] if self.ported(ends) else [name]
        ways = ("",) if self.duplex == "half" else (SEND, RECEIVE) if self.ported(ends) else ("", BACK)
        return tuple(owner + way for owner in owners for way in ways)

    def ported(self, ends: Collection[str]) -> bool:
        """Whether each of its ends has a port."""
        return self.medium == "switched" and len(ends) > FEW

    def figures(self) -> Figures:
        """How much it was used."""
        return {street.removeprefix("."): USE for street in self.streets("", self.joins)}

    def facts(self) -> Facts:
        """Number, rate and round trip."""
        if self.count.si > 1:
            yield from number(self.count, "link side by side", "links side by side")
        yield from amount(self.rate)
        if self.latency.si > 0:
            yield from amount(self.latency, "round trip")

    def check(self, checks: Checks, path: Path) -> None:
        """Report a link that joins fewer than two, or something unknown, and ports of what it does not join."""
        if len(set(self.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
            lost = checks.lost("hosts") or checks.lost("devices")
            if lost is None:
                checks.report((*path, "joins"), "a link joins two or more parts", "list two or more")
            else:
                checks.wait(path, lost)
        hosts, devices, links = (checks.named(section) for section in ENDS)
        for i, end in enumerate(self.joins):
            if end in hosts or end in devices or (end in links and end != path[-1]):
                continue
            waits_for = [section for section in ENDS if checks.pending((*path, "joins", i), section, end)]
            if not waits_for:
                message = f"there is no host, device or other link '{end}'"
                remedy = choices(end, [*hosts, *devices, *(name for name in links if name != path[-1])])
                checks.report((*path, "joins", i), message, remedy)
        for end in self.ports:
            if end not in checks.spec.ends_of(str(path[-1])):
                checks.report((*path, "ports", end), f"the link does not join '{end}'", choices(end, self.joins))


SECTIONS = {"links": LinkSpec}
SHEETS = {"network": NetworkSheet}
LOOKS = {"link": Look("M8 2v5M3 13V9h10v4M6.5 2h3M1.5 13h3M11.5 13h3", "#eef0f3", "#475569")}
