"""What a file may say about jobs that create, remove and synchronise frozen images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from simbackup.schema.capability import SplitMirror
from simbackup.schema.part import Path
from simbackup.schema.refers import Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class FrozenImageSpec(JobSpec):
    """A job that creates or removes a frozen image."""

    snapshot: Annotated[Text, Refers("changes", "devices")]
    """The snapshot, checkpoint, clone or mirror: a name of `devices:`."""

    moves: ClassVar[bool] = False

    def check(self, checks: Checks, path: Path) -> None:
        """Report anything but a frozen image."""
        checks.frozen_image((*path, "snapshot"), self.snapshot)


class CreateSnapshotSpec(FrozenImageSpec):
    """Creation of a frozen image: a snapshot, a checkpoint, or a mirror that is split off."""

    method: Literal["create_snapshot"]

    def creates(self) -> str | None:
        """The snapshot."""
        return self.snapshot


class RemoveSnapshotSpec(FrozenImageSpec):
    """Removal of a frozen image and of everything that was copied for it."""

    method: Literal["remove_snapshot"]


class SynchroniseSpec(JobSpec):
    """Synchronisation of a mirror with its volume: everything the first time, later what changed since the split."""

    method: Literal["synchronise"]
    mirror: Annotated[Text, Refers("changes", "devices")]
    """The mirror that is brought up to date: a name of `devices:`."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report anything but a mirror."""
        if not checks.frozen_image((*path, "mirror"), self.mirror, SplitMirror, "mirror"):
            return
        mirror, jobs = checks.spec.devices[self.mirror], checks.spec.jobs.values()
        begins = isinstance(mirror, SplitMirror) and mirror.synchronised()
        if begins and not any(job.creates() == self.mirror for job in jobs) and checks.sound(path, "jobs"):
            checks.report(
                (*path, "mirror"), f"'{self.mirror}' is synchronised from the start, and no job splits it off",
                f"write 'state: new' in '{self.mirror}' for a first synchronisation, or split it off with a job",
            )  # fmt: skip
