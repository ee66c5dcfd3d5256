"""Kinds of operation, by which the errors of the model are counted: a method, or the restore of what a method saved."""

from __future__ import annotations

from simbackup.scenario import Scenario
from simbackup.schema.job import JobSpec, Restoring, Saving

USERS = "users"
"""What users or applications get done beside backups."""


def operation_of(scenario: Scenario, address: str) -> str:
    """The kind of operation that the figure at an address of a result is about.

    >>> from simbackup.scenario import load
    >>> scenario = load("teaching/one-file-from-tape")
    >>> operation_of(scenario, "jobs.full.elapsed"), operation_of(scenario, "jobs.one_file.elapsed")
    ('image', 'restore of image')
    """
    job = _job_at(scenario, address)
    if job is None:
        return USERS
    saved = scenario.spec.jobs.get(job.restore) if isinstance(job, Restoring) else None
    if isinstance(job, Restoring) and isinstance(saved, Saving) and job.discards(scenario.spec):
        return "restore of image"  # no files are made
    return f"restore of {saved.kind_of_work()}" if saved is not None else job.kind_of_work()


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
