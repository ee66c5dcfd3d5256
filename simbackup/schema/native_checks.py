"""What has to agree between a database, its own server's backup, and the restore of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.database_checks import Path, Reporter
from simbackup.schema.devices import BLOCK_KINDS, Nul
from simbackup.schema.jobs import NativeBackup, Restore
from simbackup.schema.places import owner_of, way_to

STEP = 64 * 1024
MOST = 4 * 1024 * 1024
"""Bytes of which a transfer size is a multiple, and that it is at most."""
MOST_TRANSFERS = 100_000
"""Transfers that are simulated one by one at most: each takes about a millisecond and some lines of the trace."""


class Checker(Reporter, Protocol):
    """What also knows names and owners."""

    def name(self, path: Path, name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones."""
        ...

    def owned(self, path: Path, device: str, key: str = "data") -> None:
        """A host owns a device."""
        ...


def native_backup(checks: Checker, path: Path, job: NativeBackup) -> None:
    """The data lie at one host, the files can be reached, the buffers have a legal size, and compression compresses."""
    spec = checks.spec
    if not job.data or not job.to:
        key = "to" if job.data else "data"
        checks.report((*path, key), "names nothing", "name at least one")
    for name in dict.fromkeys(name for name in job.data if job.data.count(name) > 1):
        checks.report((*path, "data"), f"names '{name}' more than once", "leave it out")
    known = [name for name in job.data if checks.name((*path, "data"), name, spec.data, "data set")]
    for name in known:
        checks.owned(path, spec.data[name].on)
        ratio = spec.data[name].compression
        if job.compress and ratio is not None and ratio.si < 1.0:
            message = f"'{name}' would grow: its compression is below 1"
            checks.report((*path, "compress"), message, f"correct data.{name}.compression")
    hosts = list({owner: None for name in known if (owner := owner_of(spec, spec.data[name].on)) is not None})
    if len(hosts) > 1:
        checks.report((*path, "data"), "the data belong to several hosts", "name data of one host")
    _files(checks, path, job, hosts[0] if len(hosts) == 1 else None)
    for size, key in ((job.transfer_size, "transfer_size"), (job.engine.transfer_size, "engine.transfer_size")):
        if size is not None and (size.si % STEP or size.si > MOST):
            shown = units.show_short(size.si, "B")
            checks.report((*path, *key.split(".")), f"{shown} is no multiple of 64 KiB up to 4 MiB", "write 1 MiB")
    if job.rounds == "by_event":
        _few_transfers(checks, path, job)
    elif job.service_times is not None:
        checks.report((*path, "service_times"), "says nothing of the steady state", "write 'rounds: by_event', too")


def native_restore(checks: Checker, path: Path, job: Restore, saved: NativeBackup) -> None:
    """All comes back, to where it was, in the way of its backup; few enough transfers where it is by event."""
    for key in ("select", "to", "replay", "streams"):
        if getattr(job, key):
            checks.report((*path, key), "says nothing of a database that its own server restores", "leave it out")
    if job.rounds == "by_event":
        _few_transfers(checks, path, saved)


def _few_transfers(checks: Checker, path: Path, job: NativeBackup) -> None:
    """What is asked for event by event is few enough transfers."""
    size = (job.transfer_size or job.engine.transfer_size).si
    known = [checks.spec.data[name].size.si for name in job.data if name in checks.spec.data]
    transfers = sum(-int(-each // size) for each in known)
    if transfers > MOST_TRANSFERS:
        message = f"by event it is {transfers:,} transfers, more than {MOST_TRANSFERS:,}"
        checks.report((*path, "rounds"), message, "leave it at 'steady', which is as good for so many")


def _files(checks: Checker, path: Path, job: NativeBackup, host: str | None) -> None:
    """Each backup file goes to a disk that can be reached, or to nul."""
    spec = checks.spec
    legal = [n for n, d in spec.devices.items() if isinstance(d, (*BLOCK_KINDS, Nul))]
    for name in job.to:
        if checks.pending((*path, "to"), "devices", name):
            continue
        if name not in legal:
            what = "takes no backup file" if name in checks.named("devices") else "is not among the devices"
            checks.report((*path, "to"), f"'{name}' {what}", choices(name, legal))
        elif host is not None and not isinstance(spec.devices[name], Nul) and way_to(spec, host, name) is None:
            remedy = f"let a link join '{host}' and the host of '{name}'"
            checks.report((*path, "to"), f"there is no way from '{host}' to '{name}'", remedy)
