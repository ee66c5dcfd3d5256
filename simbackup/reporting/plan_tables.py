"""The tables of a plan for a page: windows, capacity, cost, restore points, and what losses cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from simbackup.equations.change import YEAR
from simbackup.planning.alike import called
from simbackup.planning.cost import by_year, cost_heads
from simbackup.planning.plan import Plan
from simbackup.planning.restore_points import PolicyPoints
from simbackup.protection.protect import Protection
from simbackup.protection.words import cell_of, odds
from simbackup.reporting.pictures import Shown, plot_picture
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words

QUARTERS = frozenset({1, 4, 7, 10})
"""Months that begin a quarter."""


def windows(plan: Plan) -> ReportTable:
    """How many windows each level of each policy meets."""
    columns = (
        Column("policy"), Column("level"), Column("copy"), Column("nights", "count"), Column("missed", "count"),
        Column("first missed"), Column("longest", "s"),
    )  # fmt: skip
    rows = [
        (
            *(words(part) for part in key), quantity(one.nights, "count"), quantity(one.missed, "count"),
            words(one.first_missed or ""), quantity(one.longest, "s"),
        )
        for key, one in plan.windows.levels.items()
    ]  # fmt: skip
    return ReportTable("Windows", columns, rows, "Windows of backups and copies")


def late(plan: Plan) -> ReportTable:
    """The systems that miss a window, those alike in one line, the first to do so first."""
    columns = (
        Column("system"),
        Column("missed", "count"),
        Column("of nights", "count"),
        Column("first"),
        Column("cause"),
    )
    rows = [
        (
            words(called(systems)), quantity(one.missed, "count"), quantity(one.nights, "count"),
            words(one.first_missed), words(one.cause),
        )
        for systems, one in plan.windows.late()
    ]  # fmt: skip
    return ReportTable("Late systems", columns, rows, "Systems that miss a window")


def stocks(plan: Plan) -> ReportTable:
    """What each target holds at the ends of quarters, with the restore points of the policy that has fewest."""
    targets = plan.site.targets
    columns = [Column("date")]
    for name, target in targets.items():
        heads = (f"{name}: cartridges", f"{name}: bought") if target.tape else (name,)
        columns += [Column(head, "count" if target.tape else "B") for head in heads]
    unrestorable = any(any(day.broken.values()) for day in plan.days)
    heads = ("restore points", *(("not restorable",) if unrestorable else ()))
    columns += [Column(head, "count") for head in heads]
    rows: list[tuple[Cell, ...]] = []
    for i, day in enumerate(plan.days):
        after = plan.days[i + 1].day if i + 1 < len(plan.days) else None
        if after is None or (after.day == 1 and after.month in QUARTERS):
            cells = [words(day.day)]
            for name, target in targets.items():
                stock = day.stocks[name]
                figures = (stock.cartridges, stock.bought) if target.tape else (stock.used,)
                cells += [quantity(each, "count" if target.tape else "B") for each in figures]
            counts = (min(day.points.values()), sum(day.broken.values()))
            rows.append((*cells, *(quantity(each, "count") for each in counts[: len(heads)])))
    return ReportTable("Capacity", tuple(columns), rows, "Capacity in use, at the ends of quarters")


def costs(plan: Plan) -> ReportTable:
    """What each year costs; empty without prices."""
    heads = cost_heads(plan.months)
    columns = (Column("year"), *(Column(head, "1") for head in heads.values()))
    rows = [
        (words(year), *(Cell(f"{sums[key]:,.0f}", sums[key]) for key in heads))
        for year, sums in by_year(plan.months).items()
    ]
    return ReportTable("Cost", columns, rows, "Cost by year")


def belongings(plan: Plan) -> ReportTable:
    """What a site has for its backups and pays for beside storage; empty without prices of it."""
    columns = (
        Column("part"), Column("what"), Column("amount", "1"), Column("price", "1"), Column("paid again after"),
        Column("a year", "1"),
    )  # fmt: skip
    rows = [
        (
            words(one.part), words(one.what), Cell(f"{one.amount:.3g}", one.amount),
            Cell(f"{one.price:,.0f}", one.price),
            words(f"{one.life / YEAR:.3g} years" if one.life is not None and one.price else ""),
            Cell(f"{one.yearly:,.0f}", one.yearly),
        )
        for one in plan.site.expenses
    ]  # fmt: skip
    return ReportTable("Belongings", columns, rows, "What the site has for its backups")


def tables_of_points(found: Iterable[PolicyPoints]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each save set."""
    columns = (
        Column("backup of"), Column("level"), Column("on"), Column("bytes", "B"), Column("needs"), Column("kept by"),
        Column("expires"), Column("freed"),
    )  # fmt: skip
    for one in found:
        rows = [
            (
                words(f"{point.time:%Y-%m-%d %H:%M}"), words(point.level.value.replace("_", " ")),
                words(", ".join(targets)), quantity(point.bytes, "B"), words(point.needs), words(point.kept_by),
                words(_until(point.expires) if point.rules else ""), words(_until(point.freed)),
            )
            for point, targets in one.rows
        ]  # fmt: skip
        count = len(one.restorable)
        caption = f"{count} restore point{'s' * (count != 1)} of {called(one.systems)}"
        yield ReportTable(one.policy, columns, rows, caption)


def _until(moment: datetime | None) -> str:
    return str(moment.date()) if moment is not None else "never"


# pyright: reportUnknownMemberType=false
# (methods of matplotlib leave their settings untyped)


def losses_table(found: Protection) -> ReportTable:
    """A row for each loss with what it costs each group."""
    groups = list(found.groups)
    rows = [
        (words(found.of(groups[0])[i].loss.title), *(words(cell_of(found.of(group)[i])) for group in groups))
        for i in range(len(found.of(groups[0])))
    ]
    caption = f"Data lost on average, for a loss in the 13 weeks before {found.until}"
    return ReportTable("What each loss costs", (Column("loss"), *map(Column, found.named)), rows, caption)


def groups_table(found: Protection) -> ReportTable:
    """A row for each group with its weakest point, and the odds that it loses data."""
    years = f"in {found.horizon:g} years"
    columns = (
        Column("policy"), Column("systems"), Column("weakest point"), Column(f"a day lost {years}"),
        Column(f"all lost {years}"),
    )  # fmt: skip
    rows = [
        tuple(map(words, (name, called(one.group.names), found.weakest[name], odds(one.much), odds(one.everything))))
        for name, one in zip(found.named, found.expected, strict=True)
    ]
    caption = "Probabilities that a system loses more than a day of its data, and all of them, with their ranges"
    return ReportTable("Weakest points", columns, rows, caption)


def matrix_picture(found: Protection) -> Shown:
    """What each loss costs each group, in colours."""
    drawn = found.chart()
    drawn.suptitle("")
    label = "Losses and groups of systems; each field has the words of the table"
    shown = plot_picture("protection", drawn, "What each loss costs each group.", label, titled=True)
    return replace(shown, narrow=shown.wide)
