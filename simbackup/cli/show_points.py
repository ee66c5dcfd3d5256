"""Restore points of a site, and its protection, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from itertools import groupby

from simbackup.cli import show
from simbackup.equations.uncertainty import CentralInterval
from simbackup.planning.alike import called
from simbackup.planning.intervals import matters
from simbackup.planning.restore_points import LogLine, PolicyPoints, StoredPoint
from simbackup.protection.fates import Group
from simbackup.protection.protect import MUCH, Answer, Protection, Rate
from simbackup.protection.words import PERCENT, between, cell_of, odds, short
from simbackup.units import show_short

INTERVALS = " (90 % intervals in brackets)"
NAMED = 3
"""Dates that are named one by one; of more, the first and the last."""


def points(found: Sequence[PolicyPoints], now: datetime) -> None:
    """A table for each policy, with a row for each save set on each target."""
    show.line(f"Restore points at {now:%Y-%m-%d %H:%M}{INTERVALS if any(one.cases for one in found) else ''}")
    head = ("backup of", "level", "on", "bytes", "needs", "kept by", "expires", "freed")
    for one in found:
        show.table(head, [_cells(*row) for row in one.rows], _title(one), right=(3,))
        if one.logs_since is not None:
            show.line(f"with backups of logs to any minute from {one.logs_since:%Y-%m-%d %H:%M} on")


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


def _cells(point: StoredPoint, targets: Sequence[str]) -> tuple[str, ...]:
    return (
        f"{point.time:%Y-%m-%d %H:%M}", point.level.value.replace("_", " "), ", ".join(targets),
        _bytes(point.spread), point.needs, point.kept_by, _until(point.expires) if point.rules else "",
        _until(point.freed),
    )  # fmt: skip


def _until(moment: datetime | None) -> str:
    return str(moment.date()) if moment is not None else "never"


def log(lines: Sequence[LogLine], now: datetime) -> None:
    """A table for each policy, with a row for each date and target on which anything happened."""
    show.line(f"Restore points until {now:%Y-%m-%d %H:%M}")
    head = ("date", "on", "made", "merged", "expired", "freed", "held only by its chain", "points")
    for policy, group in groupby(lines, key=lambda line: line.policy):
        rows = [
            (
                str(line.date), line.target, _made(line), *map(_dates, (line.merged, line.expired, line.freed)),
                _dates(line.held), str(line.points),
            )
            for line in group
        ]  # fmt: skip
        show.table(head, rows, policy, right=(7,))


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


def protection(found: Protection) -> None:
    """What each loss costs each group, then each group by itself, and what a year costs."""
    show.line(f"{found.site.file.spec.title}: losses in the 13 weeks before {found.until}")
    groups = {name: called(group.names) for name, group in found.named.items()}
    show.table(("policy", "systems", "weakest point"), [
        (name, systems, found.weakest[name]) for name, systems in groups.items()
    ], "Systems")  # fmt: skip
    for name, (others, why) in found.dominating.items():
        show.line(f"'{name}' loses no more to any loss than {' and '.join(map(repr, others))}: back from {why}")
    timed = any(answer.back is not None for answer in found.answers)
    first = found.groups[0]
    rows = [
        (answer.loss.title, *(cell_of(one) for one in found.answers if one.loss is answer.loss))
        for answer in found.of(first)
    ]
    title = f"Data lost on average{', and time to service' if timed else ''}"
    show.table(("loss", *groups), rows, title)
    for name, group in found.named.items():
        _group(found, name, group, timed=timed)
    _years(found, timed=timed)
    if found.left_out:
        show.line(f"left out, as the site has nothing of the kind: {', '.join(found.left_out)}")


def _group(found: Protection, name: str, group: Group, *, timed: bool) -> None:
    """What each loss that strikes a group costs it, from where the data come back, and why not from elsewhere."""
    rows = [
        (
            one.loss.title, " or ".join(one.saved_by) or "nothing", *_lost(one), *(_back(one) if timed else ()),
            _rate(one.yearly),
        )
        for one in found.of(group) if one.lost is not None
    ]  # fmt: skip
    head = ["loss", "saved by", "lost, median", "95 %", *(("back, median", "95 %") if timed else ()), "times a year"]
    sure = " (90 % intervals in brackets, without the ranges of devices)" if timed else ""
    show.table(head, rows, f"{name}, if its data are struck{sure}", right=tuple(range(2, len(head))))
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in found.of(group):
        for copy, why in one.why.items():
            reasons.setdefault((copy, why), []).append(one.loss.name)
    if not reasons:
        return
    show.table(("copy", "does not help, as", "after"), [
        (copy, why, ", ".join(dict.fromkeys(after))) for (copy, why), after in reasons.items()
    ])  # fmt: skip


def _lost(one: Answer) -> tuple[str, str]:
    spread = one.lost
    ends = (spread.quantile(0.5), spread.quantile(0.95)) if spread is not None else (0.0, 0.0)
    return short(ends[0]), short(ends[1])


def _back(one: Answer) -> tuple[str, str]:
    back = one.back
    if back is None:
        return "", ""
    between = f" ({short(back.low)} to {short(back.high)})" if back.low < back.high < math.inf else ""
    return f"{short(back.median)}{between}", short(back.most)


def _years(found: Protection, *, timed: bool) -> None:
    """What a year costs each system on average, and the odds within the horizon."""
    costs = any(one.cost is not None for one in found.expected)
    rows = [
        (
            name, *((between(one.down), f"{PERCENT * one.availability:.3f} %") if timed else ()), between(one.lost),
            odds(one.much), odds(one.everything), *((f"{one.cost or 0.0:,.0f}",) if costs else ()),
        )
        for name, one in zip(found.named, found.expected, strict=True)
    ]  # fmt: skip
    over = f"in {found.horizon:g} years"
    head = (
        "policy", *(("out of service", "in service") if timed else ()), "data lost",
        f"> {show_short(MUCH, 's')} lost {over}", f"all lost {over}", *(("cost",) if costs else ()),
    )  # fmt: skip
    show.table(head, rows, "Each system in a year, on average", right=tuple(range(1, len(head))))


def _rate(rate: Rate | None) -> str:
    return "" if rate is None else f"{rate.value:.2g}"
