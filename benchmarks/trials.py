"""What is done with a file that was changed: it is checked, and run if it is right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from simbackup.cli.checking import check_file
from simbackup.errors import InputError, Problem
from simbackup.experiments.reproduce import reproduce
from simbackup.experiments.study_file import read_study
from simbackup.experiments.study_point import outcome_of, resolved
from simbackup.foreign.histories.reports import mapping_of
from simbackup.foreign.measurements.measured_sheet import measured_sheet
from simbackup.foreign.registry import jobs_csv, read_history, read_outputs
from simbackup.planning.goals import judged, read_goals
from simbackup.planning.inventory import site_text
from simbackup.planning.plan import plan
from simbackup.planning.restore import restore
from simbackup.planning.site import load_site
from simbackup.run import simulate
from simbackup.scenario import load

RUNS = 2
"""Runs of a valid study."""
MOST_REPORTS = 4
"""Thousands of steps, five at a time, after which a simulation counts as running."""


class EnoughError(Exception):
    """A run has gone far enough."""


def enough() -> Callable[[float, int, int], None]:
    """Stop a long simulation that runs as it should."""
    times = 0

    def progress(*_: float) -> None:
        nonlocal times
        times += 1
        if times >= MOST_REPORTS:
            raise EnoughError

    return progress


def run_scenario(path: Path) -> None:
    """Simulate a scenario, unless it does nothing."""
    scenario = load(path)
    if scenario.spec.jobs:
        simulate(scenario, progress=enough())


def run_study(path: Path) -> None:
    """Simulate the first runs of a study, and read their figures."""
    for point in read_study(path)[1][:RUNS]:
        outcome_of(point, resolved(point), progress=enough())


def run_measured(path: Path) -> None:
    """Simulate the scenarios of the rows."""
    reproduce([str(path.parent)], intervals=False, workers=1)


def run_site(path: Path, goals: Path | None = None) -> None:
    """Plan the first days of a site and restore it, or compare them with goals."""
    site = load_site(path)
    found = plan(site, "6 days")
    if goals is not None:
        try:
            judged(found, read_goals(str(goals)))
        except InputError as error:  # what they name is known only with the site
            if not all(problem.place.line for problem in error.problems):
                raise
    else:
        list(found.verdicts)
        restore(site, "site", found.until)


def check_goals(path: Path) -> list[Problem]:
    """What is wrong with goals."""
    try:
        read_goals(str(path))
    except InputError as error:
        return list(error.problems)
    return []


def check_systems(path: Path) -> list[Problem]:
    """What is wrong with a list of systems, or with the site that is made of it: its template may be too small."""
    try:
        text = site_text(path)
    except InputError as error:
        return list(error.problems)
    site = path.with_name("made.site.yaml")
    site.write_text(text, encoding="utf-8")
    return [problem for problem in check_file(site) if problem.severity == "error"]


def check_report(path: Path) -> list[Problem]:
    """What is wrong with a report of a backup program, which may have a mapping beside it."""
    mapping = path.with_suffix(".yaml")
    return check_history(path, str(mapping) if mapping.is_file() else "")


def check_mapping(path: Path) -> list[Problem]:
    """What is wrong with a mapping, or with the report beside it."""
    return check_history(path.with_suffix(".csv"), str(path))


def check_history(path: Path, mapping: str = "") -> list[Problem]:
    """What is wrong with a report of a backup program; what it becomes is read again, and is the same."""
    try:
        jobs, _ = read_history([path], mapping_of(mapping) if mapping else None)
        if not jobs:
            return []
        neutral = path.with_name("jobs.csv")
        neutral.write_text(jobs_csv(jobs), encoding="utf-8")
    except InputError as error:
        return list(error.problems)
    again, _ = read_history([neutral])
    if jobs_csv(again) != jobs_csv(jobs):
        raise ValueError(f"{neutral.read_text(encoding='utf-8')[:200]!r} is read as other jobs")
    return []


def check_output(path: Path) -> list[Problem]:
    """What is wrong with the output of a measuring tool, or with the datasheet that is made of it."""
    like = next((like for tool, like in LIKE.items() if path.name.startswith(tool)), LIKE["fio"])
    try:
        measured_sheet(read_outputs([path]), like, path.with_name("ours.yaml"))
    except InputError as error:
        return list(error.problems)
    return []


LIKE = {
    "fio": "ssd/nvme-gen4-2021", "dd": "disk/sata-7200-1tb-2008", "iperf3": "network/gigabit-ethernet",
    "btape": "tape_drive/lto-9",
}  # fmt: skip
"""The datasheet of a like device, by the tool whose output begins with its name."""
