"""What a file may say about a network or bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.errors import choices
from simbackup.schema.facts import Facts, amount, number
from simbackup.schema.figures import USE, Figures
from simbackup.schema.measurable import Measurable
from simbackup.schema.part import Modelled, Part, Path, Rules

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Pieces,
    PositiveSize,
    Rate,
    Share,
    Text,
    Word,
)

ENDS = ("hosts", "devices", "links")
"""Sections of what a link may join."""
BACK = ".back"
"""What follows the name of a link in the address of its other direction, if that has a capacity of its own."""


class NetworkSheet(Frozen):
    """A network or bus."""

    rate: Rate
    """Payload rate."""
    latency: Duration
    """Round trip."""
    duplex: Annotated[Literal["half", "full"], Word()] = "half"
    """`full` if each direction has the rate for itself; both share it unless stated."""
    window: PositiveSize | None = None
    """Most bytes of one connection under way; they may wait in the queue of the adapter. No limit unless stated."""
    loss: Share | None = None
    """Share of the segments that are lost on the way; none unless stated."""
    segment: PositiveSize | None = None
    """Payload of one segment, where some are lost."""

    measured_as: ClassVar[Mapping[Measurable, str]] = {
        Measurable.TRANSFER: "rate",
        Measurable.ROUND_TRIP: "latency",
    }

    def rules(self) -> Rules:
        """Losses need the size of what is lost."""
        if self.loss is not None and self.loss.si > 0 and self.segment is None:
            yield ("loss",), "needs the payload of a segment", "add 'segment: 1448 B'"
        if self.loss is None and self.segment is not None:
            yield ("segment",), "has no effect without 'loss'", "add 'loss', or leave it out"


class LinkSpec(Part, Modelled, NetworkSheet):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts, devices and other links that it joins. With full duplex the direction from one listed later to one
    listed earlier is `links.NAME.back`; requests of workloads go in the other direction."""
    count: Pieces | None = None
    """Links of this kind side by side, each stream on one of them; one unless stated."""

    def figures(self) -> Figures:
        """How much it was used."""
        return {"": USE, **({BACK.removeprefix("."): USE} if self.duplex == "full" else {})}

    def facts(self) -> Facts:
        """Number, rate and round trip."""
        if self.count is not None and self.count.si > 1:
            yield from number(self.count, "link side by side", "links side by side")
        yield from amount(self.rate)
        if self.latency.si > 0:
            yield from amount(self.latency, "round trip")

    def check(self, checks: Checks, path: Path) -> None:
        """Report a link that joins fewer than two, or something unknown."""
        if len(set(self.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
            lost = checks.lost("hosts") or checks.lost("devices")
            if lost is None:
                checks.report((*path, "joins"), "a link joins two or more parts", "list what it joins")
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
