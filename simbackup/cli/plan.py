"""The commands of plans. Heavy imports are inside them, so that help is quick."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from simbackup.planning.plan import Plan

SETTINGS = {"help_option_names": ["-h", "--help"]}
plan = typer.Typer(
    help="Plan a site over months: nights, capacity, cartridges, restores and cost.", no_args_is_help=True,
    context_settings=SETTINGS, rich_markup_mode=None,
)  # fmt: skip

SiteFile = Annotated[str, typer.Argument(metavar="SITE", help="A site file, such as site.yaml.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
TERABYTE = 1e12


@plan.command("init")
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
    typer.echo(f"written to {out}; {assumed} values in it are assumed: look for 'assumed'", err=True)


@plan.command("run")
def run(
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
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.planning.plan import plan as planned  # noqa: PLC0415

    found = planned(site, until)
    if as_json:
        show.json(_plain(found.as_dict()))
    else:
        _show(found)
    if out is not None:
        from simbackup.planning.writing import write_tables  # noqa: PLC0415

        written = write_tables(found.tables(), out, "parquet" if parquet else "csv")
        typer.echo(f"written to {written}", err=True)


def _plain(value: Any) -> Any:
    """A value for JSON: dates as text, nothing for what is without bounds."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in cast("list[Any]", value)]
    if isinstance(value, date):
        return value.isoformat()
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def _show(found: Plan) -> None:
    """The plan as tables: what fits until when, capacity by quarter, windows, cost by year."""
    from simbackup.cli import show  # noqa: PLC0415
    from simbackup.units import show_short  # noqa: PLC0415

    title = f"{found.site.file.spec.title}, {found.site.start} to {found.until}"
    rows = [(one.what, str(one.date or "the end"), one.detail) for one in found.limits]
    show.table(("", "fits until", ""), rows, title)
    show.table(
        ("policy", "level", "copy", "nights", "missed", "first missed", "longest"),
        _windows(found), "Windows", right=(3, 4, 6),
    )  # fmt: skip
    late = [one for one in found.clients if one["missed"]]
    if late:
        shown = sorted(late, key=lambda one: (one["first_missed"], one["system"]))
        show.table(
            ("system", "missed", "of nights", "first", "cause"),
            [(o["system"], str(o["missed"]), str(o["nights"]), str(o["first_missed"]), o["cause"]) for o in shown],
            "Systems that miss a window", right=(1, 2),
        )  # fmt: skip
    _stocks(found)
    if found.months:
        years: dict[str, list[float]] = {}
        for month in found.months:
            sums = years.setdefault(month.month[:4], [0.0, 0.0, 0.0, 0.0])
            for i, each in enumerate((month.pools, month.cartridges, month.objects, month.total)):
                sums[i] += each
        head = ("year", "pools", "cartridges", "object storage", f"total, {found.months[0].currency}")
        show.table(head, [(y, *(f"{x:,.0f}" for x in s)) for y, s in years.items()], "Cost", right=(1, 2, 3, 4))
    show.line(
        f"{found.simulated} nights were simulated, the others lie between them; greatest error found: "
        f"{show_short(found.error, '1', 2)} of the longest job"
    )


def _windows(found: Plan) -> list[tuple[str, ...]]:
    from simbackup.units import show_short  # noqa: PLC0415

    rows: dict[tuple[str, str, str], list[Any]] = {}
    for one in found.verdicts:
        row = rows.setdefault((one.policy, one.level, one.copy), [set(), 0, None, 0.0])
        row[0].add(one.night)
        row[1] += not one.met
        row[2] = row[2] or (None if one.met else one.night)
        row[3] = max(row[3], one.elapsed)
    return [
        (*key, str(len(nights)), str(missed), str(first or ""), show_short(longest, "s", 3))
        for key, (nights, missed, first, longest) in rows.items()
    ]


def _stocks(found: Plan) -> None:
    """Stocks at the ends of quarters."""
    from simbackup.cli import show  # noqa: PLC0415

    names = list(found.site.targets)
    head = ["date"]
    for name in names:
        head += [f"{name}, cartridges", "bought"] if found.site.targets[name].tape else [f"{name}, TB"]
    rows: list[tuple[str, ...]] = []
    for i, day in enumerate(found.days):
        after = found.days[i + 1].day if i + 1 < len(found.days) else None
        if after is None or (after.day == 1 and after.month in {1, 4, 7, 10}):
            cells = [str(day.day)]
            for name in names:
                stock = day.stocks[name]
                tape = found.site.targets[name].tape
                cells += [str(stock.cartridges), str(stock.bought)] if tape else [f"{stock.used / TERABYTE:.1f}"]
            rows.append((*cells, *(str(count) for count in day.points.values())))
    head += [f"restore points, {name}" for name in found.days[-1].points]
    show.table(head, rows, "Capacity in use", right=tuple(range(1, len(head))))
