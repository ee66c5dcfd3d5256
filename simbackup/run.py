"""One simulation: a scenario in, a result out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from pathlib import Path

from simpy.core import EmptySchedule

from simbackup.build import build
from simbackup.collector import seldom
from simbackup.devices.job_queue.live import JobQueue
from simbackup.devices.store import Store
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.errors import InputError, Place, Problem, ResultError, choices
from simbackup.methods.job import Job, start
from simbackup.results.figures import series
from simbackup.results.record import Record
from simbackup.results.result import GOOD, Result, ended_well
from simbackup.results.rows import tables_only
from simbackup.scenario import Scenario, Source, load, names, nothing_to_do
from simbackup.scenario.idle_keys import idle_keys, noted
from simbackup.scenario.spec import Spec
from simbackup.schema import registry
from simbackup.system import Recorded, System
from simbackup.trace.trace import FULL, JOBS, KEEPS, NONE

STEPS_BETWEEN_REPORTS = 5_000
LONGEST = 100_000
"""Records of a simulation up to which it is run only to find keys without effect."""

Progress = Callable[[float, int, int], None]
"""Called now and then with the simulated time in seconds, the runs of jobs that have ended, and those in all."""


class NeverEndsError(InputError):
    """Some jobs never end; the result is that of all others, with what these need under `unfinished`."""

    def __init__(self, problems: Iterable[Problem], result: Result) -> None:
        super().__init__(problems)
        self.result = result


class TooManyRecordsError(Exception):
    """A run was given up that makes more records than were asked for."""


class IdleKeyWarning(UserWarning):
    """Keys of a scenario have no effect in its simulation."""


def simulate(  # noqa: PLR0913
    scenario: Scenario | Source,
    overrides: Mapping[str, object] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    until: str | Collection[str] = (),
    most_records: int | None = None,
    trace: str = FULL,
) -> Result:
    """The result of running a scenario: its jobs, its devices, its trace, and the values that it depends on.

    Parameters
    ----------
    scenario
        A scenario, or anything that `load` accepts: path or name of its file, YAML text, or a mapping.
    overrides
        Values by address that replace those of the file, such as `{"devices.cow.chunk": "16 KiB"}`.
    seed
        Seed of all random streams: the same scenario and seed give the same result, byte for byte.
    progress
        Called from time to time with the progress of the run.
    until
        A job, or several: the run ends when these jobs have ended, and the result has only the jobs that have ended by
        then. By default, all jobs.
    most_records
        Maximum number of records of the trace, beyond which the run is abandoned; no limit by default.
    trace
        What is kept: `full`; `jobs`, only the tables of jobs and devices; `none`, only what jobs report. Explanations
        and most plots need `full`.

    Raises
    ------
    InputError
        The scenario has errors, it has no job with a name in `until`, or a job never ends.
    ResultError
        There is no such `trace`.
    TooManyRecordsError
        The run was abandoned.

    Warns
    -----
    IdleKeyWarning
        Keys of the scenario have no effect; `warnings` of the result lists them. Those of the scenarios that come
        along are known.

    >>> result = simulate("published/003-lvm-snapshots/no-snapshot")
    >>> round(result.get("jobs.dd.elapsed"))
    17
    """
    result = ran(
        scenario, overrides, seed=seed, progress=progress, until=until, most_records=most_records, trace=trace,
        noting_reads=True,
    )  # fmt: skip
    name = scenario.name if isinstance(scenario, Scenario) else scenario
    if result.warnings and not (isinstance(name, str) and name in names()):
        warnings.warn("\n".join(result.warnings), IdleKeyWarning, stacklevel=2)
    return result


@seldom()
def ran(  # noqa: PLR0913
    scenario: Scenario | Source,
    overrides: Mapping[str, object] | None = None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    until: str | Collection[str] = (),
    most_records: int | None = None,
    trace: str = FULL,
    noting_reads: bool = False,
) -> Result:
    """The result of running a scenario, as of `simulate`, without warnings of Python.

    Keys without effect are only known if what it reads is noted, which takes a few milliseconds.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario, overrides)
    elif overrides:
        scenario = scenario.with_(overrides)
    if trace not in KEEPS:
        raise ResultError(f"there is no trace '{trace}'; {choices(trace, KEEPS)}")
    until = (until,) if isinstance(until, str) else until
    _check_jobs(scenario, until)
    reads = set[str]() if noting_reads else None
    system, jobs = _built(scenario, seed, reads)
    system.trace.keeps = NONE if trace == NONE else FULL
    runs = sum(job.schedule.runs for job in jobs) if progress is not None else 0
    finished, step = start(system, jobs, until), system.env.step
    steps = 0
    try:
        while not finished.processed:
            step()
            steps += 1
            if steps % STEPS_BETWEEN_REPORTS == 0:
                if progress is not None:
                    progress(system.env.now, len(system.trace.jobs), runs)
                if most_records is not None and system.trace.length > most_records:
                    raise TooManyRecordsError(most_records)
    except EmptySchedule:
        lacking = unfinished(system, jobs)
        result = ended(system, scenario, seed, None)
        result.unfinished = lacking
        raise NeverEndsError([_endless(scenario, system)], result) from None
    result = ended(system, scenario, seed, reads if not until else None)
    if trace == JOBS:
        result.trace = tables_only(result.trace)
    return result


