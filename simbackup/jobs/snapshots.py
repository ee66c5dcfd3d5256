"""Jobs that create and remove frozen images."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.jobs.job import Moved, Steps
from simbackup.jobs.system import JobFailedError, System


@dataclass(frozen=True, slots=True)
class CreateSnapshot:
    """Creation of a snapshot: it takes the same time whatever the size of the data."""

    snapshot: str
    method: str = "create_snapshot"

    def run(self, system: System, job: str) -> Steps:
        """Freeze the origin."""
        snapshot = system.snapshots[self.snapshot]
        if snapshot.active:
            raise JobFailedError(f"snapshot '{self.snapshot}' exists already")
        with system.clock.span(job, snapshot.name, "create"):
            yield system.env.timeout(snapshot.create_time)
        snapshot.create()
        return Moved(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class RemoveSnapshot:
    """Removal of a snapshot: writes to its origin cost nothing more."""

    snapshot: str
    method: str = "remove_snapshot"

    def run(self, system: System, job: str) -> Steps:
        """Give up the frozen image."""
        snapshot = system.snapshots[self.snapshot]
        if not snapshot.active and snapshot.invalid_since is None:
            raise JobFailedError(f"there is no snapshot '{self.snapshot}' to remove")
        with system.clock.span(job, snapshot.name, "remove"):
            yield system.env.timeout(snapshot.remove_time)
        snapshot.remove()
        return Moved(0.0, 0.0)
