"""Restore points day by day over five years, beside a plain computation that shares no code with the policies."""

import calendar
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from simbackup.policies.calendar import Calendar, Entry
from simbackup.policies.clock import moment
from simbackup.policies.days import Days
from simbackup.policies.levels import Level
from simbackup.policies.retention import Retention, period
from simbackup.policies.series import Series
from tests.cases import for_each

FIRST, LAST = date(2027, 1, 4), date(2032, 1, 4)
FULL, SYNTHETIC, DIFFERENTIAL, CUMULATIVE, INCREMENTAL = Level


# The plain computation -----------------------------------------------------------------------------------------------


@dataclass
class Kept:
    day: date
    level: str
    needs: date | None


@dataclass
class Plain:
    """One list of backups by date; everything is looked up by going through it."""

    level_on: Callable[[date], str | None]
    keeps: Callable[[list[Kept], date], set[date]]
    merges: bool = False
    there: list[Kept] = field(default_factory=list)
    offered: set[date] = field(default_factory=set)

    def night(self, day: date) -> None:
        level = self.level_on(day)
        if level is not None:
            self._save(day, level)
        self.offered &= self.keeps([b for b in self.there if b.day in self.offered], day)
        if self.merges:  # a chain without forks: whatever is not offered is merged into the next
            self.there = [b for b in self.there if b.day in self.offered]
            for i, backup in enumerate(self.there):
                backup.needs = self.there[i - 1].day if i else None
            return
        used: set[date] = set()
        needs = {b.day: b.needs for b in self.there}
        for wanted in self.offered:
            at: date | None = wanted
            while at is not None and at not in used:
                used.add(at)
                at = needs[at]
        self.there = [b for b in self.there if b.day in used]

    def _save(self, day: date, level: str) -> None:
        on = {"d": "fs", "c": "fsd", "i": "fsdci"}.get(level, "")
        base = next((b.day for b in reversed(self.there) if b.level in on), None)
        self.there.append(Kept(day, "f" if base is None and level in "dci" else level, base))
        self.offered.add(day)


def months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def younger(days: int = 0, months: int = 0) -> Callable[[list[Kept], date], set[date]]:
    return lambda there, today: {
        b.day for b in there if (months_later(b.day, months) if months else b.day + timedelta(days=days)) > today
    }


def newest(count: int) -> Callable[[list[Kept], date], set[date]]:
    return lambda there, today: {b.day for b in there[-count:]}  # noqa: ARG005


def sons(fulls: bool, **counts: int) -> Callable[[list[Kept], date], set[date]]:
    """Goes back from the newest, and takes the first backup that it meets of each period."""

    def keeps(there: list[Kept], today: date) -> set[date]:
        del today
        found: set[date] = set()
        for name, count in counts.items():
            met: set[object] = set()
            for b in reversed(there):
                if fulls and b.level not in "fs":
                    continue
                which: object = {
                    "daily": b.day, "weekly": b.day - timedelta(days=b.day.weekday()),
                    "monthly": b.day.replace(day=1), "yearly": b.day.year,
                }[name]  # fmt: skip
                if which not in met and len(met) < count:
                    met.add(which)
                    found.add(b.day)
        return found

    return keeps


def either(*rules: Callable[[list[Kept], date], set[date]]) -> Callable[[list[Kept], date], set[date]]:
    return lambda there, today: set().union(*(rule(there, today) for rule in rules))


def first_saturday(day: date) -> bool:
    return day.weekday() == 5 and day.day <= 7


