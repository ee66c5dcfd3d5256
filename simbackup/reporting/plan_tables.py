"""The tables of a plan, for a terminal and for pages: windows, capacity, restore points, data lost, and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import groupby

from simbackup.equations.change import YEAR
from simbackup.equations.uncertainty import CentralInterval
from simbackup.planning.cost import TERABYTE, by_year, cost_heads
from simbackup.planning.intervals import LOST, NOT_ASKED, Sureness, data_lost, matters, stock_figures, windows_missed
from simbackup.planning.plan import Plan, of_quarters
from simbackup.planning.restore_points import LogLine, PolicyPoints
from simbackup.planning.windows import Windows, called
from simbackup.reporting.tables import Cell, Column, ReportTable, quantity, words
from simbackup.units import show_short


def _whole(number: float) -> str:
    return f"{number:.0f}"


def money(amount: float) -> str:
    """An amount of money."""
    return f"{amount:,.0f}"


def short_time(seconds: float) -> str:
    """A time in three digits."""
    return show_short(seconds, "s", 3)


def _terabytes(size: float) -> str:
    return f"{size / TERABYTE:.1f}"


def _figure(sure: Sureness, address: str, number: float, text: Callable[[float], str], unit: float = 1.0) -> Cell:
    """A figure with the ends of its interval in brackets, if there is one and both are not as the figure itself."""
    one, shown = sure.figures.get(address), text(number)
    ends = [shown] * 2 if one is None else [text(one.low), text(one.high)]
    return Cell(shown if ends == [shown] * 2 else f"{shown} ({ends[0]} to {ends[1]})", number / unit)


def _number(number: float) -> Cell:
    return Cell(_whole(number), number)


def _sum(amount: float) -> Cell:
    return Cell(money(amount), amount)


def _with_ends(title: str, sure: Sureness) -> str:
    """The title of a table, and what stands in brackets in it."""
    return f"{title} (in 90 % of cases)" if sure.figures else title


def windows(plan: Plan, sure: Sureness = NOT_ASKED, counted: Windows | None = None) -> ReportTable:
    """How many windows each level of each policy meets, in all nights or in those that were `counted`."""
    columns = (
        Column("policy"), Column("level"), Column("copy"), Column("nights", "count"), Column("missed", "count"),
        Column("first missed"), Column("longest", "s"),
    )  # fmt: skip
    rows = [
        (
            *map(words, key), _number(one.nights), _figure(sure, windows_missed(key), one.missed, _whole),
            words(one.first_missed or ""), Cell(short_time(one.longest), one.longest),
        )
        for key, one in (plan.windows if counted is None else counted).levels.items()
    ]  # fmt: skip
    which = "" if counted is None else ", in the nights that were simulated"
    return ReportTable("Windows", columns, rows, f"Windows{which}")


def late(plan: Plan) -> ReportTable:
    """The systems that miss a window, those alike in one line, the first to do so first."""
    columns = (
        Column("system"), Column("missed", "count"), Column("of nights", "count"), Column("first"), Column("cause"),
    )  # fmt: skip
    rows = [
        (words(called(systems)), _number(one.missed), _number(one.nights), words(one.first_missed), words(one.cause))
        for systems, one in plan.windows.late()
    ]
    return ReportTable("Late systems", columns, rows, "Systems that miss a window")


def stocks(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """What each target holds at the ends of quarters, with the restore points of the policy that has fewest."""
    columns = [Column("date")]
    for name, target in plan.site.targets.items():
        heads = ((f"{name}, cartridges", "count"), ("bought", "count")) if target.tape else ((f"{name}, TB", "1"),)
        columns += [Column(*head) for head in heads]
    unrestorable = any(any(day.broken.values()) for day in plan.days)
    heads = ("restore points", *(("not restorable",) if unrestorable else ()))
    columns += [Column(head, "count") for head in heads]
    rows: list[tuple[Cell, ...]] = []
    for day in of_quarters(plan.days):
        figures: list[Cell] = []
        for name, target in plan.site.targets.items():
            text, unit = (_whole, 1.0) if target.tape else (_terabytes, TERABYTE)
            found = stock_figures(plan, day, name)
            figures += [_figure(sure, address, amount, text, unit) for address, amount in found.items()]
        counts = (min(day.points.values()), sum(day.broken.values()))
        rows.append((words(day.day), *figures, *map(_number, counts[: len(heads)])))
    return ReportTable("Capacity", tuple(columns), rows, _with_ends("Capacity in use", sure))


def losses(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """What a loss at noon costs on the worst day and on average, of data alone and of each place, by policy."""
    by_policy = any(one["policy"] for one in plan.losses)
    columns = (
        Column("loss of"), *([Column("policy")] * by_policy), Column("on the worst day", "s"), Column("which is"),
        Column("on average", "s"), Column("from"),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for one in plan.losses:
        place, (worst, mean) = one["after_loss_of"], [words("everything")] * 2
        if one["day"] is not None:
            known = NOT_ASKED if one["policy"] else sure
            worst, mean = (_figure(known, data_lost(place, key), one[key], short_time) for key in LOST)
        policy = [words(one["policy"] or "all")] * by_policy
        rows.append(
            (words(place or ALONE), *policy, worst, words(one["day"] or ""), mean, words(one["counted_from"] or ""))
        )
    if by_policy:  # losses that cost a policy the same are one row
        alike: dict[tuple[Cell, ...], list[str]] = {}
        for loss, *cells in rows:
            alike.setdefault(tuple(cells), []).append(loss.text)
        rows = [(words(", ".join(losses)), *cells) for cells, losses in alike.items()]
    return ReportTable("Data lost", columns, rows, _with_ends("Data lost at noon", sure))


def costs(plan: Plan, sure: Sureness = NOT_ASKED) -> ReportTable:
    """What each year costs, and all of them if the site has more than storage; empty without prices."""
    heads, years = cost_heads(plan.months), by_year(plan.months)
    columns = (Column("year"), *(Column(head, "1") for head in heads.values()))
    rows = [
        (words(year), *(_figure(sure, f"cost.{year}.{key}", sums[key], money) for key in heads))
        for year, sums in years.items()
    ]
    if plan.site.expenses and len(rows) > 1:
        rows.append((words("in all"), *(_sum(math.fsum(sums[key] for sums in years.values())) for key in heads)))
    return ReportTable("Cost", columns, rows, _with_ends("Cost", sure))


def belongings(plan: Plan) -> ReportTable:
    """What a site has for its backups and pays for beside storage; empty without prices of it."""
    columns = (
        Column(""), Column("what"), Column("amount", "1"), Column("price", "1"), Column("paid again after", "s"),
        Column("a year", "1"),
    )  # fmt: skip
    rows = [
        (
            words(one.part), words(one.what), Cell(f"{one.amount:.3g}", one.amount), _sum(one.price),
            Cell(f"{one.life / YEAR:.3g} years", one.life) if one.life is not None and one.price else Cell(""),
            _sum(one.yearly),
        )
        for one in plan.site.expenses
    ]  # fmt: skip
    return ReportTable("Belongings", columns, rows, "What the site has for its backups")


ALONE = "data alone"
"""A loss after which all targets are still there."""
NAMED = 3
"""Dates that are named one by one; of more, the first and the last."""


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
        since = one.logs_since
        logs = f"with backups of logs to any minute from {since:%Y-%m-%d %H:%M} on" if since is not None else ""
        yield ReportTable(_title(one), columns, rows, logs)


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


def tables_of_log(lines: Iterable[LogLine]) -> Iterator[ReportTable]:
    """A table for each policy, with a row for each date and target on which anything happened."""
    heads = ("date", "on", "made", "merged", "expired", "freed", "held only by its chain")
    columns = (*map(Column, heads), Column("points", "count"))
    for policy, group in groupby(lines, key=lambda line: line.policy):
        rows = [
            (
                *map(words, (line.date, line.target, _made(line))),
                *map(words, map(_dates, (line.merged, line.expired, line.freed, line.held))),
                quantity(line.points, "count"),
            )
            for line in group
        ]  # fmt: skip
        yield ReportTable(policy, columns, rows)


def _made(line: LogLine) -> str:
    level = line.made.value.replace("_", " ") if line.made is not None else ""
    return f"copy of {level}" if level and line.copy else level


def _dates(times: Sequence[datetime]) -> str:
    """Dates in few words.

    >>> _dates([datetime(2027, 1, day) for day in (4, 5, 6, 7)])
    '4 from 2027-01-04 to 2027-01-07'
    """
    days: list[date] = [time.date() for time in times]
    if len(days) <= NAMED:
        return ", ".join(map(str, days))
    return f"{len(days)} from {days[0]} to {days[-1]}"
