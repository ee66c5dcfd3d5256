"""Reports: a page on a result, or on a scenario, which is run first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simbackup.errors import InputError, ResultError
from simbackup.experiments.intervals import intervals_of
from simbackup.experiments.what_if import Reasons, reasons
from simbackup.output.target import PAGE, WORKBOOK, check_file
from simbackup.output.whole import write_whole
from simbackup.reporting import sections
from simbackup.reporting.answer import example, restores, telling
from simbackup.reporting.page import Chapter, check_engine, page
from simbackup.reporting.tables import ReportTable, write_excel
from simbackup.results.folder import is_there
from simbackup.results.result import Result
from simbackup.results.rows import whole
from simbackup.run import Progress, ran, result_of
from simbackup.scenario import Scenario, Source
from simbackup.uncertainty.effort import Done, known

What = Result | Scenario | Source


def report(  # noqa: PLR0913
    what: What,
    path: str | Path,
    *,
    overrides: Mapping[str, object] | None = None,
    seed: int = 0,
    intervals: str = "quick",
    reruns: bool = True,
    drawn: bool = True,
    excel: Path | None = None,
    progress: Progress | None = None,
    cases: Done | None = None,
) -> Path:
    """Write a report and return its path: one self-contained HTML page; the same bytes each time.

    Parameters
    ----------
    what
        A result, its folder, or a scenario (or anything that `load` accepts), which is run.
    path
        The file.
    overrides
        Values by address that replace those of the scenario.
    seed
        Seed of all random streams.
    intervals
        Effort for the intervals of jobs: `none`, `quick` (none if the scenario is very large) or `thorough` (hundreds
        of runs).
    reruns
        Also run the scenario without its bottlenecks, and with them twice as fast.
    drawn
        Include pictures.
    excel
        Also write the tables to a workbook.
    progress
        Called now and then with the progress of a run.
    cases
        Called after each run for intervals with how many are done, and how many there will be at most.

    Raises
    ------
    InputError, ResultError
        There is no such result or scenario, a library is missing, a file cannot be written, or intervals are
        asked for and the scenario of a result cannot be run again.
    """
    check_engine()
    known(intervals)
    for file, forms in ((path, PAGE), (excel, WORKBOOK)):
        if file is not None:
            check_file(file, forms)
    if isinstance(what, (list, tuple)):  # a mistake in Python that types find, and notebooks do not
        raise ResultError("a report is of one result or scenario; use study or the page for several")
    found = _loaded(what, overrides)
    if isinstance(found, Result) and intervals == "thorough":
        _check_scenario(found)
    result = found if isinstance(found, Result) else ran(found, overrides, seed=seed, progress=progress)
    chapter = _chapter(result, intervals=intervals, reruns=reruns, drawn=drawn, cases=cases)
    html = page(chapter)
    if excel is not None:
        write_excel(tables_of(chapter), excel)
    return write_whole(path, html)


def _loaded(one: What, overrides: Mapping[str, object] | None) -> Result | Scenario | Source:
    """A result that a folder holds; what is to be run stays what it is."""
    found = result_of(str(one), overrides) if isinstance(one, (str, Path)) and is_there(Path(one)) else one
    if isinstance(found, Result):
        whole(found, "a report")
    return found


def _check_scenario(result: Result) -> None:
    """Check, before any run, that the scenario can be run again, which intervals need."""
    try:
        _ = result.scenario
    except (InputError, ResultError) as error:
        named, first = f"the result of '{result.record.scenario}'", str(error).splitlines()[0]
        raise ResultError(f"{named}: intervals need its scenario, which cannot be run again: {first}") from None


def _chapter(result: Result, *, intervals: str, reruns: bool, drawn: bool, cases: Done | None) -> Chapter:
    """A result, with what further runs show."""
    scenario, note = None, ""
    if reruns or intervals != "none":
        try:
            scenario = result.scenario
        except (InputError, ResultError) as error:
            first = str(error).splitlines()[0]
            note = f"No runs without the bottlenecks, because the scenario cannot be run again: {first}."
    found = explained(result, scenario if reruns else None)
    pictures = []
    if drawn:
        from simbackup.reporting.pictures import pictures as draw  # noqa: PLC0415 (matplotlib is slow to import)

        pictures = list(draw(result))
    widths = intervals_of(result, intervals, cases) if scenario is not None else {}
    return Chapter(result, found, widths, pictures, note)


def explained(result: Result, scenario: Scenario | None) -> dict[str, Reasons]:
    """Why each job with an entry of its own took as long as it did, by its name; see `reasons`."""
    reported = [str(example(item)["job"]) for item in telling(result)]
    return {one.name: one for one in reasons(result, scenario, reported)} if reported else {}


def tables_of(chapter: Chapter) -> list[ReportTable]:
    """The tables of a result for files."""
    result = chapter.result
    every = [sections.jobs(result), restores(result), *(one.table for one in sections.splits(result))]
    every += [sections.devices(result), sections.devices(result, tape=True), sections.users(result)]
    every += [
        sections.assumptions(result.values),
        sections.sources(result.values, result.works),
        sections.values(result),
    ]
    return [one for one in every if one]
