"""Days of a calendar, as people write them: `saturday`, `first saturday of january`, `last day`, `2027-12-31`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from dateutil import rrule

from simbackup.policies.clock import WEEKDAYS

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
LAST_DAY = 31

_DAY = "|".join(WEEKDAYS)
_MONTH = "|".join(MONTHS)
_OF = rf"(?: of (?P<months>(?:{_MONTH})(?:(?:, | and )(?:{_MONTH}))*))?"
_FORMS = (
    re.compile(r"(?P<daily>daily)"),
    re.compile(r"every (?P<days>\d+) days"),
    re.compile(rf"every (?P<weeks>\d+) weeks on (?P<on>{_DAY})"),
    re.compile(rf"(?P<first>{_DAY}) to (?P<until>{_DAY})"),
    re.compile(rf"(?:(?P<nth>{'|'.join(ORDINALS)}) )?(?P<weekday>{_DAY}){_OF}"),
    re.compile(rf"(?:(?P<last>last day)|day (?P<day>\d+)){_OF}"),
    re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})"),
)
EXAMPLES = "'daily', 'monday to friday', 'first saturday', 'last day of march', 'every 2 weeks on sunday', '2027-12-31'"


class DayError(ValueError):
    """Text that does not name any days; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Days:
    """The days that match one of some texts, without those that match an exception.

    >>> [str(day) for day in Days(("first saturday",)).between(date(2027, 1, 1), date(2027, 3, 31))]
    ['2027-01-02', '2027-02-06', '2027-03-06']
    >>> [str(day) for day in Days(("last day of february",)).between(date(2027, 1, 1), date(2028, 12, 31))]
    ['2027-02-28', '2028-02-29']
    """

    texts: tuple[str, ...]
    without: tuple[str, ...] = ()

    def between(self, first: date, last: date) -> Iterator[date]:
        """The days from the first to the last, both included, in order; `every ...` counts from the first.

        Raises
        ------
        DayError
            A text does not name any days.
        """
        left_out = set(_all(self.without, first, last))
        yield from (day for day in sorted(set(_all(self.texts, first, last))) if day not in left_out)


def named(texts: tuple[str, ...], day: date, since: date) -> bool:
    """Whether some texts name a day; `every ...` counts from another day, before which it names any.

    >>> fortnight = ("every 2 weeks on monday",)
    >>> [named(fortnight, date(2027, 1, 4 + days), date(2027, 1, 4)) for days in (0, 7, 14)]
    [True, False, True]
    """
    return day in _of_year(texts, day.year, min(since, day))


@lru_cache(maxsize=1024)
def _of_year(texts: tuple[str, ...], year: int, since: date) -> frozenset[date]:
    """The days of a year from another day on that some texts name."""
    last = date(year, 12, 31)
    days = Days(texts).between(since, last) if since <= last else ()
    return frozenset(day for day in days if day.year == year)


def check(text: str) -> None:
    """Raise an error if a text does not name any days.

    Raises
    ------
    DayError
        It does not.

    >>> check("satturday")
    Traceback (most recent call last):
        ...
    simbackup.policies.days.DayError: 'satturday' does not name any days; write for example 'daily', \
'monday to friday', 'first saturday', 'last day of march', 'every 2 weeks on sunday', '2027-12-31'
    """
    _rule(text)


def _all(texts: Iterable[str], first: date, last: date) -> Iterator[date]:
    """The days of each text in turn."""
    begin, end = datetime.combine(first, time()), datetime.combine(last, time())
    for text in texts:
        given = _rule(text)
        if "date" in given:
            yield from (day for day in (given["date"],) if first <= day <= last)
        else:
            yield from (found.date() for found in rrule.rrule(dtstart=begin, until=end, **given))


def _rule(text: str) -> dict[str, Any]:
    """The recurrence (RFC 5545) of a text, as arguments of dateutil; or its date."""
    for form in _FORMS:
        found = form.fullmatch(" ".join(text.lower().split()))
        if found is not None:
            given = {key: value for key, value in found.groupdict().items() if value is not None}
            try:
                return _recurrence(given)
            except ValueError as error:
                raise DayError(f"'{text}' does not name any days: {error}") from None
    raise DayError(f"'{text}' does not name any days; write for example {EXAMPLES}")


def _recurrence(given: dict[str, str]) -> dict[str, Any]:
    if "date" in given:
        return {"date": date.fromisoformat(given["date"])}
    if "daily" in given or "days" in given:
        return {"freq": rrule.DAILY, "interval": _positive(given.get("days", "1"))}
    if "weeks" in given:
        return {"freq": rrule.WEEKLY, "interval": _positive(given["weeks"]), "byweekday": WEEKDAYS.index(given["on"])}
    if "until" in given:
        first, last = WEEKDAYS.index(given["first"]), WEEKDAYS.index(given["until"])
        return {"freq": rrule.WEEKLY, "byweekday": [(first + i) % 7 for i in range((last - first) % 7 + 1)]}
    months = {"bymonth": [MONTHS.index(name) + 1 for name in re.findall(_MONTH, given.get("months", ""))] or None}
    if "weekday" in given:
        day = rrule.weekday(WEEKDAYS.index(given["weekday"]))
        return {"freq": rrule.MONTHLY, "byweekday": day(ORDINALS[given["nth"]]) if "nth" in given else day} | months
    number = -1 if "last" in given else _positive(given["day"])
    if number > LAST_DAY:
        raise ValueError("no month has so many days")
    return {"freq": rrule.MONTHLY, "bymonthday": number} | months


def _positive(digits: str) -> int:
    if not int(digits):
        raise ValueError("count from 1")
    return int(digits)


def each_day(first: date, last: date) -> Iterator[date]:
    """Every day from the first to the last, both included."""
    for i in range((last - first).days + 1):
        yield first + timedelta(days=i)