def _check_jobs(scenario: Scenario, until: Collection[str]) -> None:
    """Refuse a scenario without jobs, and names of jobs that it does not have."""
    if not scenario.spec.jobs:
        raise InputError([nothing_to_do(scenario)])
    for name in until:
        if name not in scenario.spec.jobs:
            raise InputError(
                [Problem(Place("simulate"), "until", f"there is no job '{name}'", choices(name, scenario.spec.jobs))]
            )


def _endless(scenario: Scenario, system: System) -> Problem:
    """The problem of a job that others leave nothing of what it needs, for ever."""
    stuck = next((flow for flow in system.network.flows if flow.rate <= 0.0 and flow.name.startswith("jobs.")), None)
    path = tuple(stuck.name.split(".")[:2]) if stuck is not None else ("jobs",)
    message, remedy = "never ends, as others leave nothing of what it needs", "let users and other jobs ask for less"
    return Problem(scenario.tree.find(path)[0].place, ".".join(path), message, remedy)


def unfinished(system: System, jobs: Iterable[Job]) -> dict[str, str]:
    """The jobs that never end, with what each needs and who has it."""
    runs: dict[str, int] = {}
    for record in system.trace.jobs:
        name = series(record.data["job"])
        runs[name] = runs.get(name, 0) + 1
    stuck = [job for job in jobs if runs.get(job.name, 0) < job.schedule.runs]
    names = {job.name for job in stuck}
    needs: dict[str, str] = {}
    for flow in system.network.flows:
        for link in flow.demands if flow.rate <= 0.0 else ():
            others = sorted({_job_of(other.name) for other in link.crossing if other.rate > 0.0} - {_job_of(flow.name)})
            if others or link is flow.bottleneck:
                has = (
                    f", which {' and '.join(map(repr, others))} {'has' if len(others) == 1 else 'have'}"
                    if others
                    else ""
                )
                needs.setdefault(_job_of(flow.name), f"gets nothing of {link.name}{has}")
    for job, cause, activity in system.clock.passing():
        needs.setdefault(_job_of(job), f"{activity} on {cause}" if activity not in cause else cause)
    for queue in system.of(JobQueue).values():
        for job in stuck if queue.waiting else ():
            if queue.name.removeprefix("devices.") in job.schedule.queues:
                needs.setdefault(job.name, f"waits for its turn in {queue.name}")
    for job in stuck:
        before = [name for name in job.schedule.after if name in names]
        needs.setdefault(job.name, f"waits for '{before[0]}'" if before else "waits for what others never give back")
    return {job.name: needs[job.name] for job in stuck}


def _job_of(address: str) -> str:
    """The name of a job in its file, from the address of one of its runs."""
    return series(address.removeprefix("jobs."))


def _built(scenario: Scenario, seed: int, reads: set[str] | None) -> tuple[System, list[Job]]:
    """The live system of a scenario and its jobs, with what chance decides; notes what is read of the scenario."""
    if not scenario.spec.chance:
        return build(noted(scenario.spec, reads), seed)
    from simbackup.chance import Chance  # noqa: PLC0415 (most scenarios leave nothing to chance)

    chance = Chance.of(scenario, seed, reads)
    drawn = chance.first()
    system, jobs = build(noted(drawn.spec, reads), seed, chance.clock)
    chance.record(system, drawn)
    return system, [chance.repeated(system, job) for job in jobs]