def last_of_month(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


# Ten schemes, as a policy and as a plain rule ------------------------------------------------------------------------

SATURDAY, DAILY = Entry(FULL, Days(("saturday",))), Entry(INCREMENTAL, Days(("daily",)))
SCHEMES = {
    "weekly full, incrementals, five weeks": (
        (SATURDAY, DAILY),
        Retention(age=period("5 weeks")),
        Plain(lambda d: "f" if d.weekday() == 5 else "i", younger(35)),
    ),
    "fourteen fulls": (
        (Entry(FULL, Days(("daily",))),),
        Retention(last=14),
        Plain(lambda d: "f", newest(14)),  # noqa: ARG005
    ),
    "weekly full, differentials, thirty days": (
        (SATURDAY, Entry(DIFFERENTIAL, Days(("daily",)))),
        Retention(age=period("30 days")),
        Plain(lambda d: "f" if d.weekday() == 5 else "d", younger(30)),
    ),
    "three levels, three months": (
        (
            Entry(FULL, Days(("first saturday",))),
            Entry(DIFFERENTIAL, Days(("saturday",))),
            Entry(CUMULATIVE, Days(("daily",))),
        ),
        Retention(age=period("3 months")),
        Plain(lambda d: "f" if first_saturday(d) else "d" if d.weekday() == 5 else "c", younger(months=3)),
    ),
    "three levels with incrementals, thirty newest": (
        (Entry(FULL, Days(("first saturday",))), Entry(DIFFERENTIAL, Days(("saturday",))), DAILY),
        Retention(last=30),
        Plain(lambda d: "f" if first_saturday(d) else "d" if d.weekday() == 5 else "i", newest(30)),
    ),
    "grandfather, father, son": (
        (SATURDAY, DAILY),
        Retention(age=period("14 days"), weekly=5, monthly=12, yearly=3, only_full=True),
        Plain(
            lambda d: "f" if d.weekday() == 5 else "i",
            either(younger(14), sons(True, weekly=5, monthly=12, yearly=3)),
        ),
    ),
    "incremental for ever": (
        (DAILY,),
        Retention(last=30),
        Plain(lambda d: "i", newest(30), merges=True),  # noqa: ARG005
    ),
    "incremental for ever, thinned out": (
        (DAILY,),
        Retention(daily=7, weekly=4, monthly=6, yearly=2),
        Plain(lambda d: "i", sons(False, daily=7, weekly=4, monthly=6, yearly=2), merges=True),  # noqa: ARG005
    ),
    "synthetic full on sundays, nothing on public holidays": (
        (
            Entry(SYNTHETIC, Days(("sunday",), ("day 25 of december", "day 1 of january"))),
            Entry(INCREMENTAL, Days(("monday to saturday",), ("day 25 of december", "day 1 of january"))),
        ),
        Retention(age=period("35 days"), last=3),
        Plain(
            lambda d: None if (d.month, d.day) in {(12, 25), (1, 1)} else "s" if d.weekday() == 6 else "i",
            either(younger(35), newest(3)),
        ),
    ),
    "full on the last day of a month, one year": (
        (Entry(FULL, Days(("last day",))), Entry(INCREMENTAL, Days(("monday to friday",)))),
        Retention(age=period("1 year")),
        Plain(lambda d: "f" if last_of_month(d) else "i" if d.weekday() < 5 else None, younger(months=12)),
    ),
    "leap days, every second week": (
        (
            Entry(FULL, Days(("last day of february", "day 30"))),
            Entry(DIFFERENTIAL, Days(("every 2 weeks on monday",))),
            Entry(INCREMENTAL, Days(("every 3 days",))),
        ),
        Retention(age=period("2 months"), yearly=2, only_full=True),
        Plain(
            lambda d: (
                "f" if (d.month == 2 and last_of_month(d)) or d.day == 30
                else "d" if (d - FIRST).days % 14 == 0
                else "i" if (d - FIRST).days % 3 == 0
                else None
            ),
            either(younger(months=2), sons(True, yearly=2)),
        ),
    ),
}  # fmt: skip


@pytest.mark.slow
@for_each("at", [time(20), time(2, 30)], ids=["evening", "the hour that clocks skip"])
@for_each("name", SCHEMES)
def test_restore_points_equal_those_of_a_plain_calendar(name: str, at: time) -> None:
    entries, retention, rules = SCHEMES[name]
    plain = Plain(rules.level_on, rules.keeps, rules.merges)
    zone = ZoneInfo("Europe/Berlin")
    series, late = Series(retention, merges=plain.merges), at < time(12)
    runs = {due.day: due for due in Calendar(entries, at).runs(FIRST, LAST, zone)}
    day = FIRST
    while day <= LAST:
        if day in runs:
            series.add(runs[day].time, runs[day].level)
        expiry = series.expire(moment(day, time(12) if late else at, zone))
        plain.night(day)
        nights = {number: point.time.date() for number, point in series.points.items()}
        assert {nights[n] for n in series.kept} == plain.offered, day
        assert set(nights.values()) == {b.day for b in plain.there}, day
        assert not {p.number for p in expiry.freed} & series.points.keys()
        day += timedelta(days=1)


def test_a_night_has_as_many_hours_as_clocks_make_of_it() -> None:
    runs = Calendar((Entry(FULL, Days(("daily",))),), time(20)).runs(FIRST, LAST, ZoneInfo("America/New_York"))
    times = [due.time.timestamp() for due in runs]
    hours = [(later - sooner) / 3600 for sooner, later in pairwise(times)]
    assert sorted(set(hours)) == [23, 24, 25]
    assert hours.count(23) == hours.count(25) == 5
    assert datetime.fromtimestamp(times[-1], ZoneInfo("America/New_York")).hour == 20
