"""The command that says what losses cost a site: protect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.of_sites import SiteFile
from simbackup.cli.options import Json, SiteSets, overrides


def protect(  # noqa: PLR0913, PLR0917 (typer reads each as an option)
    site: SiteFile,
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
    from simbackup.cli import counting, show, show_protection  # noqa: PLC0415
    from simbackup.cli.show_plan import plain  # noqa: PLC0415
    from simbackup.planning.site import load_site  # noqa: PLC0415
    from simbackup.protection.losses import read_losses  # noqa: PLC0415
    from simbackup.protection.protect import protect as protected  # noqa: PLC0415

    if drawn is not None:
        from simbackup.output.target import PICTURE, check_file  # noqa: PLC0415

        check_file(drawn, PICTURE)
    wanted = read_losses(losses)
    loaded = load_site(site, overrides(sets or []))
    with counting.nights() as play:
        found = protected(loaded, wanted, until, horizon=horizon, times=times, play=play(loaded))
    if as_json:
        show.json(plain(found.as_dict()))
    else:
        show_protection.protection(found)
    if drawn is not None:
        from simbackup.plots import style  # noqa: PLC0415

        style.write(found.chart(), drawn)
