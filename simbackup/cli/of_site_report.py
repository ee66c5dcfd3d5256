"""The command that reports on a site: plan report."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.of_sites import SiteName, Until, load, planned
from simbackup.cli.options import Intervals, Json, SiteSets, Wanted, note
from simbackup.policies.calendar import HORIZON


def report_site(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write a page (.html), a PDF (.pdf, printed by an installed Chromium, Chrome or Edge), or all tables "
            "(.xlsx); may be repeated. report.html by default.",
        ),
    ] = None,
    until: Until = HORIZON,
    goals: Annotated[str | None, typer.Option(metavar="FILE", help="Compare the plan with these goals.")] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="DATE|TIME", help="When everything is restored; a year after the start by default."),
    ] = None,
    lost: Annotated[
        list[str] | None,
        typer.Option(
            "--after-loss-of",
            metavar="NAME",
            help="A target or a place that is lost before everything is restored; may be repeated. By default, the "
            "place of the first target, if there are others.",
        ),
    ] = None,
    intervals: Wanted = Intervals.QUICK,
    every_night: Annotated[
        bool, typer.Option("--every-night", help="Simulate every night, which takes longer.")
    ] = False,
    sets: SiteSets = None,
) -> None:
    """Write a page for a manager: verdicts, what decides, recovery, cost, and the assumptions with their sources.

    The page is one file that loads nothing else.
    """
    from simbackup.errors import InputError, Place, Problem  # noqa: PLC0415
    from simbackup.experiments.processes import worker_processes  # noqa: PLC0415
    from simbackup.output.target import PAGE, PRINT, WORKBOOK, check_file  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415
    from simbackup.planning.goals import judged, read_goals  # noqa: PLC0415
    from simbackup.planning.intervals import sureness  # noqa: PLC0415
    from simbackup.planning.restore import moment_of, restore  # noqa: PLC0415
    from simbackup.planning.writing import write_tables  # noqa: PLC0415
    from simbackup.policies.calendar import end_of, moment_at  # noqa: PLC0415
    from simbackup.reporting.page import (  # noqa: PLC0415
        browser,
        check_engine,
        printed,
    )
    from simbackup.reporting.site_report import site_page, site_tables, usual_losses  # noqa: PLC0415

    check_engine()
    outputs = {path: check_file(path, (*PAGE, *PRINT, *WORKBOOK)) for path in out or [Path("report.html")]}
    if "pdf" in outputs.values():
        browser()
    wanted = None if goals is None else read_goals(goals)
    loaded = load(site, sets)
    losses = lost if lost is not None else usual_losses(loaded)
    for name in losses:
        loaded.lost_with(name)
    moment = None if at is None else moment_at(loaded.start, at)
    last = end_of(loaded.start, until)
    day = moment_of(loaded, moment or min(last, end_of(loaded.start, "1y")))
    if day.date() > last:
        message, remedy = f"{day.date()} is after the end of the plan", f"the plan ends on {last}"
        raise InputError([Problem(Place("--at"), "", message, remedy)])
    found = planned(loaded, until, every_night=every_night)
    with worker_processes(1 if intervals is Intervals.NONE else os.cpu_count() or 1) as executor:
        sure = sureness(found, intervals.value, executor)
    recoveries = [
        restore(loaded, "site", day, name, intervals=intervals.value, nights=found.nights, explain=True)
        for name in losses
    ]
    goals_met = None if wanted is None else judged(found, wanted)
    page = site_page(found, sure, recoveries, goals_met)
    for path, form in outputs.items():
        if form == "xlsx":
            write_tables(site_tables(found, sure, recoveries, goals_met), path)
        else:
            write_whole(path, printed(page) if form == "pdf" else page)
    note(f"written to {' and '.join(map(str, outputs))}")


def protect(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteName,
    losses: Annotated[
        str | None, typer.Option(metavar="FILE", help="Losses of your own, a YAML file; the usual ones count, too.")
    ] = None,
    until: Annotated[
        str, typer.Option(metavar="TIME|DATE", help="Losses strike in the last 13 weeks before: a time or a date.")
    ] = "1y",
    times: Annotated[
        bool, typer.Option("--times/--no-times", help="Simulate restores, which takes most of the time.")
    ] = True,
    horizon: Annotated[
        float, typer.Option(metavar="YEARS", min=0.01, max=1000.0, help="Years for which probabilities are given.")
    ] = 10.0,
    drawn: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw what each loss costs each group as .svg, .png or .pdf."),
    ] = None,
    sets: SiteSets = None,
    as_json: Json = False,
) -> None:
    """Show what each loss costs a site, and how often: which copy survives, data lost, time to service."""
    from simbackup.cli import counting, show  # noqa: PLC0415
    from simbackup.protection.losses import read_losses  # noqa: PLC0415
    from simbackup.protection.protect import protect as protected  # noqa: PLC0415
    from simbackup.reporting.protection_tables import tables_of_protection  # noqa: PLC0415

    if drawn is not None:
        from simbackup.output.target import PICTURE, check_file  # noqa: PLC0415

        check_file(drawn, PICTURE)
    wanted = read_losses(losses)
    loaded = load(site, sets)
    with counting.nights() as play:
        found = protected(loaded, wanted, until, horizon=horizon, times=times, play=play(loaded))
    show.answer(
        found.as_dict,
        lambda: show.report_tables(found.site.file.spec.title, tables_of_protection(found)),
        as_json=as_json,
    )
    if drawn is not None:
        from simbackup.plots import style  # noqa: PLC0415

        style.write(found.figure(), drawn)