def ended(system: System, scenario: Scenario, seed: int, reads: AbstractSet[str] | None) -> Result:
    """The result of a live system in which all jobs have ended, and what was read of the scenario, if that was all."""
    for volume in system.of(Volume).values():
        volume.announce()  # users count what they have updated by now
    while system.env.peek() <= system.env.now:  # the rates of the last instant are recorded last
        system.env.step()
    system.network.advance()
    for host in system.hosts.values():
        if host.suspended is not None:
            system.trace.event(system.env.now, host.name, "was down", seconds=system.env.now - host.suspended)
    _summarise(system, scenario.spec)
    if reads is not None and not ended_well(system.trace):
        reads = None  # a key may not have come to have its effect
    result = Result(partial(Record.of, scenario, seed, reads), None, system.trace, made_from=scenario)
    result.reads = reads
    result.crossed = system.crossed
    return result


def warnings_of(scenario: Scenario) -> list[Problem]:
    """Warnings about the keys of a scenario that have no effect in its simulation, which is run to find them.

    Where the simulation is long, or jobs fail in it, a warning says that they are not known.
    """
    try:
        result = ran(scenario, most_records=LONGEST, noting_reads=True)
    except TooManyRecordsError:
        return [_unknown(scenario, "the simulation is long", "'simbackup run' finds them")]
    except NeverEndsError as error:
        return [replace(problem, severity="warning") for problem in error.problems]
    if result.reads is None:
        name, reason = next((row["job"], row["reason"]) for row in result.job_rows if row["status"] not in GOOD)
        return [_unknown(scenario, f"'{name}' does not end well", str(reason))]
    return idle_keys(scenario, result.reads)


def reads_of(scenario: Scenario) -> AbstractSet[str] | None:
    """The addresses of all that a simulation reads of a scenario; None if it is long, or not all jobs end well."""
    try:
        return ran(scenario, most_records=LONGEST, trace=NONE, noting_reads=True).reads
    except (TooManyRecordsError, NeverEndsError):
        return None


def _unknown(scenario: Scenario, why: str, more: str) -> Problem:
    message = f"keys without effect are not looked for, as {why}"
    return Problem(scenario.tree.place, "jobs", message, more, "warning")


def result_of(
    name: str, overrides: Mapping[str, object] | None = None, *, seed: int = 0, progress: Progress | None = None
) -> Result:
    """The result in a folder, or else that of running the scenario of that path or name.

    Raises
    ------
    ResultError
        The folder holds no result, a damaged one, or values are to be replaced in what has been run.
    InputError
        The scenario does not exist, or something is wrong with it.
    """
    from simbackup.results.folder import is_there  # noqa: PLC0415 (most runs have to do with no folder)

    if not is_there(Path(name)):
        return ran(name, overrides, seed=seed, progress=progress, noting_reads=True)
    if overrides:
        raise ResultError(f"{name} is a result, whose values cannot be changed; name its scenario instead")
    return Result.load(name)


def _summarise(system: System, spec: Spec) -> None:
    """Record a summary of each device in the trace."""
    for name, host in system.hosts.items():
        _device(system, f"hosts.{name}.cores", "processor", host.cpu)
    _summarise_devices(system, spec, listed_last=False)
    for name, network in system.networks.items():
        _device(system, f"links.{name}", "network", network.link)
    _summarise_devices(system, spec, listed_last=True)


def _summarise_devices(system: System, spec: Spec, *, listed_last: bool) -> None:
    """Record the use of the links of devices, unless they record it themselves, and what else these record."""
    parts = {name: part for name, part in system.of(object).items() if spec.devices[name].listed_last is listed_last}
    for name, part in parts.items():
        link = getattr(part, "link", None)
        if isinstance(link, Link) and (name in system.of(Store) or not isinstance(part, Recorded)):
            _device(system, f"devices.{name}", registry.kind_of(spec.devices[name]).name, link)
    for part in parts.values():
        if isinstance(part, Recorded):
            part.record(system.trace)


def _device(system: System, address: str, kind: str, link: Link) -> None:
    system.trace.device(
        address, kind, link.busy_s, units=link.units, bytes_moved=link.bytes_moved,
        peak_bytes_per_s=link.peak_bytes_per_s,
    )  # fmt: skip
