"""Commands about many runs: study, reproduce, calibrate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import (
    HoldOut,
    Intervals,
    Into,
    Json,
    Picture,
    Scheduler,
    Seed,
    Sets,
    Wanted,
    Workers,
    note,
    overrides,
)

MOST_BAD = 10
"""Most points that could not be run that are listed."""


def study(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    name: Annotated[str, typer.Argument(help="File or name of a study, such as planning/snapshot-chunk-size.")],
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    into: Into = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table to this .csv, .parquet, .xlsx or .json file.")
    ] = None,
    intervals: Wanted = Intervals.QUICK,
    as_json: Json = False,
) -> None:
    """Run scenarios over varied values, and print one table with the 90 % interval of each figure.

    With --into, an interrupted study resumes, and points that have not changed are not run again.
    """
    from simbackup.cli import show, show_study  # noqa: PLC0415
    from simbackup.cli.counting import counting  # noqa: PLC0415
    from simbackup.experiments.study import study as many  # noqa: PLC0415
    from simbackup.output.target import TABLE, check_file  # noqa: PLC0415

    if out is not None:
        check_file(out, TABLE)
    with counting() as counted:
        table = many(
            name, seed=seed, workers=workers, scheduler=scheduler, into=into, intervals=intervals.value,
            progress=counted, note=note,
        )  # fmt: skip
    if intervals is Intervals.QUICK and not table.between.cases:
        note("no intervals: the study is large; --intervals thorough computes them, in hundreds of runs for each row")
    show.answer(lambda: list(table.rows), lambda: show_study.study(table), as_json=as_json)
    if out is not None:
        table.write(out)
    if table.bad:
        note(f"{len(table.bad)} points could not be run:")
        for one in table.bad[:MOST_BAD]:
            note(f"  {one}")
        if len(table.bad) > MOST_BAD:
            note(f"  and {len(table.bad) - MOST_BAD} others; the column 'failed' says why")
        raise typer.Exit(1)


def sensitivity(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    scenario: Annotated[str, typer.Argument(help="File or name of a scenario.")],
    figure: Annotated[
        str | None,
        typer.Argument(
            metavar="[ADDRESS]",
            help="A figure, such as jobs.full.elapsed; default: the elapsed time of the longest job.",
        ),
    ] = None,
    sets: Sets = None,
    seed: Seed = 0,
    samples: Annotated[
        int,
        typer.Option(
            metavar="N", help="Sample size of Sobol' indices, a power of two; 0 leaves them out.", min=0, max=2**16
        ),
    ] = 64,
    walks: Annotated[
        int, typer.Option(metavar="N", help="Walks of the Morris screening; 0 leaves it out.", min=0, max=1000)
    ] = 10,
    workers: Workers = None,
    scheduler: Scheduler = None,
    into: Into = None,
    out: Picture = None,
    as_json: Json = False,
) -> None:
    """Show which inputs a figure depends on, and how much its interval narrows if you measure the first of them."""
    from simbackup.cli import show, show_study  # noqa: PLC0415
    from simbackup.cli.counting import counting  # noqa: PLC0415
    from simbackup.experiments.sensitivity import sensitivity as answer  # noqa: PLC0415
    from simbackup.output.target import PICTURE, check_file  # noqa: PLC0415

    if out is not None:
        check_file(out, PICTURE)
    with counting() as counted:
        found = answer(
            scenario, figure, overrides(sets or []), seed=seed, samples=samples, walks=walks, workers=workers,
            scheduler=scheduler, into=into, progress=counted, note=note,
        )  # fmt: skip
    show.answer(found.as_dict, lambda: show_study.sensitivity(found), as_json=as_json)
    if out is not None:
        from simbackup.plots import style  # noqa: PLC0415 (matplotlib is an extra)

        style.write(found.plot.tornado(), out)
        note(f"written to {out}")


def reproduce(
    document: Annotated[
        list[str] | None,
        typer.Argument(
            help="Documents, such as 003, a collection, such as validation, or folders of your own; default: published."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count rows that are declared off as failures.")] = False,
    left_out: Annotated[
        bool, typer.Option("--cross-validate", help="Instead, predict each fitted row from the others.")
    ] = False,
    covering: Annotated[
        bool, typer.Option("--coverage", help="Instead, show how often 90 % intervals contain the measured value.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Simulate the published measurements, and compare the results with the measured values."""
    from simbackup.cli import show, show_published  # noqa: PLC0415
    from simbackup.experiments.reproduce import reproduce as everything  # noqa: PLC0415

    if left_out:
        from simbackup.experiments.identifiability import cross_validate  # noqa: PLC0415

        show_published.cross_validation(cross_validate(document or []), as_json=as_json, markdown=markdown)
        return
    if covering:
        from simbackup.experiments.coverage import coverage  # noqa: PLC0415

        show_published.coverage(coverage(), as_json=as_json, markdown=markdown)
        return
    found = everything(document or [])
    if as_json:
        show.json([row.as_dict() for row in found.rows])
    elif markdown:
        show.line(show_published.markdown(found).removesuffix("\n"))
    else:
        show_published.reproduction(found)
    good = all(row.within if strict else row.good for row in found.rows)
    raise typer.Exit(0 if good else 1)


def calibrate(
    document: Annotated[
        str,
        typer.Argument(help="The document, such as 003, or a folder of your own; with --history, a scenario."),
    ],
    history: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Fit the constants under 'history' of the scenario to these jobs."),
    ] = None,
    hold_out: Annotated[
        HoldOut, typer.Option(help="Which half of the history to predict; the constants are fitted to the rest.")
    ] = HoldOut.RANDOM,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do not write the datasheets.")] = False,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Fit constants to measured rows or to a history, report which are not identifiable, and write the datasheets."""
    if history:
        _calibrate_history(document, history, hold_out, dry_run=dry_run, seed=seed, as_json=as_json)
        return
    from simbackup.cli import show_published  # noqa: PLC0415
    from simbackup.experiments.calibrate import calibrate as fit  # noqa: PLC0415
    from simbackup.experiments.identifiability import separability  # noqa: PLC0415

    found = fit(document, write=not dry_run, seed=seed)
    apart = separability(document, found, seed=seed)
    if as_json:
        show_published.fits_json(found, apart)
    else:
        show_published.fits(found, apart)


def _calibrate_history(
    scenario: str, files: list[Path], hold_out: HoldOut, *, dry_run: bool, seed: int, as_json: bool
) -> None:
    """Fit what a scenario's history names, and print how well it predicts the jobs that were held back."""
    from simbackup.cli import show_published  # noqa: PLC0415
    from simbackup.experiments.history_fit import fit_history  # noqa: PLC0415
    from simbackup.foreign.registry import read_history  # noqa: PLC0415

    jobs, notes = read_history(files)
    found = fit_history(scenario, jobs, hold_out=hold_out.value, write=not dry_run, seed=seed)
    if as_json:
        show_published.history_fit_json(found)
    else:
        show_published.history_fit(found)
    for each in (*notes, *found.notes):
        note(each)
