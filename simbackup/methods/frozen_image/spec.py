"""What a file may say about frozen images: jobs that create, remove and synchronise them, and backups that are one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from simbackup.methods.tool.spec import BackupToolSpec
from simbackup.schema.capability import SplitMirror
from simbackup.schema.job import BackupJob, JobSpec
from simbackup.schema.part import OF_DATA, ONTO_DEVICE, Path, Refers
from simbackup.schema.quantity import Text
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.schema.job import Restoring


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


class FrozenImageBackupSpec(BackupJob):
    """Backup that is itself a frozen image: nothing is copied until something is restored."""

    method: Literal["frozen_image"]
    data: Annotated[Text, OF_DATA]
    """The data set that is saved."""
    to: Annotated[Text, ONTO_DEVICE]
    """The snapshot or checkpoint to create, or the mirror to split off."""
    tool: BackupToolSpec | None = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping; none by default."""

    moves: ClassVar[bool] = False

    def creates(self) -> str | None:
        """The frozen image that is the backup."""
        return self.to

    def check(self, checks: Checks, path: Path) -> None:
        """Report a backup that is not a frozen image of the data."""
        known = checks.data_set(path, self.data, owned=False)
        with checks.about(*path):
            if checks.frozen_image((*path, "to"), self.to) and known:
                checks.freezes((*path, "to"), self.to, self.data)
        if known:
            checks.owned(path, checks.spec.data[self.data].on)

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report a restore that does not fit, or is to another host."""
        target = checks.spec.data.get(job.to or "")
        checks.nothing_replayed(path, job)
        with checks.about(*path):
            if target is not None:
                checks.owned(path, target.on, "to")
                checks.at_one_host((*path, "to"), job.to or "", self.to)
        if job.states("streams"):
            checks.report((*path, "streams"), "has no effect on a restore from disk", "leave it out")
        if self.data in checks.spec.data:
            checks.extent(path, job, checks.spec.data[self.data], whole=False)


MAKE = "simbackup.methods.frozen_image.live"
KINDS = (
    MethodKind(("create_snapshot",), CreateSnapshotSpec, f"{MAKE}:make_create"),
    MethodKind(("remove_snapshot",), RemoveSnapshotSpec, f"{MAKE}:make_remove"),
    MethodKind(("synchronise",), SynchroniseSpec, f"{MAKE}:make_synchronise"),
    MethodKind(("frozen_image",), FrozenImageBackupSpec, f"{MAKE}:make", f"{MAKE}:restore"),
)
