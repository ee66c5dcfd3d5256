"""The tables of a plan for a page: windows, systems that miss theirs, capacity by quarter, cost by year."""

from __future__ import annotations

from collections.abc import Iterator

from simbackup.planning.alike import called
from simbackup.planning.cost import by_year
from simbackup.planning.plan import Plan
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words

QUARTERS = frozenset({1, 4, 7, 10})
"""Months that begin a quarter."""


def tables_of_plan(plan: Plan) -> Iterator[ReportTable]:
    """The tables of a plan that say anything."""
    yield from filter(None, (windows(plan), late(plan), stocks(plan), costs(plan)))


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
    years = by_year(plan.months)
    currency = plan.months[0].currency if plan.months else ""
    columns = (
        Column("year"), Column("pools", "1"), Column("cartridges", "1"), Column("object storage", "1"),
        Column(f"total, {currency}", "1"),
    )  # fmt: skip
    rows = [(words(year), *(Cell(f"{each:,.0f}", each) for each in sums)) for year, sums in years.items()]
    return ReportTable("Cost", columns, rows, "Cost by year")
