"""Commands about many runs: study, reproduce, calibrate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import HoldOut, Intervals, Json, Seed, Wanted, note


def study(  # noqa: PLR0917 (typer reads each as an option)
    name: Annotated[str, typer.Argument(help="File or name of a study, such as planning/snapshot-chunk-size.")],
    seed: Seed = 0,
    workers: Annotated[int, typer.Option(help="Worker processes.", min=1)] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table to this .csv, .parquet, .xlsx or .json file.")
    ] = None,
    intervals: Wanted = Intervals.QUICK,
    as_json: Json = False,
) -> None:
    """Run scenarios over varied values, and print one table with the 90 % interval of each figure."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.experiments.study import study as many  # noqa: PLC0415
    from simbackup.output.target import TABLE, check_file  # noqa: PLC0415

    if out is not None:
        check_file(out, TABLE)
    with show.counting() as counted:
        table = many(name, seed=seed, workers=workers, intervals=intervals.value, progress=counted)
    if intervals is Intervals.QUICK and not table.intervals.cases:
        note("no intervals: the study is large; --intervals thorough computes them, which takes hundreds of runs a row")
    if as_json:
        show.json(list(table.rows))
    else:
        show.study(table)
    if out is not None:
        table.write(out)


def reproduce(  # noqa: PLR0917 (typer reads each as an option)
    document: Annotated[
        list[str] | None,
        typer.Argument(
            help="Documents, such as 003, a collection, such as validation, or folders of your own; default: published."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count rows that are declared off as failures.")] = False,
    left_out: Annotated[
        bool, typer.Option("--cross-validate", help="Predict each row of each fit from its other rows instead.")
    ] = False,
    covering: Annotated[
        bool, typer.Option("--coverage", help="Show how often the 90 % intervals of all measured rows hold instead.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Json = False,
) -> None:
    """Simulate the published measurements, and compare measured with simulated."""
    from simbackup.cli import show, show_published  # noqa: PLC0415
    from simbackup.experiments.reproduce import reproduce as everything  # noqa: PLC0415

    if left_out:
        from simbackup.experiments.cross_validate import cross_validate  # noqa: PLC0415

        show_published.cross_validation(cross_validate(document or []), as_json=as_json, markdown=markdown)
        return
    if covering:
        from simbackup.cli import show_coverage  # noqa: PLC0415
        from simbackup.experiments.coverage import coverage  # noqa: PLC0415

        show_coverage.printed(coverage(), as_json=as_json, markdown=markdown)
        return
    found = everything(document or [])
    if as_json:
        show.json([row.as_dict() for row in found.rows])
    elif markdown:
        show_published.reproduction_markdown(found)
    else:
        show_published.reproduction(found)
    good = all(row.within if strict else row.good for row in found.rows)
    raise typer.Exit(0 if good else 1)


def calibrate(  # noqa: PLR0917 (typer reads each as an option)
    document: Annotated[
        str,
        typer.Argument(help="The document, such as 003, or a folder of your own; with --history, a scenario."),
    ],
    history: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Fit what the 'history' of the scenario names to these jobs, and predict the rest."
        ),
    ] = None,
    hold_out: Annotated[HoldOut, typer.Option(help="Which half of a history is predicted.")] = HoldOut.RANDOM,
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
    from simbackup.experiments.separability import separability  # noqa: PLC0415

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
    from simbackup.cli import show_history  # noqa: PLC0415
    from simbackup.experiments.history_fit import fit_history  # noqa: PLC0415
    from simbackup.foreign.histories.history import read_history  # noqa: PLC0415

    jobs, _ = read_history(files)
    found = fit_history(scenario, jobs, hold_out=hold_out.value, write=not dry_run, seed=seed)
    if as_json:
        show_history.history_fit_json(found)
    else:
        show_history.history_fit(found)
    for each in found.notes:
        note(each)
