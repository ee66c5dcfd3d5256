"""Check, before any run, that the result of a scenario will have the figures that a study or a measured row names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from simbackup.build import schedule_of
from simbackup.errors import choices
from simbackup.results.figures import job_figures, series
from simbackup.scenario import Scenario
from simbackup.schema.part import Part

WORDS = ("status", "reason", "cause")
"""What a study may show of a job besides its figures."""
SECTIONS = ("hosts", "links", "devices", "data", "workloads", "jobs", "fleets")


def unknown(scenario: Scenario, names: Sequence[str], words: Sequence[str] = ()) -> Iterator[tuple[int, str, str]]:
    """The addresses that the result of a scenario will not have: number in the list, the problem, and the remedy.

    `words` are what jobs may be asked for besides their figures.
    """
    values, parts = {value.address for value in scenario.values}, _Parts(scenario)
    for i, address in enumerate(names):
        section, _, rest = address.partition(".")
        if address in values:
            continue
        if section not in SECTIONS:
            found = choices(section, SECTIONS)
        elif section == "jobs":
            found = _of_job(scenario, rest, words)
        elif section == "workloads":
            found = _of_workload(scenario, rest)
        elif section == "fleets":
            found = _of_fleet(scenario, address)
        else:
            found = _of_part(parts, section, rest)
        if found and section == "jobs" and not _of_job(scenario, rest, WORDS):
            job = scenario.spec.jobs[_job_of(scenario, rest)]
            yield i, f"'{address}' is text, not a number", f"choose from: {', '.join(sorted(job.figures()['']))}"
        elif found:
            yield i, f"there is no figure '{address}'", found


def _of_job(scenario: Scenario, rest: str, words: Sequence[str]) -> str:
    """What would be right in place of a wrong figure of a job; empty where the figure is right."""
    jobs = scenario.spec.jobs
    run, _, column = rest.rpartition(".")
    name = _job_of(scenario, rest)
    if name not in jobs:
        return choices(name, jobs)
    job = jobs[name]
    if getattr(job, "exists", False):
        return "what it saved exists at the start, and the job does not run; ask for another job"
    if job.every is None and run != name:
        return f"the job runs once: jobs.{name}.{column}"
    if job.every is not None and run == name:
        return f"the job is repeated: jobs.{name}.1.{column}"
    runs = schedule_of(job).runs
    if run != name and not _counted(run.removeprefix(f"{name}."), runs):
        return f"the job runs {runs} times: jobs.{name}.1.{column}"
    return _column(column, (*job.figures()[""], *words))


def _job_of(scenario: Scenario, rest: str) -> str:
    """The job that a figure is asked of, or of one of whose runs."""
    run = rest.rpartition(".")[0]
    return run if run in scenario.spec.jobs else series(run)


def _counted(text: str, most: int) -> bool:
    """Whether a text is a number from 1 on, as runs of a job are numbered."""
    return text.isascii() and text.isdigit() and len(text) <= len(str(most)) and text[0] != "0" and int(text) <= most


def _of_workload(scenario: Scenario, rest: str) -> str:
    spec = scenario.spec
    users, _, rest = rest.partition(".")
    if users not in spec.workloads:
        return choices(users, spec.workloads)
    run, _, column = rest.rpartition(".")
    if not run or series(run) not in spec.jobs:
        return f"write workloads.{users}.JOB.lost; {choices(run, spec.jobs)}"
    return _of_job(scenario, f"{run}.end", ()) or _column(column, spec.workloads[users].figures()[""])


def _of_fleet(scenario: Scenario, address: str) -> str:
    owner, _, column = address.rpartition(".")
    parts = {name: parts for name, parts in scenario.fleets.items() if f"{name}.".startswith(f"{owner}.")}
    if not parts:
        return choices(owner, {".".join(name.split(".")[:2]) for name in scenario.fleets})
    if not any(part.startswith("jobs.") for each in parts.values() for part in each):
        return "only fleets with jobs have figures"
    return _column(column, job_figures(()))


class _Parts:
    """The figures of devices, hosts, links and data sets, each of which is asked once."""

    def __init__(self, scenario: Scenario) -> None:
        self.spec = scenario.spec
        self.values: dict[str, set[str]] = {}
        for value in scenario.values:
            section, _, rest = value.address.partition(".")
            name, _, inside = rest.partition(".")
            self.values.setdefault(f"{section}.{name}", set()).add(inside)
        windows = any("window" in job.figures()[""] for job in self.spec.jobs.values())
        self.within = ("busy_window",) if windows else ()
        self.known: dict[str, set[str]] = {}

    def figures(self, section: str, name: str) -> set[str]:
        """The figures of one part, and its values."""
        owner = f"{section}.{name}"
        if owner not in self.known:
            part: Part = getattr(self.spec, section)[name]
            self.known[owner] = self.values.get(owner, set()) | {
                f"{piece}.{column}".lstrip(".")
                for piece, columns in part.figures().items()
                for column in (*columns, *(self.within if "busy" in columns else ()))
            }
        return self.known[owner]


def _of_part(parts: _Parts, section: str, rest: str) -> str:
    """What would be right in place of a wrong figure of a device, host, link or data set, or of something in one."""
    named: Mapping[str, Part] = getattr(parts.spec, section)
    name, _, inside = rest.partition(".")
    return _column(inside, parts.figures(section, name)) if name in named else choices(name, named)


def _column(column: str, columns: Collection[str]) -> str:
    return "" if column in columns else choices(column, columns)
