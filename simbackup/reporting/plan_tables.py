"""The tables of a plan: windows, systems that miss theirs, capacity, data lost, cost, restore points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from simbackup.equations.change import YEAR
from simbackup.equations.uncertainty import CentralInterval
from simbackup.planning.alike import called
from simbackup.planning.cases import stock_figures
from simbackup.planning.cost import by_year, cost_heads
from simbackup.planning.goals import Goal
from simbackup.planning.intervals import LOST, NOT_ASKED, Sureness, data_lost, matters, windows_missed
from simbackup.planning.plan import Plan, of_quarters
from simbackup.planning.restore_points import PolicyPoints
from simbackup.planning.windows import Windows
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words
from simbackup.units import show_short

BRACKETS = " (90 % intervals in brackets)"
"""What a title says where intervals are known."""
GIGABYTE, TERABYTE = 1e9, 1e12
money = whole = "{:,.0f}".format
"""An amount of money, or a count."""
ALONE = "data alone"
"""A loss after which all targets are still there."""


def time_in_short(seconds: float) -> str:
    """A time with three digits."""
    return show_short(seconds, "s", 3)


def windows(found: Windows, sure: Sureness = NOT_ASKED) -> ReportTable:
    """How many windows each level of each policy meets."""
    columns = (
        Column("policy"), Column("level"), Column("copy"), Column("nights", "count"), Column("missed", "count"),
        Column("first missed"), Column("longest", "s"),
    )  # fmt: skip
    rows = [
        (
            *map(words, key), quantity(one.nights, "count"),
            Cell(f"{whole(one.missed)}{sure.between(windows_missed(key), whole)}", one.missed),
            words(one.first_missed or ""), Cell(time_in_short(one.longest), one.longest),
        )
        for key, one in found.levels.items()
    ]  # fmt: skip
    asked = any(windows_missed(key) in sure.figures for key in found.levels)
    return ReportTable("Windows", columns, rows, f"Windows{BRACKETS * asked}")


def goals(found: Sequence[Goal]) -> ReportTable:
    """Goals beside what was found."""
    columns = (Column("goal"), Column("wanted"), Column("found"), Column("verdict"))
    rows = [tuple(map(words, (*one[:3], "met" if one.met else "missed"))) for one in found]
    return ReportTable("Goals", columns, rows)


def late(plan: Plan) -> ReportTable:
    """The systems that miss a window, those alike in one line, the first to do so first."""
    columns = (
        Column("system"), Column("missed", "count"), Column("of nights", "count"), Column("first"), Column("cause"),
    )  # fmt: skip
    rows = [
        (
            words(called(systems)), quantity(one.missed, "count"), quantity(one.nights, "count"),
            words(one.first_missed), words(one.cause),
        )
        for systems, one in plan.windows.late()
    ]  # fmt: skip
    return ReportTable("Late systems", columns, rows, "Systems that miss a window")


def stocks(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """What each target holds at the ends of quarters, with the restore points of the policy that has fewest."""

    def sized(amount: float) -> str:
        return f"{amount / size:.1f}"

    targets, days = plan.site.targets, list(of_quarters(plan.days))
    most = max((day.stocks[name].used for day in days for name in targets), default=0.0)
    unit, size = ("TB", TERABYTE) if most >= TERABYTE else ("GB", GIGABYTE)
    columns = [Column("date")]
    for name, target in targets.items():
        heads = (f"{name}, cartridges", "bought") if target.tape else (f"{name}, {unit}",)
        columns += [Column(head, "count" if target.tape else "B") for head in heads]
    unrestorable = any(any(day.broken.values()) for day in plan.days)
    heads = ("restore points", *(("not restorable",) if unrestorable else ()))
    columns += [Column(head, "count") for head in heads]
    rows: list[tuple[Cell, ...]] = []
    for day in days:
        cells = [words(day.day)]
        for name, target in targets.items():
            text = whole if target.tape else sized
            cells += [
                Cell(f"{text(amount)}{sure.between(address, text)}", amount)
                for address, amount in stock_figures(plan, day, name).items()
            ]
        counts = (min(day.points.values()), sum(day.broken.values()))
        rows.append((*cells, *(quantity(each, "count") for each in counts[: len(heads)])))
    return ReportTable("Capacity", tuple(columns), rows, f"Capacity in use{BRACKETS * bool(sure.figures)}")


def losses(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """New data that a loss at noon costs on the worst day and on average, of data alone and of each place."""
    columns = (
        Column("loss of"), Column("on the worst day", "s"), Column("which is"), Column("on average", "s"),
        Column("from"),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for one in plan.losses:
        place, day = one["after_loss_of"], one["day"]
        worst, mean = (
            words("everything")
            if day is None
            else Cell(f"{time_in_short(one[key])}{sure.between(data_lost(place, key), time_in_short)}", one[key])
            for key in LOST
        )
        rows.append((words(place or ALONE), worst, words(day or ""), mean, words(one["counted_from"] or "")))
    return ReportTable("Data lost", columns, rows, f"Data lost at noon{BRACKETS * bool(sure.figures)}")


def costs(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """What each year costs, and of hardware all years together; empty without prices."""
    heads, years = cost_heads(plan.months), by_year(plan.months)
    columns = (Column("year"), *(Column(head, "1") for head in heads.values()))
    rows = [
        (words(year), *(Cell(f"{money(sums[key])}{sure.between(f'cost.{year}.{key}', money)}", sums[key])
                        for key in heads))
        for year, sums in years.items()
    ]  # fmt: skip
    if plan.site.expenses and len(rows) > 1:
        in_all = (math.fsum(sums[key] for sums in years.values()) for key in heads)
        rows.append((words("in all"), *(Cell(money(amount), amount) for amount in in_all)))
    return ReportTable("Cost", columns, rows, f"Cost{BRACKETS * bool(sure.figures)}")


def belongings(plan: Plan) -> ReportTable:
    """What a site has for its backups and pays for beside storage; empty without prices of it."""
    columns = (
        Column("part"), Column("what"), Column("amount", "1"), Column("price", "1"), Column("paid again after"),
        Column("a year", "1"),
    )  # fmt: skip
    rows = [
        (
            words(one.part), words(one.what), Cell(f"{one.amount:.3g}", one.amount),
            Cell(money(one.price), one.price),
            words(f"{one.life / YEAR:.3g} years" if one.life is not None and one.price else ""),
            Cell(money(one.yearly), one.yearly),
        )
        for one in plan.site.expenses
    ]  # fmt: skip
    return ReportTable("Belongings", columns, rows, "What the site has for its backups")


def tables_of_points(found: Iterable[PolicyPoints]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each save set on each target."""
    columns = (
        Column("backup of"), Column("level"), Column("on"), Column("bytes", "B"), Column("needs"), Column("kept by"),
        Column("expires"), Column("freed"),
    )  # fmt: skip
    for one in found:
        rows = [
            (
                words(f"{point.time:%Y-%m-%d %H:%M}"), words(point.level.value.replace("_", " ")),
                words(", ".join(targets)), Cell(_bytes(point.spread), point.bytes), words(point.needs),
                words(point.kept_by), words(_until(point.expires) if point.rules else ""), words(_until(point.freed)),
            )
            for point, targets in one.rows
        ]  # fmt: skip
        yield ReportTable(one.policy, columns, rows, _title(one))


def _title(one: PolicyPoints) -> str:
    if not one.points:
        return f"{one.policy}: no restore points yet, of {called(one.systems)}"
    count = len(one.restorable)
    return (
        f"{one.policy}: {count} restore point{'s' * (count != 1)} of {called(one.systems)}, in {len(one.points)} save "
        f"sets with {_bytes(one.spread)}{matters(one.decides)}"
    )


def _bytes(size: CentralInterval) -> str:
    """Bytes with the ends of their interval in brackets, unless they are certain."""
    best, *ends = (show_short(each, "B", 3) for each in size[:3])
    return best if ends == [best] * 2 else f"{best} ({ends[0]} to {ends[1]})"


def _until(moment: datetime | None) -> str:
    return str(moment.date()) if moment is not None else "never"
