"""Times of a restore that no simulation knows and the site declares: people, the catalogue, hosts, couriers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from simbackup.planning.recovery import Restored
from simbackup.planning.site import PlannedSite
from simbackup.schema.quantity import Quantity, si_or


@dataclass(frozen=True, slots=True)
class Declared:
    """Declared times in seconds: from a loss until restores may begin, for each system, and for each target."""

    recovery: float = 0.0
    catalogue: float = 0.0
    operator: float = 0.0
    fetch: Mapping[str, float] | None = None

    @classmethod
    def of(cls, site: PlannedSite, lost: str) -> Declared:
        """What a site declares for the restore after a loss; nothing has to be replaced where nothing was lost."""
        spec = site.file.spec
        after_loss = (si_or(spec.recovery, 0.0), si_or(spec.catalogue, 0.0)) if lost else (0.0, 0.0)
        fetch = {name: target.fetch for name, target in site.targets.items()}
        return cls(*after_loss, si_or(spec.operator, 0.0), fetch)

    def timed(self, simulated: Sequence[Restored]) -> tuple[Restored, ...]:
        """Restores with the declared times, from those that were simulated without, in the order of their list.

        One person prepares one system after another, while those before come back. A system whose turn comes later
        than it could begin holds up those after it by as much, so no gap is made good: exact for one drive or lane, and
        no less than it takes for several.
        """
        found: list[Restored] = []
        held, prepared = 0.0, 0.0
        for one in simulated:
            if one.reason:
                found.append(one)
                continue
            prepared += self.operator
            held = max(held, prepared - one.starts)
            later = self.recovery + self.catalogue + (self.fetch or {}).get(one.source, 0.0) + held
            found.append(one._replace(starts=one.starts + later, back=one.back + later))
        return tuple(found)

    def ends(self, site: PlannedSite) -> Iterator[tuple[str, Self, Self]]:
        """For each time with a range its address, and all times with it at the lower and at the upper end."""
        spec = site.file.spec
        for name, given in (("recovery", spec.recovery), ("catalogue", spec.catalogue), ("operator", spec.operator)):
            if getattr(self, name) > 0.0 and (ends := _range(given)) is not None:
                yield name, replace(self, **{name: ends[0]}), replace(self, **{name: ends[1]})
        for name, target in spec.targets.items():
            if (ends := _range(target.fetch)) is not None:
                low, high = ({**(self.fetch or {}), name: end} for end in ends)
                yield f"targets.{name}.fetch", replace(self, fetch=low), replace(self, fetch=high)


def _range(given: Quantity | None) -> tuple[float, float] | None:
    if given is None or given.low is None or given.high is None:
        return None
    return given.low, given.high
