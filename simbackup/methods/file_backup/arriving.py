"""Where restored bytes go: written to a data set, or only read (`to: nul`, a check)."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import simpy

from simbackup.devices.host.page_cache import Dirty, VolumeRange
from simbackup.devices.shape import FlowShape
from simbackup.engine.limit import Law
from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where restored bytes go."""

    host: str
    """The host that receives them."""
    data: str
    """The data set."""
    kept: bool = True
    """Whether they are written to the data set, through the page cache; otherwise they are only read."""

    @property
    def copies(self) -> float:
        """Copies in memory of each byte from a disk: into the buffer of the program, and into the page cache."""
        return 2.0 if self.kept else 1.0

    @property
    def unkept(self) -> Arrival:
        """The same for bytes that are only read to reach others."""
        return replace(self, kept=False)

    def shut_out(self, system: System) -> AbstractContextManager[None]:
        """Keep users from the data meanwhile, if these are overwritten."""
        return system.shut_out(self.data) if self.kept else nullcontext()

    def take(
        self, system: System, job: str, place: VolumeRange, fill: FlowShape, activity: str, *, law: Law | None = None
    ) -> Generator[simpy.Event, Any, list[Dirty]]:
        """Receive the bytes of a range of the volume, and record that; returns writes that may not be on disk yet."""
        if self.kept:
            return [(yield from system.write(job, self.host, place, fill, activity, law=law))]
        flow = system.bounded(job, fill).start(system.network, job, activity, place.size, law=law)
        yield flow.done
        system.account(job, flow)
        return []
