"""Free space of a device: what its volumes and clones are guaranteed, and what they use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Space:
    """Space on a device that several volumes and clones share: each takes what it is guaranteed, or what it uses."""

    size: float
    """Bytes of the device."""
    taken: dict[str, Callable[[], float]] = field(default_factory=dict[str, Callable[[], float]])
    """Bytes that each volume, clone, copy area or mirror takes, by name."""

    @property
    def free(self) -> float:
        """Free bytes."""
        return self.size - sum(taken() for taken in self.taken.values())
