"""Restore times that the site file states (staff, catalogue recovery, new hosts, couriers), added to simulated ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from simbackup.planning.recovery import Branch, Restored
from simbackup.planning.site import PlannedSite
from simbackup.schema.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Declared:
    """Times of a restore that the site declares, in seconds."""

    recovery: float = 0.0
    """From a loss of hardware until there is new hardware."""
    catalogue: float = 0.0
    """To recover the catalogue."""
    operator: float = 0.0
    """Work of a person for each system."""
    fetch: Mapping[str, float] | None = None
    """To fetch the media of each target."""
    people: int = 1
    """How many people prepare systems."""

    @classmethod
    def of(cls, site: PlannedSite, hardware: bool, catalogue: bool) -> Declared:
        """What a site declares for a restore after a loss of hardware or of the catalogue."""
        spec = site.file.spec
        after_loss = spec.recovery.si * hardware, spec.catalogue.si * catalogue
        fetch = {name: target.fetch for name, target in site.targets.items()}
        return cls(*after_loss, spec.operator.si, fetch, int(spec.people.si))

    def timed(self, simulated: Sequence[Restored]) -> tuple[Restored, ...]:
        """Restores with the declared times, from those that were simulated without, in the order of their list.

        A system needs its hardware (`recovery`), the catalogue, which needs the hardware of the backup server, one of
        the people who prepare systems (`operator`), and its media (`fetch`). What different people do overlaps. A
        system whose turn comes later than it could begin holds up those after it by as much, so no gap is made good:
        exact for one drive or lane, and no less than it takes for several. Media hold up only systems that come back
        from the same targets.
        """
        found: list[Restored] = []
        held, begun = 0.0, 0
        media: dict[tuple[str, ...], float] = {}
        for one in simulated:
            if one.reason:
                found.append(one)
                continue
            prepared = (begun // self.people + 1) * self.operator
            begun += 1
            held = max(held, self.recovery + max(self.catalogue, prepared) - one.starts)
            fetched = max((self.fetched(name) for name in one.targets), default=0.0)
            media[one.targets] = max(media.get(one.targets, 0.0), fetched - one.starts)
            later = max(held, media[one.targets])
            found.append(one._replace(starts=one.starts + later, back=one.back + later, free=one.free + later))
        return tuple(found)

    def fetched(self, target: str) -> float:
        """Seconds until what is kept on a target can be read."""
        return (self.fetch or {}).get(target, 0.0)

    def branches(self, targets: Iterable[str]) -> tuple[Branch, ...]:
        """What goes on side by side before the first restore begins, as far as it takes time, the longest first."""
        found = [
            Branch((("recovery", self.recovery), ("catalogue", self.catalogue))),
            Branch((("recovery", self.recovery), ("operator, for the first system", self.operator))),
            *(Branch(((f"targets.{name}.fetch", self.fetched(name)),)) for name in targets),
        ]
        stated = [Branch(tuple(step for step in one.steps if step[1] > 0.0)) for one in found]
        longer = {one: None for one in stated if one.steps and not any(one.begins(other) for other in stated)}
        return tuple(sorted(longer, key=lambda one: -one.seconds))

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
