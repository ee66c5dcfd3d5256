"""What a reader found in a file of past jobs, and how programs write times, elapsed times and sizes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.foreign.reader import ForeignFile
from simbackup.schema.quantity import LATEST
from simbackup.schema.tree import Node
from simbackup.units import UnitError, parse

ISO, UNIX = "ISO 8601", "seconds since 1970"
DATES = (
    ISO, "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M:%S %p", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M",
    "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d-%b-%Y %H:%M:%S", "%d-%b-%Y %H:%M", "%b %d, %Y %I:%M:%S %p",
)  # fmt: skip
"""Forms of dates that are tried, each on a whole column."""
_ANY_DAY = datetime(2021, 11, 23, 14, 35, 46)  # noqa: DTZ001 (it only shows a form)
_CLOCK = re.compile(r"(?:(?P<days>\d+)[. ]\s*(?:days?,? )?)?(?P<h>\d+):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?")
_PART = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) (days?|hours?|hrs?|minutes?|mins?|seconds?|secs?)\b")
_SPELLED = re.compile(rf"(?:{_PART.pattern}[, ]*)+")
_WORDS = {"day": 86_400.0, "hou": 3600.0, "hr": 3600.0, "hrs": 3600.0, "min": 60.0, "sec": 1.0}


def zone_of(name: str) -> tzinfo:
    """A time zone by its name, such as `Europe/Berlin`.

    Raises
    ------
    InputError
        There is no such zone.
    """
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        from zoneinfo import available_timezones  # noqa: PLC0415 (it reads every zone of the system)

        remedy = choices(name, available_timezones())
        raise InputError([Problem(Place(f"--zone {name}"), "", "there is no such time zone", remedy)]) from None


def form_of(cells: Sequence[Node], forms: Sequence[str]) -> str:
    """The one form in which all cells of a column are dates.

    Raises
    ------
    InputError
        No form fits all of them, or two forms read them as different days.
    """
    filled = [cell for cell in cells if str(cell.value)]
    fitting: dict[str, list[datetime]] = {}
    for form in forms:
        read = [_read(str(cell.value), form) for cell in filled]
        found = [moment for moment in read if moment is not None]
        if len(found) == len(read):
            fitting[form] = found
    if not fitting:
        wrong = next((cell for cell in filled if _read(str(cell.value), forms[0]) is None), filled[0])
        remedy = f"known formats are {', '.join(forms)}; state another as 'dates' of a mapping"
        raise InputError([Problem(wrong.place, "", f"'{wrong.value}' is not a date in its column's format", remedy)])
    first, *others = fitting
    other = next((form for form in others if fitting[form] != fitting[first]), None)
    if other is not None:
        message = f"'{filled[0].value}' may be {first} or {other}"
        raise InputError(
            [Problem(filled[0].place, "", message, "state 'dates' in a mapping, and name the mapping with --mapping")]
        )
    return first


def wrong_form(form: str) -> str:
    """What is wrong with a form of dates; empty if nothing is.

    >>> wrong_form("%d.%m.%Y %H:%M"), wrong_form("%d %d"), wrong_form("DD.MM.YYYY")
    ('', "'%d %d' is not a format of dates", "'DD.MM.YYYY' is not a format of dates")
    """
    if form in {ISO, UNIX}:
        return ""
    try:
        return "" if datetime.strptime(_ANY_DAY.strftime(form), form).date() == _ANY_DAY.date() else _no_form(form)  # noqa: DTZ007
    except (ValueError, re.error):
        return _no_form(form)


def _no_form(form: str) -> str:
    return f"'{form}' is not a format of dates"


def moment(text: str, form: str, zone: tzinfo) -> datetime:
    """A date in a form; one that names no zone is of that given."""
    found = _read(text, form)
    if found is None:
        raise ValueError(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=zone)


def _read(text: str, form: str) -> datetime | None:
    try:
        if form == ISO:
            return datetime.fromisoformat(text)
        if form == UNIX:
            return datetime.fromtimestamp(float(text), UTC)
        return datetime.strptime(text, form)  # noqa: DTZ007 (the caller adds the zone)
    except (ValueError, OverflowError, OSError):
        return None


def seconds_of(text: str) -> float:
    """Seconds of an elapsed time: `01:02:03`, `1.02:03:04`, `2 days 01:00:00`, `90`, `1 h 30 min`, `2 hours 5 mins`.

    Raises
    ------
    UnitError
        It is none.

    >>> seconds_of("01:02:03"), seconds_of("1.02:03:04.5"), seconds_of("90"), seconds_of("1h 30min")
    (3723.0, 93784.5, 90.0, 5400.0)
    >>> seconds_of("1 day 2 hours 3 mins 4 secs"), seconds_of("1 minutes 25.36 seconds")
    (93784.0, 85.36)
    """
    found = _CLOCK.fullmatch(text.strip())
    if found is not None:
        days, hours, minutes, seconds = (float(found[part] or 0.0) for part in ("days", "h", "m", "s"))
        elapsed = ((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds
    elif _SPELLED.fullmatch(text.strip()) is not None:
        elapsed = sum(float(number) * _WORDS[word[:3]] for number, word in _PART.findall(text))
    else:
        try:
            elapsed = float(text) if re.fullmatch(r"\s*\d+(\.\d+)?(?:[eE][+-]?\d+)?\s*", text) else parse(text, "s")
        except UnitError:
            raise UnitError(f"'{text}' is not an elapsed time; write for example 01:30:00, or 5400") from None
    return checked(elapsed, text)


def checked(elapsed: float, text: str) -> float:
    """Seconds, which a text states, if a job can take so long.

    Raises
    ------
    UnitError
        It cannot.
    """
    if elapsed > LATEST:
        raise UnitError(f"'{text}' is not an elapsed time of a job; write at most {LATEST / 86_400.0:.0f} d")
    return elapsed


@dataclass
class Past:
    """The jobs of a file, notes on how it was read, and what is wrong with it."""

    jobs: list[FinishedJob] = field(default_factory=list[FinishedJob])
    notes: list[str] = field(default_factory=list[str])
    problems: list[Problem] = field(default_factory=list[Problem])

    def checked(self, source: ForeignFile, missing: str, remedy: str) -> Past:
        """The same, if nothing is wrong with it and it has jobs.

        Raises
        ------
        InputError
            Everything that is wrong; or there is no job, for which `missing` has the words.
        """
        if self.problems:
            raise InputError(self.problems)
        if not self.jobs:
            raise InputError([source.problem(1, missing, remedy)])
        return self
