"""Check, before any run, that the scenarios of a study can have the figures that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from simbackup.errors import choices
from simbackup.results.fleet_figures import job_figures, series
from simbackup.scenario import Scenario
from simbackup.scenario.fleets import Fleets
from simbackup.schema.job import JobSpec

WORDS = ("status", "reason", "cause")
"""What a study may show of a job besides its figures."""
JOB = ("start", "end", "elapsed", "bytes", "files", "rate", "waits", "lock", "due", "window", "buffers")
DEVICE = ("busy", "busy_s", "bytes", "peak", "active", "saturated")
COLUMNS = {
    "devices": (*DEVICE, "copied_bytes", "area_bytes", "used_bytes", "kept_bytes", "breaks"),
    "hosts": (*DEVICE, "down"),
    "links": DEVICE,
    "data": (),
}
"""Figures of parts in results, besides the values from their file."""
FELT = (
    "offered", "rate", "lost", "waited", "mean_wait", "longest_wait", "slowdown", "network_wait", "timed_out",
)  # fmt: skip


def unknown(scenario: Scenario, show: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """The addresses that no result of a scenario has: their numbers in the list, the problem, and the remedy.

    An address that depends on the course of a run is accepted.
    """
    values = {value.address for value in scenario.values}
    for i, address in enumerate(show):
        if address in values:
            continue
        section, _, rest = address.partition(".")
        if section in COLUMNS:
            found = _of_part(scenario, section, rest)
        else:
            found = _MORE[section](scenario, rest) if section in _MORE else choices(section, (*COLUMNS, *_MORE))
        if found:
            yield i, f"there is no figure '{address}'", found


def _of_jobs(scenario: Scenario, rest: str) -> str:
    """What would be right in place of a wrong figure of a job; empty where the figure is right."""
    run, _, column = rest.rpartition(".")
    name = series(run)
    job = scenario.spec.jobs.get(run if name not in scenario.spec.jobs else name)
    if job is None:
        return choices(name, scenario.spec.jobs)
    if job.every is None and run != name:
        return f"the job runs once: jobs.{name}.{column}"
    if job.every is not None and run == name:
        return f"the job is repeated: jobs.{name}.1.{column}"
    return _column(column, (*JOB, *WORDS))


def _of_workloads(scenario: Scenario, rest: str) -> str:
    users, _, rest = rest.partition(".")
    if users not in scenario.spec.workloads:
        return choices(users, scenario.spec.workloads)
    run, _, column = rest.rpartition(".")
    if column in DEVICE and not run:
        return ""
    jobs: Mapping[str, JobSpec] = scenario.spec.jobs
    if not run or series(run) not in jobs:
        return f"write workloads.{users}.JOB.lost; {choices(run, jobs)}"
    return _column(column, FELT)


def _of_fleets(scenario: Scenario, rest: str) -> str:
    owner, _, column = rest.rpartition(".")
    fleets: Fleets = scenario.fleets
    whole = f"fleets.{owner}"
    if not any(template == whole or template.startswith(f"{whole}.") for template in fleets):
        return choices(whole, {".".join(template.split(".")[:2]) for template in fleets})
    return _column(column, job_figures(()))


_MORE = {"jobs": _of_jobs, "workloads": _of_workloads, "fleets": _of_fleets}


def _of_part(scenario: Scenario, section: str, rest: str) -> str:
    """What would be right in place of a wrong figure of a device, host, link or data set, or of something in one."""
    name, _, inside = rest.partition(".")
    parts: Mapping[str, object] = getattr(scenario.spec, section)
    if name not in parts:
        return choices(name, parts)
    own = f"{section}.{name}."
    values = [v.address.removeprefix(own) for v in scenario.values if v.address.startswith(own)]
    return _column(inside.rpartition(".")[2], (*COLUMNS[section], *values))


def _column(column: str, columns: Mapping[str, object] | Sequence[str]) -> str:
    return "" if column in columns else choices(column, columns)
