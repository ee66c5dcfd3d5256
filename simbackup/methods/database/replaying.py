"""What a file may say about logs that a restore replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.errors import choices
from simbackup.schema.chosen import Chosen
from simbackup.schema.part import Path

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec
    from simbackup.schema.job import Restoring


def logs_of_data(spec: Spec, data: str) -> Chosen:
    """The jobs that save the log of a database."""
    return Chosen(spec.jobs, lambda job: getattr(job, "method", "") == "binary_log" and job.data == data)


def check_replay(checks: Checks, path: Path, job: Restoring, data: str) -> None:
    """Report replays of what is no log of a database."""
    logs = logs_of_data(checks.spec, data)
    for name in job.replay:
        if name not in logs and not checks.pending((*path, "replay"), "jobs", name):
            message = f"'{name}' is not an incremental backup of '{data}'"
            checks.report((*path, "replay"), message, choices(name, logs))


def check_logs(checks: Checks, path: Path, job: Restoring, data: str) -> None:
    """Report logs that cannot be replayed where a save set of their database comes back, or do not reach it."""
    logs, spec = logs_of_data(checks.spec, data), checks.spec
    devices = dict.fromkeys(str(getattr(spec.jobs[name], "to", "")) for name in job.replay if name in logs)
    target = spec.data.get(job.to or data)
    if not devices or (target is None and not job.discards(spec)):
        return
    if target is None or target.database is None:
        message = f"'{job.to}' is not a database, into which logs could be replayed"
        checks.report((*path, "replay"), message, "leave out the logs, or restore to a data set with 'database:'")
        return
    for device in devices if job.to is not None else ():
        if device in spec.devices:
            checks.connected((*path, "to"), target.on, device)
