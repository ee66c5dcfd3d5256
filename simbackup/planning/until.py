"""Days and moments of a plan, as people write them: a date, a time from the start, or either with a time of day."""

from __future__ import annotations

import re
from datetime import date, datetime

from dateutil.relativedelta import relativedelta

from simbackup.errors import InputError, Place, Problem
from simbackup.policies.clock import clock
from simbackup.policies.retention import MOST_DAYS, period
from simbackup.units import UnitError

MOMENT = re.compile(r"(?P<day>\S+)[ T](?P<time>\d{1,2}:\d{2}(?::\d{2})?)")
"""A moment: a date, or a time from the start, and a time of day."""


def moment_at(start: date, text: str, option: str = "--at") -> date | datetime:
    """The day or the moment that a text such as `2027-06-09`, `1y` or `2027-06-09 10:05` names in a plan.

    Raises
    ------
    InputError
        The text names neither, or not after the start.

    >>> str(moment_at(date(2027, 1, 4), "2027-06-09 10:05")), str(moment_at(date(2027, 1, 4), "1y"))
    ('2027-06-09 10:05:00', '2028-01-03')
    """
    found = MOMENT.fullmatch(text.strip())
    if found is None:
        return end_of(start, text, option)
    try:
        return datetime.combine(end_of(start, found["day"], option), clock(found["time"]))
    except UnitError as error:
        message, _, _ = str(error).partition("; ")
        raise InputError([Problem(Place(option), "", message, "write for example '2027-06-09 10:05'")]) from None


UNITS = {"y": "years", "m": "months", "w": "weeks", "d": "days"}


def end_of(start: date, until: str | date, option: str = "--until") -> date:
    """The last day of a plan: a date, or so long after the start.

    Raises
    ------
    InputError
        The text is neither, or not after the start.

    >>> str(end_of(date(2027, 1, 4), "3y")), str(end_of(date(2027, 1, 4), "2027-12-31"))
    ('2030-01-03', '2027-12-31')
    """
    if isinstance(until, date):
        last = until
    else:
        text = f"{until[:-1]} {UNITS[until[-1]]}" if until[-1:] in UNITS and until[:-1].isdigit() else until
        try:
            last = date.fromisoformat(text)
        except ValueError:
            try:
                last = start + period(text) - relativedelta(days=1)
            except ValueError:
                remedy = "write for example '3y', '18 months', '2029-12-31'"
                raise InputError(
                    [Problem(Place(option), "", f"'{until}' is neither a date nor a time", remedy)]
                ) from None
    if (last - start).days > MOST_DAYS:
        message = f"{last} is more than {MOST_DAYS:,} days after the start"
        raise InputError([Problem(Place(option), "", message, "write for example '3y'")])
    if last < start:
        raise InputError([Problem(Place(option), "", f"{last} is before the start", f"the plan starts on {start}")])
    return last
