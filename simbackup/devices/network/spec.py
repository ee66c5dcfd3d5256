"""What a file may say of a network or bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from simbackup.errors import choices
from simbackup.schema.facts import Facts, amount, number
from simbackup.schema.part import Modelled, Part, Path

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Pieces,
    PositiveSize,
    Rate,
    Text,
)


class NetworkSheet(Frozen):
    """A network or bus."""

    rate: Rate
    """Payload rate in each direction."""
    latency: Duration
    """Round trip."""
    window: PositiveSize | None = None
    """Bytes that one stream has outstanding in the queue of the adapter; none stand there unless stated."""


class LinkSpec(Part, Modelled, NetworkSheet):
    """A network or bus that joins hosts and devices."""

    joins: tuple[Text, ...]
    """The hosts and devices that it joins, or other links, as a bridge does."""
    count: Pieces | None = None
    """Links of this kind side by side, each stream on one of them; one unless stated."""

    conditional: ClassVar[Mapping[str, str]] = {"window": "where requests of a workload cross the link ('via')"}

    def facts(self) -> Facts:
        """Number, rate and round trip."""
        if self.count is not None and self.count.si > 1:
            yield from number(self.count, "link side by side", "links side by side")
        yield from amount(self.rate)
        if self.latency.si > 0:
            yield from amount(self.latency, "round trip")

    def check(self, checks: Checks, path: Path) -> None:
        """It joins two or more hosts, devices or other links that there are."""
        if len(set(self.joins)) < 2:  # noqa: PLR2004 (a link has two ends or more)
            lost = checks.lost("hosts") or checks.lost("devices")
            if lost is None:
                checks.report((*path, "joins"), "a link joins two or more", "name what it joins")
            else:
                checks.wait(path, lost)
        others = (name for name in checks.named("links") if name != path[-1])
        legal = {*checks.named("hosts"), *checks.named("devices"), *others}
        for i, end in enumerate(self.joins):
            here = (*path, "joins", i)
            waits_for = [s for s in ("hosts", "devices", "links") if end not in legal and checks.pending(here, s, end)]
            if end not in legal and not waits_for:
                checks.report(here, f"there is no host, device or other link '{end}'", choices(end, legal))
