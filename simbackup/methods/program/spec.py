"""What a file may say of a job that runs a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from simbackup.data.spec import FilesystemSpec
from simbackup.errors import choices
from simbackup.methods.file_backup.between import check_restored
from simbackup.methods.program.sheet import (
    CORES,
    CPU,
    DIRECTORIES,
    NETWORK,
    OF_WORK,
    OperationSpec,
    ProgramSheet,
    ProgramSpec,
    StepSpec,
    WorkersSheet,
    items_of,
    steps_of,
)
from simbackup.methods.reduction.spec import CompressionSpec
from simbackup.methods.restore.spec import copy_is_known
from simbackup.methods.share.spec import ShareSpec, check_share
from simbackup.schema.capability import BlockDevice, Device, MediaLibrary, ObjectTarget, Service, Sink
from simbackup.schema.job import BackupJob, FilesSaving, SharedOut
from simbackup.schema.origin import Unknown
from simbackup.schema.part import Fact, Facts, Path, Refers
from simbackup.schema.quantity import Pieces, PositiveDuration, PositiveShare, Quantity, Text, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring

DATA, TARGET = "data", "target"
ENDS = (DATA, TARGET)
"""The roles that the job itself names."""
DEEDS: Mapping[type[Device], tuple[str, ...]] = {
    BlockDevice: ("read", "write", "flush", "put", "get", "ask"), Service: ("ask",),
    ObjectTarget: ("read", "write", "flush", "put", "get", "ask"), Sink: ("write", "flush", "put", "ask"),
    MediaLibrary: ("read", "write"),
}  # fmt: skip
"""What a step can do with a device."""
WITH_FILES = ("open", "look", "create")
"""What it can do with files of the data."""
WITH_OBJECTS = ("put", "get", "ask")
"""What it can do with objects, which are files on a disk."""
STORES = ("write", "put")
"""What leaves bytes at the target."""


class ProgramJobSpec(FilesSaving, SharedOut):
    """An operation of a program that a datasheet `program/name` describes as a list.

    If it reads the data and writes to a device as its target, it leaves a save set, as other backups do: `restore` and
    `copy_save_set` find it, and so do other operations of the program that name its job as their `save_set`.
    """

    method: Literal["program"]
    program: ProgramSpec
    """The program: a datasheet `program/name`, or a mapping."""
    operation: Text
    """Which of its operations."""
    data: Annotated[Text, Refers("works on", "data")]
    """The data set that it saves, restores or copies; the role `data`."""
    target: Annotated[Text, Refers("uses", "devices", "data")] | None = None
    """The disk, volume or object store of its backups, `nul`, or the data set that a copy replaces; the role `target`.
    By default, where its `save_set` lies.
    """
    source: Annotated[Text, Refers("reads", "devices", "data")] | None = None
    """The frozen image of the data that it reads, on the host that owns the image, if one is stated under `owns`; the
    data themselves by default.
    """
    save_set: Annotated[Text, Refers("reads", "jobs")] | None = None
    """The job whose newest save set it reads where that lies, as a restore or a check does; it then works on as many
    bytes and files as that has. By default, it reads what was written last, as much as there are data.
    """
    copied_by: Annotated[Text, Refers("uses", "jobs")] | None = None
    """The job whose copy of that save set it reads; the save set itself by default."""
    host: Annotated[Text, Refers("uses", "hosts")] | None = None
    """The host on which it runs; by default, that of the data."""
    share: ShareSpec | None = None
    """Another host, on which it runs, and how that reaches disks of others, with a datasheet `share/name` as `model`:
    as mounted shares, or by SFTP. What steps do at `data`, at the `target` or at other disks of others then takes the
    requests of the share. By default, steps on a network say what is sent.
    """
    filesystem: FilesystemSpec | None = None
    """The file system of the target, if that is a disk on which the program keeps objects as files: a datasheet
    `filesystem/name`, or a mapping.
    """
    streams: Pieces = usual("1")
    """Number of equal parts that it writes to tape at the same time, each with all workers of the last group on a drive
    of its own, or on fewer with `multiplexing`.
    """
    multiplexing: Pieces = usual("1")
    """Number of streams that a drive takes at once, interleaved block by block: those of this job and of other jobs of
    its pool that allow as many.
    """
    pool: Text | None = None
    """The pool whose cartridges are written; by default, cartridges that belong to no pool."""
    roles: dict[str, Text] = Field(default_factory=dict)
    """Further devices and data sets that its steps name, by their roles."""
    since: PositiveDuration | None = None
    """How long ago it last did so: only what has changed since then is `changed`. By default, everything is."""
    new: PositiveShare | None = None
    """Share of the changed bytes that the target does not have yet; by default, all if nothing went there before, or
    else what has changed in these files.
    """
    compressor: CompressionSpec | None = None
    """What compresses the new bytes: a datasheet `compressor/name`, or a mapping; not compressed by default."""

    tool: ClassVar[None] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    connections: ClassVar[None] = None  # pyright: ignore[reportIncompatibleVariableOverride]
    of_drives: ClassVar[tuple[str, ...]] = ("streams", "multiplexing", "pool")
    not_on_disk: ClassVar[tuple[str, ...]] = ("streams", "multiplexing", "pool")

    @property
    def object_size(self) -> Quantity | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Bytes of each object that it writes; None if each file becomes one."""
        return next((size for size in self._sizes(STORES) if size.si > 0.0), None)

    def block_size(self, spec: Spec) -> Quantity | None:
        """Bytes that it writes to tape with each command: those of a request, or of an item."""
        del spec
        return next((size for size in self._sizes(("write",))[:1] if size.si > 0.0), None)

    def _sizes(self, deeds: tuple[str, ...]) -> list[Quantity]:
        """Bytes of what each step that does one of some deeds at the target moves at a time."""
        groups = [
            group for groups in self.program.operations[self.operation].phases.values() for group in groups.values()
        ]
        return [
            step.request or step.items or group.items
            for group in groups
            for step in group.steps.values()
            if step.at == TARGET and step.do in deeds
        ]

    @property
    def to(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        """The target that takes a save set, if its operation leaves one."""
        return self.target if self.saves() else None

    def saves(self) -> bool:
        """Whether its operation leaves a save set: it reads the data, and writes to the target."""
        done = {(step.at, step.do) for step in self._steps().values()}
        stores = done & {(TARGET, deed) for deed in STORES}
        return bool(done & {(DATA, "open"), (DATA, "read")}) and bool(stores) and self.save_set is None

    def by_file(self) -> bool:
        """If it opens files."""
        return any((step.at, step.do) == (DATA, "open") for step in self._steps().values())

    def kind_of_work(self) -> str:
        """What its operation does: saving or making files, or reading or writing blocks."""
        done = {(step.at, step.do) for step in self._steps().values()}
        if self.by_file():
            return "file_level"
        if (DATA, "create") in done or (TARGET, "create") in done:
            return "restore of file_level"
        if (DATA, "write") in done:
            return "restore of image"
        return "image" if (DATA, "read") in done else self.method

    def gives_single_files(self) -> bool:
        """If it saves file by file."""
        return self.by_file()

    def level_of(self) -> str:
        """All, or what has changed since the last time."""
        return "full" if self.since is None or not self.saves() else "incremental"

    def kept_ratio(self, spec: Spec) -> float:
        """What its compressor makes of the data."""
        plain = self.compressor is None or self.data not in spec.data
        return 1.0 if plain else spec.data[self.data].compression.si

    def shares_chunks(self) -> bool:
        """Whether the target has some of its bytes already."""
        return self.new is not None

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report an operation that leaves no save set, and a restore that cannot reach its target or fit there."""
        if self.to is None or self.to in checks.spec.data:
            message = f"the operation '{self.operation}' of '{job.restore}' leaves no save set"
            checks.report((*path, "restore"), message, "restore what a job saves that reads data and writes a target")
            return
        check_restored(checks, path, job, self)

    def _steps(self) -> Mapping[tuple[str, ...], StepSpec]:
        """The steps of its operation, none if the program has no such operation."""
        operation = self.program.operations.get(self.operation) if not isinstance(self.program, Unknown) else None
        return steps_of(operation) if operation is not None else {}

    def stated_share(self, spec: Spec) -> Quantity | None:
        """The serial share that its operation states."""
        del spec
        return self.program.operations[self.operation].serial_share

    def pieces_of(self) -> Mapping[str, tuple[str, ...]]:
        """Also the locks of its operation, with the times for which they are held."""
        found, operation = dict(self.pieces), self.program.operations[self.operation]
        for inside, step in steps_of(operation).items():
            here = ".".join(("program", "operations", self.operation, *inside))
            if step.lock is not None:
                held = tuple(f"{here}.{key}" for key in OF_WORK)
                found[f"locks.{step.lock}"] = (*found.get(f"locks.{step.lock}", ()), *held)
        return found

    def own_facts(self) -> Facts:
        """Which operation."""
        yield Fact(self.operation)

    def runs_on(self, spec: Spec) -> str:
        """The host on which it runs."""
        own = self.share.host if self.share is not None else self.host
        return own or spec.reader_of(self.data, self.source)

    def bound(self, role: str, spec: Spec) -> str | None:
        """The data set or the device that has a role; None if the job names none."""
        saved = spec.jobs.get(self.copied_by or self.save_set or "")
        lies = saved.stream_on() if isinstance(saved, BackupJob) else getattr(saved, "to", None)
        return {DATA: self.data, TARGET: self.target or lies}.get(role, self.roles.get(role))

    def crosses(self, spec: Spec, role: str, device: str) -> bool:
        """Whether bytes of a role, on a disk of another host, reach the program over networks that no step names."""
        owner = spec.owner_of(device)
        if self.share is not None or owner is None or owner == self.runs_on(spec):
            return False
        return isinstance(spec.devices[device], BlockDevice) and all(
            step.at != f"{role}.{NETWORK}" for step in self._steps().values()
        )

    def check(self, checks: Checks, path: Path) -> None:
        """Report unknown parts and operations, and steps that cannot be done where they are."""
        known = checks.data_set(path, self.data)
        if self.host is not None:
            checks.name((*path, "host"), self.host, checks.spec.hosts, "host")
        if self.target is not None:
            self._check_bound(checks, (*path, "target"), self.target)
        for role, name in self.roles.items():
            self._check_bound(checks, (*path, "roles", role), name)
        with checks.about(*path):
            self._check_share(checks, path)
        with checks.about(*path):
            self._check_save_set(checks, path)
        with checks.about(*path):
            self._check_source(checks, path)
        with checks.about(*path):
            self._check_tape(checks, path)
        with checks.about(*path):
            if self.saves():
                self.check_existing(checks, path)
            elif self.exists:
                message = f"the operation '{self.operation}' leaves no save set"
                checks.report((*path, "exists"), message, "leave it out")
        with checks.about(*path):
            if self.since is not None and known and checks.spec.data[self.data].change is None:
                remedy = f"write 'change: {{daily: 2 %}}' under data.{self.data}, or name a datasheet 'change/...'"
                checks.report((*path, "since"), f"'{self.data}' does not say how it changes", remedy)
        with checks.about(*path):
            operation = self.program.operations.get(self.operation)
            if operation is None:
                message = f"the program has no operation '{self.operation}'"
                checks.report((*path, "operation"), message, choices(self.operation, self.program.operations))
            elif known:
                self._check_operation(checks, path, operation)

    def _check_share(self, checks: Checks, path: Path) -> None:
        """Report a share of the host that keeps data and target itself, and one that is not where it runs."""
        spec, runner = checks.spec, self.share.host if self.share is not None else ""
        if self.share is None or self.data not in spec.data:
            return
        named = (self.data, self.bound(TARGET, spec))
        ends = [spec.data[name].on if name in spec.data else name for name in named if name is not None]
        ends[0] = spec.read_at(self.data, self.source)
        disks = [end for end in ends if isinstance(spec.devices.get(end), BlockDevice)]
        far = next((end for end in disks if spec.owner_of(end) not in {runner, None}), ends[0])
        check_share(checks, path, self.share, spec.owner_of(far), (ends[-1], spec.way_to(runner, ends[-1])))
        if self.host is not None:
            checks.report((*path, "host"), "has no effect: it runs on the host of the share", "leave it out")
        for role in ENDS:
            device = self.bound(role, spec) or ""
            far = spec.owner_of(spec.data[device].on if device in spec.data else device) not in {runner, None}
            if far and any(step.at == f"{role}.{NETWORK}" for step in self._steps().values()):
                message = f"the steps at '{role}.{NETWORK}' count the same requests as the share"
                checks.report((*path, "share"), message, f"write 'host: {runner}' instead of the share")

    def _check_tape(self, checks: Checks, path: Path) -> None:
        """Report too few drives, too little room, a list that writes to tape elsewhere than at its end, or reads it."""
        library = checks.spec.devices.get(self.target or "")
        if not isinstance(library, MediaLibrary):
            for key in self.of_drives:
                if self.states(key):
                    checks.report((*path, key), "has no effect where no tape is written", "leave it out")
            return
        if self.operation not in self.program.operations:
            return
        library.check_backup(checks, path, self, self.data)
        written = 0
        for phase, groups in self.program.operations[self.operation].phases.items():
            *_, last = groups
            for name, group in groups.items():
                for step in (step for step in group.steps.values() if step.at == TARGET):
                    written += step.do == "write"
                    if step.do != "write":
                        message = (
                            f"the operation '{self.operation}' does not only write to '{self.target}', which is tape"
                        )
                        checks.report(
                            (*path, "target"), message, "let 'restore: JOB' read what was saved, or name a disk"
                        )
                    elif name != last or written > 1:
                        message = f"'{phase}' writes to tape elsewhere than in the last group of one phase"
                        checks.report(
                            (*path, "target"), message, "write to tape once, in the last group, or name a disk"
                        )

    def _check_source(self, checks: Checks, path: Path) -> None:
        """Report what is no frozen image of the data, or is written."""
        if self.source is None:
            return
        here = (*path, "source")
        if checks.frozen_image(here, self.source) and self.data in checks.spec.data:
            checks.freezes(here, self.source, self.data)
        written = [step.do for step in self._steps().values() if step.at == DATA and step.do in {"create", "write"}]
        if written:
            message = f"'{self.source}' is frozen, and the operation '{self.operation}' writes ('do: {written[0]}')"
            checks.report(here, message, "leave it out")

    def _check_save_set(self, checks: Checks, path: Path) -> None:
        """Report a save set that no job leaves as a stream, or of other data than those that the operation works on."""
        if self.save_set is None:
            if self.copied_by is not None:
                checks.report((*path, "copied_by"), "has no effect without a save set", "name it as 'save_set'")
            return
        if self.copied_by is not None:
            copy_is_known(checks, path, self.copied_by, self.save_set)
        jobs, here = checks.spec.jobs, (*path, "save_set")
        legal = [name for name, job in jobs.items() if isinstance(job, BackupJob) and job.stream_on() is not None]
        if not checks.name(here, self.save_set, legal, "job"):
            if self.save_set in jobs:
                message = f"'{self.save_set}' leaves no save set in one place"
                checks.report(here, message, choices(self.save_set, legal))
            return
        for key in ("since", "new"):
            if getattr(self, key) is not None:
                checks.report((*path, key), "has no effect on an operation that reads a save set", "leave it out")

    @staticmethod
    def _check_bound(checks: Checks, path: Path, name: str) -> None:
        """Report a name that is bound to a role, but is that of no device and no data set."""
        with checks.about(*path[:2]):
            if name not in checks.named("data"):
                checks.name(path, name, checks.spec.devices, "device")

    def _check_operation(self, checks: Checks, path: Path, operation: OperationSpec) -> None:
        """Report wrong numbers of workers, and wrong steps."""
        here, options = (*path, "program", "operations", self.operation), {**self.program.options, CORES: None}
        self._check_options(checks, path)
        for phase, groups in operation.phases.items():
            *_, last = groups
            for name, group in groups.items():
                for key in ("buffer", "buffer_size"):
                    if name == last and getattr(group, key) is not None:
                        message = "nobody takes from the last group of a phase"
                        checks.report((*here, "phases", phase, name, key), message, "leave it out")
                if isinstance(group.workers, str) and group.workers not in options:
                    message = f"'{group.workers}' is neither a number nor an option of the program"
                    inside = (*here, "phases", phase, name, "workers")
                    checks.report(inside, message, choices(group.workers, options))
        for inside, step in steps_of(operation).items():
            with checks.about(*path):
                self._check_step(checks, path, (*here, *inside), step)
        for inside, items in items_of(operation).items():
            with checks.about(*path):
                self._check_items(checks, (*here, *inside), items)

    def _check_items(self, checks: Checks, here: Path, items: Quantity) -> None:
        """Report directories of data that do not say how many they have."""
        data = checks.spec.data[self.data]
        if items.si == DIRECTORIES and data.filesystem is None and data.directories is None:
            remedy = f"write 'directories: 1000' or 'filesystem: filesystem/...' under data.{self.data}"
            checks.report(here, f"'{self.data}' does not say how many directories it has", remedy)

    def _check_options(self, checks: Checks, path: Path) -> None:
        """Report options that no operation of the program has a use for, such as misspelt ones."""
        operations = self.program.operations.values()
        groups = [group for one in operations for phase in one.phases.values() for group in phase.values()]
        named = [group.workers for group in groups if isinstance(group.workers, str) and group.workers != CORES]
        used = list(dict.fromkeys(named))
        if not set(used) <= set(self.program.options):
            return  # a group names one that is not there, which is reported
        for name in self.program.options:
            if name not in used:
                message = f"no operation of the program has an option '{name}'"
                remedy = choices(name, used) if used else "leave it out"
                checks.report((*path, "program", "options", name), message, remedy)

    def _check_step(self, checks: Checks, path: Path, here: Path, step: StepSpec) -> None:
        """Report a role that is not bound, and what cannot be done there."""
        role, _, inside = (step.at or CPU).partition(".")
        if role == CPU:
            return
        spec, name = checks.spec, self.bound(role, checks.spec)
        device = spec.data[name].on if name in spec.data else name
        if name is None or device is None:
            roles = (CPU, *ENDS, *self.roles)
            remedy = f"write 'target: NAME' under {'.'.join(map(str, path))}" if role == TARGET else ""
            remedy = remedy or f"write 'roles: {{{role}: NAME}}' in the job, or one of {', '.join(roles)}"
            checks.report((*here, "at"), f"the job does not say what '{role}' is", remedy)
        elif inside not in {"", CPU, NETWORK}:
            checks.report((*here, "at"), f"'{step.at}' is nothing", choices(inside, (CPU, NETWORK)))
        elif device in spec.devices and inside:
            self._check_end(checks, (*here, "at"), device, inside)
        elif device in spec.devices:
            self._check_deed(checks, (path, here), (role, name), step)

    def _check_end(self, checks: Checks, here: Path, device: str, inside: str) -> None:
        """Report the cores of a device that no host owns, and a network where there is none."""
        if inside == CPU and checks.spec.owner_of(device) is None:
            checks.report(here, f"no host owns '{device}', so it has no cores", "write 'cpu', or let a host own it")
        elif inside == NETWORK:
            self._check_way(checks, here, device)

    def _check_way(self, checks: Checks, here: Path, device: str) -> None:
        """Report a device that the host of the program does not reach."""
        host = self.runs_on(checks.spec)
        known = host in checks.spec.hosts  # an unknown host, and data without a device, are reported themselves
        if known and checks.spec.way_to(host, device) is None:
            checks.report(here, f"there is no connection from '{host}' to '{device}'", "let a link join them")

    def _check_objects(self, checks: Checks, path: Path, bound: tuple[str, str]) -> None:
        """Report a disk that is to keep objects as files, but has no file system, or is out of reach."""
        (role, name), spec, host = bound, checks.spec, self.runs_on(checks.spec)
        here = (*path, role) if role in ENDS else (*path, "roles", role)
        data = spec.data.get(name)
        owner = spec.owner_of(name if data is None else data.on)
        if data is None and self.filesystem is None:
            message = f"the program keeps objects, and '{name}' is a disk whose file system is not stated"
            remedy = f"write {'.'.join(map(str, path))}.filesystem, as 'filesystem/ext4', or name an object store"
            checks.report(here, message, remedy)
        if owner != host and self.share is None:
            message = f"the program keeps objects, and '{name}' is a disk of '{owner}', which it does not reach"
            of = f"{'.'.join(map(str, path))}.share"
            remedy = f"write {of}, as '{{model: share/sftp, host: {host}}}', or name an object store"
            checks.report(here, message, remedy)

    def _check_deed(self, checks: Checks, paths: tuple[Path, Path], bound: tuple[str, str], step: StepSpec) -> None:
        """Report what cannot be done with a device, or with files of data that have none."""
        (path, here), (role, name), spec = paths, bound, checks.spec
        data = spec.data.get(name)
        on = data.on if data is not None else name
        legal = next((deeds for kind, deeds in DEEDS.items() if isinstance(spec.devices[on], kind)), ())
        legal = (*WITH_FILES, *legal) if data is not None else legal
        if step.do is not None and step.do not in legal:
            message = f"a step cannot {step.do} at '{role}', which is '{name}'"
            checks.report((*here, "do"), message, choices(step.do, legal))
        elif step.do in (*WITH_FILES, *WITH_OBJECTS) and data is not None and data.filesystem is None:
            remedy = f"write 'filesystem: filesystem/...' under data.{name}, or 'do: read'"
            checks.report((*here, "do"), f"'{name}' has no file system", remedy)
        elif isinstance(spec.devices[on], BlockDevice) and spec.owner_of(on) is None:
            checks.report((*here, "at"), f"no host owns '{on}'", f"add '{on}' to 'owns' of a host")
        elif isinstance(spec.devices[on], BlockDevice) and step.do in WITH_OBJECTS:
            self._check_objects(checks, path, bound)
        elif isinstance(spec.devices[on], ObjectTarget) or self.crosses(spec, role, on):
            self._check_way(checks, (*here, "at"), on)


MAKE = "simbackup.methods.program.make"
KINDS = (MethodKind(("program",), ProgramJobSpec, f"{MAKE}:make", "simbackup.methods.file_backup.make:restore"),)
SHEETS = {"program": ProgramSheet, "workers": WorkersSheet}
