"""Keys that a file states and that change nothing in it: which they are, and where they would act.

Left out is what a word in the same file switches on and off (`compress`, `layout`), and what only says what data are:
that they are files of a file system, or a database of so much `content`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from simbackup.errors import Problem
from simbackup.schema.jobs import (
    AnyBackup,
    Backup,
    BinaryLog,
    CopyData,
    DatabaseBackup,
    ImageBackup,
    Job,
    NativeBackup,
    Restore,
    Resume,
    SaveIndex,
    StartGroup,
    SystemState,
    Users,
    Write,
)
from simbackup.schema.places import owner_of
from simbackup.schema.scenario import Spec
from simbackup.schema.software import BackupTool
from simbackup.schema.tape import TapeLibrary
from simbackup.schema.tree import Node

Path = tuple[str, ...]


class Use(NamedTuple):
    """A key of a scenario: whether it acts there, and where it would."""

    path: Path
    acts: bool
    where: str


Uses = Iterator[Use]


def idle_keys(spec: Spec, tree: Node) -> list[Problem]:
    """A warning for each key without effect that the scenario's own file states, or that replaces a value of it.

    What a datasheet or an extended file says may serve other scenarios, and a file without jobs is there for others.
    """
    found: list[Problem] = []
    for path, acts, where in _uses(spec) if spec.jobs else ():
        node, seen = tree.find(path)
        own = node.key.file == tree.place.file or not node.key.line
        if not acts and own and len(seen) == len(path) and node.value is not None:
            found.append(Problem(node.place, ".".join(path), "has no effect here", f"it acts {where}", "warning"))
    return found


def _uses(spec: Spec) -> Uses:
    reading = set(_reading(spec))
    crossed = {link for workload in spec.workloads.values() for link in workload.via}
    for name in spec.hosts:
        where = "where programs of the host read in sequence: image backups to disk, restores from disk, copies"
        yield Use(("hosts", name, "read_ahead"), name in reading, where)
    for name in spec.links:
        yield Use(("links", name, "window"), name in crossed, "where requests of a workload cross the link ('via')")
    for name in spec.data:
        yield from _data(spec, name)
    for name, workload in spec.workloads.items():
        if isinstance(workload, Users):
            for key in ("working_set", "hot_data", "hot_updates", "synchronous"):
                yield Use(("workloads", name, key), workload.updates is not None, "with 'updates' of a transaction")
    for name, job in spec.jobs.items():
        yield from _job(spec, name, job)


def _reading(spec: Spec) -> Iterator[str | None]:
    """The hosts whose programs read files in sequence through their page cache."""
    for job in spec.jobs.values():
        if isinstance(job, Backup):
            together = job.method == "file_level" and spec.data[job.data].layout == "together"
            if together or (job.method == "image" and not _to_tape(spec, job)):
                yield _host(spec, job.data)
        elif isinstance(job, CopyData | DatabaseBackup | BinaryLog):
            yield _host(spec, job.data)
        elif isinstance(job, Resume):
            yield spec.hosts[job.machine].within
        elif isinstance(job, Restore):
            saved = spec.jobs[job.restore]
            if isinstance(saved, Backup | DatabaseBackup | BinaryLog) and not _to_tape(spec, saved):
                yield owner_of(spec, saved.to)


def _host(spec: Spec, data: str) -> str | None:
    return owner_of(spec, spec.data[data].on)


def _to_tape(spec: Spec, job: Job) -> bool:
    return isinstance(job, Backup) and isinstance(spec.devices[job.to], TapeLibrary)


def _data(spec: Spec, name: str) -> Uses:
    """What is said of a data set acts in the jobs that read it and in those that write it back."""
    path, jobs = ("data", name), spec.jobs.values()
    backups = [job for job in jobs if isinstance(job, Backup) and job.data == name]
    back = [(job, spec.jobs[job.restore]) for job in jobs if isinstance(job, Restore)]
    restored = [
        (job, saved)
        for job, saved in back
        if isinstance(saved, AnyBackup) and name in (job.to or saved.data, saved.data)
    ]
    walked = any(job.method == "file_level" for job in backups)
    native = any(isinstance(job, NativeBackup) and name in job.data for job in jobs)
    tape = any(_to_tape(spec, job) for job in backups)
    yield Use((*path, "compression"), tape or native, "in backups to tape and in database_native backups")
    for key in ("layout", "file_size"):
        yield Use((*path, key), walked, "in file_level backups")
    read = any(job.source is None or job.method == "file_level" for job in backups)
    yield Use((*path, "cached"), read, "in image and file_level backups of the data themselves")
    yield from _database(spec, name, [saved for _, saved in restored], any(job.replay for job, _ in restored))


def _database(spec: Spec, name: str, restored: list[AnyBackup], replayed: bool) -> Uses:
    """What is said of a database acts in those backups and restores that do what it is about."""
    path = ("data", name, "database")
    saved = {j.method for j in spec.jobs.values() if isinstance(j, DatabaseBackup | BinaryLog) and j.data == name}
    loaded = any(isinstance(job, DatabaseBackup) and job.method == "logical_dump" for job in restored)
    yield Use((*path, "dump_ratio"), "logical_dump" in saved, "in logical dumps")
    yield Use((*path, "dump_cpu"), "logical_dump" in saved, "in logical dumps")
    yield Use((*path, "load_cpu"), loaded, "in restores of logical dumps")
    yield Use((*path, "replay_cpu"), replayed, "in restores with 'replay'")
    yield Use((*path, "flush_time"), bool(saved), "in backups of databases")
    yield Use((*path, "locks_for_snapshot"), "snapshot_copy" in saved, "in snapshot copies")


def _job(spec: Spec, name: str, job: Job) -> Uses:
    path = ("jobs", name)
    if isinstance(job, Write):
        for key in ("cpu_per_byte", "flush"):
            yield Use((*path, key), not job.synchronous, "without 'synchronous', on what goes through the page cache")
        yield Use((*path, "over"), job.synchronous, "with 'synchronous: true'")
    if isinstance(job, Restore):
        saved = spec.jobs[job.restore]
        whole = isinstance(saved, Backup) and saved.method == "image" and not _to_tape(spec, saved)
        where = "in restores of file_level backups, from tape and from frozen images; an image on disk comes back whole"
        yield Use((*path, "select"), not whole, where)
    restored = any(isinstance(other, Restore) and other.restore == name for other in spec.jobs.values())
    if isinstance(job, NativeBackup):
        yield Use((*path, "engine", "io_depth"), job.buffers is None, "where the job does not say 'buffers'")
        where = "where the job does not say 'transfer_size'"
        yield Use((*path, "engine", "transfer_size"), job.transfer_size is None, where)
    if isinstance(getattr(job, "tool", None), BackupTool):
        for key, (acts, where) in _tool(spec, job, restored).items():
            yield Use((*path, "tool", key), acts, where)


def _tool(spec: Spec, job: Job, restored: bool) -> dict[str, tuple[bool, str]]:
    """Where each part of what a backup program costs acts, and whether this job is such a place."""
    frozen, files = isinstance(job, ImageBackup) and restored, isinstance(job, Backup | ImageBackup)
    database = isinstance(job, DatabaseBackup | BinaryLog)
    mounted = frozen or (isinstance(job, DatabaseBackup) and job.method == "snapshot_copy")
    walks = isinstance(job, Backup) and job.method == "file_level"
    return {
        "start_time": (files or database, "in backups and restores"),
        "mount_time": (mounted, "in snapshot copies and in restores from frozen images"),
        "check_cpu": (database, "in backups of databases"),
        "file_time": (files, "in image, file_level and frozen_image backups and their restores"),
        "file_marks": (_to_tape(spec, job), "in backups to tape"),
        "request": (frozen, "in restores of frozen_image backups"),
        "copy_cpu": (
            frozen or isinstance(job, Backup),
            "in image and file_level backups, and restores from frozen images",
        ),
        "file_cpu": (walks, "in file_level backups"),
        "group_time": (isinstance(job, StartGroup), "in start_group"),
        "index_record": (isinstance(job, SaveIndex), "in save_index"),
        "index_time": (isinstance(job, SaveIndex), "in save_index"),
        "system_state_time": (isinstance(job, SystemState), "in system_state"),
    }
