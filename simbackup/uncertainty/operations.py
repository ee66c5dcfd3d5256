"""Kinds of operation, by which the errors of the model are counted: a method, or the restore of what a method saved."""

from __future__ import annotations

from simbackup.scenario import Scenario
from simbackup.schema.job import JobSpec, Restoring, Saving
from simbackup.schema.part import Modelled
from simbackup.schema.registry import kind_of

USERS = "users"
"""What users or applications get done beside backups."""


def operation_of(scenario: Scenario, address: str) -> str:
    """The kind of operation that the figure at an address of a result is about.

    >>> from simbackup.scenario import load
    >>> scenario = load("teaching/one-file-from-tape")
    >>> operation_of(scenario, "jobs.full.elapsed"), operation_of(scenario, "jobs.one_file.elapsed")
    ('image', 'restore of image')
    >>> operation_of(scenario, "hosts.filer.cores.busy")
    'hosts'
    """
    job, saved = _jobs_at(scenario, address)
    if job is None:
        section = address.partition(".")[0]
        return USERS if section == "workloads" else section
    if isinstance(job, Restoring) and isinstance(saved, Saving) and job.discards(scenario.spec):
        return "restore of image"  # no files are made
    return f"restore of {saved.kind_of_work()}" if saved is not None else job.kind_of_work()


def parts_of(scenario: Scenario, address: str) -> frozenset[str]:
    """What the job of a figure, or the backup that it restores, has of its own, and the kinds of devices it writes to.

    >>> from simbackup.scenario import load
    >>> sorted(parts_of(load("planning/deduplicated"), "jobs.backup.elapsed"))
    ['compressor', 'deduplication', 'raid', 'tool']
    """
    found, devices = set[str](), scenario.spec.devices
    for job in filter(None, _jobs_at(scenario, address)):
        found |= {name for name, part in job if isinstance(part, Modelled)}
        to: str | tuple[str, ...] | None = getattr(job, "to", None)
        names = (to,) if isinstance(to, str) else to or ()
        found |= {kind_of(devices[name]).name for name in names if name in devices}
    return frozenset(found)


def _jobs_at(scenario: Scenario, address: str) -> tuple[JobSpec | None, JobSpec | None]:
    """The job of a figure, and that which it restores; None without one."""
    job = _job_at(scenario, address)
    return job, scenario.spec.jobs.get(job.restore) if isinstance(job, Restoring) else None


def _job_at(scenario: Scenario, address: str) -> JobSpec | None:
    """The job of a figure, None if it is not of a job; of a fleet the first one."""
    section, _, rest = address.partition(".")
    if section == "fleets":
        section, _, rest = _first_of_fleet(scenario, rest.partition(".")[0]).partition(".")
    return scenario.spec.jobs.get(rest.partition(".")[0]) if section == "jobs" else None


def _first_of_fleet(scenario: Scenario, fleet: str) -> str:
    """The address of the first job of a fleet, empty if it has none."""
    own = [parts for template, parts in scenario.fleets.items() if template.startswith(f"fleets.{fleet}.")]
    return next((part for parts in own for part in parts if part.startswith("jobs.")), "")
