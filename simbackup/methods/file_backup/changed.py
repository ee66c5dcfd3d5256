"""From keys to numbers: how much has changed since the last backup to a deduplicating store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.data.change import change_of
from simbackup.equations.change import differs
from simbackup.methods.deduplication.make import Changed
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.methods.file_backup.spec import FileBackupSpec


def changed_by(job: FileBackupSpec, data: DataSpec, last: float | None = None) -> Changed | None:
    """How data have changed since the backup on which this one is based, or since the store got them, if that is later.

    The store got them so many seconds ago; unless given, what the backup says of it counts. None if nothing is known.
    """
    age, change, said = job.base_age(), change_of(data.change), job.deduplication
    if last is None and said is not None and said.last is not None:
        last = said.last.si
    ages = [each for each in (age, last) if each is not None]
    if change is None or data.change is None or not ages:
        return None
    size = max(data.size.si, 1.0)
    least = 1.0 / size  # a byte, as `portion` has it
    files = change_of(data.change, size / si_or(data.files, 1.0)) or change
    share = max(differs(change, min(ages)), least)
    sent = 1.0 if age is None else max(differs(files if job.method == "file_level" else change, age), least)
    return Changed(change, si_or(data.change.run, size), sent, share)
