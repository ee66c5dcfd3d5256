"""The work of backups that write several copies at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from simbackup.late import changed
from simbackup.methods.file_backup.disk import DiskBackup
from simbackup.methods.file_backup.inline import InlineBackup, Twin
from simbackup.methods.file_backup.objects import ObjectBackup
from simbackup.methods.file_backup.tape import TapeBackup
from simbackup.methods.new_copy import shared
from simbackup.methods.tool.live import Tool
from simbackup.schema.capability import MediaLibrary
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Copying


def inline(backup: DiskBackup | ObjectBackup | TapeBackup, copies: Mapping[str, Copying], spec: Spec) -> InlineBackup:
    """The backup, with the other targets that it writes at the same time.

    The host that reads sends each target its bytes. Targets of one other host get them once, and it passes them on. A
    drive takes them from the buffer into which they were read; for other targets they are copied once more.
    """
    reader = backup if isinstance(backup, DiskBackup) else backup.backup
    first, stored = spec.owner_of(reader.to) or "", shared(reader.reduction).stored
    servers = [spec.owner_of(copy.to) or "" for copy in copies.values()]
    crossed: dict[str, set[str]] = {first: set(reader.networks)}
    twins: list[Twin] = []
    for (name, copy), server in zip(copies.items(), servers, strict=True):
        way = spec.way_to(reader.host, copy.to) or ()
        passed_on = server in crossed and server not in {"", reader.host}
        there = crossed.setdefault(server, set())
        networks = tuple(link for link in way if not (passed_on and link in there))
        there.update(way)
        each = copy.object_size.si if copy.object_size else None
        tool = changed(reader.tool, further_served=(servers.count(server) - 1) / stored)
        connections = int(si_or(copy.connections, 1.0))
        twins.append(Twin(name, copy.to, server, networks, tool, copy.pool, connections, each, passed_on=passed_on))
    sent = [not (twin.passed_on or isinstance(spec.devices[twin.to], MediaLibrary)) for twin in twins]
    passed = [twin.passed_on and twin.server == first for twin in twins]
    tool = changed(reader.tool, further=sum(sent) / stored, further_served=sum(passed) / stored)
    return InlineBackup(_with(backup, tool), tuple(twins))


def _with(backup: DiskBackup | ObjectBackup | TapeBackup, tool: Tool) -> DiskBackup | ObjectBackup | TapeBackup:
    """The backup by another program."""
    if isinstance(backup, DiskBackup):
        return changed(backup, tool=tool)
    return replace(backup, backup=changed(backup.backup, tool=tool))
