"""Commands about sites over months: plan init, plan run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simbackup.cli.options import Json, note

SiteFile = Annotated[str, typer.Argument(metavar="SITE", help="A site file, such as site.yaml.")]


def init(
    inventory: Annotated[
        Path, typer.Argument(metavar="INVENTORY", help="A .csv or .xlsx file with a row for each system.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write to this .yaml file.")] = Path(
        "site.yaml"
    ),
    template: Annotated[
        str, typer.Option(help="virtualised, small-office, database-farm or file-services.")
    ] = "virtualised",
) -> None:
    """Write a site file from an inventory, with policies and targets of a template; guesses are marked assumed."""
    from simbackup.errors import ResultError  # noqa: PLC0415
    from simbackup.output.whole import write_whole  # noqa: PLC0415
    from simbackup.planning.inventory import site_text  # noqa: PLC0415

    if out.exists():
        raise ResultError(f"{out} exists; name another file with --out")
    text = site_text(inventory, template)
    write_whole(out, text)
    assumed = text.count("basis: assumed")
    note(f"written to {out}; {assumed} values in it are assumed: look for 'assumed'")


def plan_site(
    site: SiteFile,
    until: Annotated[str, typer.Option(help="How long: a time such as 3y or 18 months, or a date.")] = "3y",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="Write all tables to this .xlsx file, or to this folder."),
    ] = None,
    parquet: Annotated[bool, typer.Option("--parquet", help="Write Parquet instead of CSV to the folder.")] = False,
    as_json: Json = False,
) -> None:
    """Run a site day by day: windows, capacity, cartridges, restore points, cost."""
    from simbackup.cli import show, show_plan  # noqa: PLC0415
    from simbackup.planning.plan import plan as planned  # noqa: PLC0415

    found = planned(site, until)
    if as_json:
        show.json(show_plan.plain(found.as_dict()))
    else:
        show_plan.plan(found)
    if out is not None:
        from simbackup.planning.writing import write_tables  # noqa: PLC0415

        written = write_tables(found.tables(), out, "parquet" if parquet else "csv")
        note(f"written to {written}")
