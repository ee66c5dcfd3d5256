"""A ledger of a site by hand: what its plan must say for each day, from the documentation of plans alone.

It reads the same site as the planner, and keeps one list of save sets and one list of copies. Each day it adds what is
scheduled, applies the retention, and counts what is left. It shares no code with the planner. See
docs/how-to/plan-a-site.md and docs/reference/site.md for the rules.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Any
from zoneinfo import ZoneInfo

DAY = 86_400.0
YEAR = 365 * DAY
FULLS = ("full", "synthetic_full")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
PART, MOST_PARTS, OBJECT_REQUESTS = 8 * 1024**2, 10_000, 2
"""Of `object_store/amazon-s3-standard`."""
CHUNK = 8 * 1024
"""Of `deduplication/appliance-2010`."""
UNITS = {"B": 1.0, "%": 0.01, "min": 60.0, "s": 1.0, "h": 3600.0, "d": DAY, "days": DAY, "day": DAY}
UNITS |= {f"{prefix}B": 1000.0**power for power, prefix in enumerate(("k", "M", "G", "T", "P"), 1)}
UNITS |= {f"{prefix}iB": 1024.0**power for power, prefix in enumerate(("K", "M", "G", "T", "P"), 1)}


# ---------------------------------------------------------------------------------------------------------- quantities


def number(value: Any, default: float = 0.0) -> float:
    """A quantity such as `2 TB`, `5 %`, `2:1` or `{value: 2 TB, ...}` as a plain number.

    >>> number("2 TB"), number("5 %"), number("3:2"), number({"value": "1 h"}), number(None, 1.0)
    (2000000000000.0, 0.05, 1.5, 3600.0, 1.0)
    """
    if isinstance(value, Mapping):
        value = value["value"]
    if value is None:
        return default
    if isinstance(value, (int, float)):
        return float(value)
    text = str(value).strip()
    if ":" in text:
        over, under = text.split(":")
        return float(over) / float(under)
    found = re.fullmatch(r"([0-9.]+)\s*([A-Za-z%]*)(?:/file|/year)?", text)
    assert found, text
    return float(found[1]) * (UNITS[found[2]] if found[2] else 1.0)


def listed(value: Any) -> list[str]:
    """A name or a list of names as a list."""
    if value is None:
        return []
    return [str(each) for each in value] if isinstance(value, (list, tuple)) else [str(value)]


def clock(text: str) -> time:
    """A time of day."""
    hours, minutes = text.split(":")
    return time(int(hours), int(minutes))


# ---------------------------------------------------------------------------------------------------------- calendars


def named(text: str, day: date, start: date) -> bool:
    """Whether words such as `first saturday` name a date; `every ...` counts from the first day, or from its week.

    >>> day = date(2027, 2, 6)
    >>> [named(text, day, date(2027, 1, 4)) for text in ("saturday", "first saturday", "second saturday of march")]
    [True, True, False]
    >>> named("friday to monday", day, day), named("last day", date(2027, 2, 28), day)
    (True, True)
    """
    words = text.split()
    if text == "daily" or text == day.isoformat():
        return True
    if text[0].isdigit():
        return False
    if words[0] == "every":
        count = int(words[1])
        if words[2].startswith("day"):
            return (day - start).days % count == 0
        weeks = (day - start + timedelta(start.weekday())).days // 7
        return weeks % count == 0 and day.weekday() == WEEKDAYS.index(words[4])
    if words[1:2] == ["to"]:
        begin, end = WEEKDAYS.index(words[0]), WEEKDAYS.index(words[2])
        return (day.weekday() - begin) % 7 <= (end - begin) % 7
    *words, month = words if "of" in words else [*words, "of", MONTHS[day.month - 1]]
    return month == MONTHS[day.month - 1] and _in_month(words[:-1], day)


def _in_month(words: list[str], day: date) -> bool:
    """Whether words such as `last day` or `second friday` name a date in its month."""
    if words == ["last", "day"]:
        return (day + timedelta(1)).day == 1
    if words[0] == "last" and (day + timedelta(7)).month == day.month:
        return False
    nth = ORDINALS.get(words[0])
    return day.weekday() == WEEKDAYS.index(words[-1]) and nth in {None, (day.day + 6) // 7}


def any_named(texts: Any, day: date, start: date) -> bool:
    """Whether any of a list of words names a date."""
    return any(named(text, day, start) for text in listed(texts))


def later(day: date, age: str) -> date:
    """The date some weeks or months after a date.

    >>> later(date(2027, 1, 31), "1 month"), later(date(2027, 1, 31), "5 weeks")
    (datetime.date(2027, 2, 28), datetime.date(2027, 3, 7))
    """
    count, unit = age.split()
    if unit.startswith("d"):
        return day + timedelta(int(count))
    if unit.startswith("w"):
        return day + timedelta(7 * int(count))
    months = day.year * 12 + day.month - 1 + int(count) * (12 if unit.startswith("y") else 1)
    year, month = divmod(months, 12)
    last = (date(year + month // 11, (month + 1) % 12 + 1, 1) - timedelta(1)).day
    return date(year, month + 1, min(day.day, last))


def older(moment: datetime, age: str) -> datetime:
    """The time at which something is so old, by the clock on the wall."""
    return datetime.combine(later(moment.date(), age), moment.time())


# -------------------------------------------------------------------------------------------------------------- change


def touched(hits: float, hot: float, to_hot: float) -> float:
    """Share of data that so many changes for each place have touched: `1 - exp(-n)`, for hot and cold data apart."""
    if not 0.0 < hot < 1.0:
        return -math.expm1(-hits)
    cold = 1.0 - hot
    return hot * -math.expm1(-hits * to_hot / hot) + cold * -math.expm1(-hits * (1.0 - to_hot) / cold)


@lru_cache(maxsize=256)
def daily_hits(daily: float, hot: float, to_hot: float) -> float:
    """Changes for each place in a day, so that the share `daily` differs after a day."""
    low, high = 0.0, 64.0
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if touched(middle, hot, to_hot) < daily else (low, middle)
    return high


@dataclass(frozen=True)
class System:
    """A system: its data and how they change."""

    name: str
    policy: str
    size: float
    files: float
    whole_files: bool
    compression: float
    daily: float
    daily_files: float
    hot: float
    to_hot: float
    replaced: float
    growth: float
    run: float
    places: float
    """Places in which a file that is saved whole changes on its own."""
    log: float | None
    added: float = 0.0
    """Bytes that are added each year, instead of a share."""
    reduction: float | None = None
    """That of its own on disks and in object stores."""

    def bytes(self, seconds: float) -> float:
        """Bytes of its data so many seconds after the start."""
        return self.size * (1.0 + self.growth) ** (seconds / YEAR) + self.added * seconds / YEAR

    def changed(self, seconds: float, size: float) -> float:
        """Share of the data that an incremental backup saves after some seconds: bytes, or whole files.

        The data have so many bytes then.
        """
        if not self.whole_files:
            return self.differs(seconds, size)
        return self._share(self.daily_files, self.places, seconds, size)

    def differs(self, seconds: float, size: float) -> float:
        """Share of the bytes that differ after some seconds."""
        return self._share(self.daily, 1.0, seconds, size)

    def _share(self, daily: float, places: float, seconds: float, size: float) -> float:
        days = seconds / DAY
        hits = daily_hits(daily, self.hot, self.to_hot) * days
        same = (1.0 - touched(hits, self.hot, self.to_hot)) ** places * math.exp(-self.replaced * days)
        earlier = (size - self.added * seconds / YEAR) / (1.0 + self.growth) ** (seconds / YEAR)
        return 1.0 - same * earlier / size

    def logged(self, seconds: float) -> float:
        """Bytes of log in some seconds, for each byte of data: all changes, repeated ones too."""
        daily = daily_hits(self.daily, self.hot, self.to_hot) if self.log is None else self.log
        return daily * seconds / DAY


def system(name: str, given: Mapping[str, Any], site: Mapping[str, Any]) -> System:
    """A system as the site file states it."""
    change = given.get("change") or {}
    daily = number(change.get("daily"))
    method = given.get("method") or ("file_level" if "filesystem" in given else "image")
    said = given.get("growth", change.get("growth"))
    share = (
        number(given["size"]) / sum(number(each["size"]) for each in site["systems"].values()) if said is None else 1.0
    )
    said = site.get("growth") if said is None else said
    growth, added = (0.0, share * number(said)) if "/year" in str(said) else (number(said), 0.0)
    places = 1.0
    if method == "file_level" and change.get("in_place") and "daily_files" not in change:
        places += number(given["size"]) / number(given.get("files"), 1.0) / number(change["run"])
    return System(
        name,
        given["policy"],
        number(given["size"]),
        number(given.get("files"), 1.0),
        method == "file_level",
        number(given.get("compression"), 1.0),
        daily,
        number(change.get("daily_files"), daily),
        number(change.get("hot_data"), 1.0),
        number(change.get("hot_changes"), 1.0),
        number(change.get("replaced")),
        growth,
        number(change.get("run")),
        places,
        number(given["log"]) if "log" in given else None,
        added,
        number(given["reduction"]) if "reduction" in given else None,
    )


# ----------------------------------------------------------------------------------------------------------- save sets


@dataclass(eq=False)
class Save:
    """A save set: what one backup of a system has saved."""

    system: System
    policy: str
    day: date
    due: datetime
    level: str
    size: float
    """Bytes of all data of the system at that time."""
    moved: float
    """Bytes that the backup sends."""
    since: float
    """Seconds since that of which it sends the changes."""
    base: Save | None
    """The save set since which it saves the changes; none of a full backup."""
    first: bool = False

    @property
    def full(self) -> bool:
        """Whether it is a full backup, which needs no other."""
        return self.level in FULLS


@dataclass(eq=False)
class Kept:
    """A copy of a save set at a target; that of a policy itself, or one under `copies`."""

    save: Save
    target: str
    line: str
    stored: float
    on: Save | None
    """The save set to which it is the change; merges replace it."""
    base: Kept | None
    """The copy of that in the same line."""
    begins: datetime
    expired: bool = False

    def needs(self) -> Iterator[Kept]:
        """It and what it is based on there."""
        each: Kept | None = self
        while each is not None:
            yield each
            each = each.base


@dataclass(eq=False)
class Log:
    """Backups of logs at a target, from one backup until the next; they stay as long as the point before them."""

    day: date
    target: str
    after: Save
    size: float
    backups: float


@dataclass
class Rules:
    """A retention."""

    given: Mapping[str, Any]

    def keeps(self, points: list[Kept], now: datetime) -> set[Kept]:
        """Those of some points, the newest first, that any rule keeps at a time."""
        if not self.given:
            return set(points)
        kept: set[Kept] = set(points[: int(self.given.get("last", 0))])
        if "age" in self.given:
            kept |= {each for each in points if now.replace(tzinfo=None) < older(each.save.due, self.given["age"])}
        counted = [each for each in points if self.given.get("of") != "full" or each.save.full]
        for rule, period in PERIODS.items():
            newest: dict[Any, Kept] = {}
            for each in counted:
                newest.setdefault(period(each.save.day), each)
            kept |= set(list(newest.values())[: int(self.given.get(rule, 0))])
        return kept


PERIODS: dict[str, Any] = {
    "daily": lambda day: day,
    "weekly": lambda day: day.isocalendar()[:2],
    "monthly": lambda day: (day.year, day.month),
    "yearly": lambda day: day.year,
}


@dataclass(eq=False)
class Cartridge:
    """A cartridge of a library: what is written on it, and how much space is left."""

    free: float
    holds: list[Kept] = field(default_factory=list)


class Cartridges:
    """The cartridges of a library.

    The bytes of a session are divided evenly among as many drives as it has save sets, at most all. Each goes on
    on a cartridge of the same retention that is not full, unless sessions begin new ones, and then takes empty ones.
    """

    def __init__(self, keys: Mapping[str, Any], capacity: float) -> None:
        self.drives = int(keys["device"]["drives"])
        self.capacity = capacity
        self.offsite = bool(keys.get("offsite"))
        self.empty = int(keys.get("cartridges", 0))
        self.bought = 0
        self.used: dict[str, list[Cartridge]] = defaultdict(list)

    def write(self, retention: str, session: list[tuple[Kept, float]]) -> None:
        """Write the save sets of a session, with their bytes on tape."""
        streams = min(self.drives, len(session))
        pool = self.used[retention]
        opened = [] if self.offsite else [one for one in pool if one.free > 0.5]
        share = sum(size for _, size in session) / streams
        queue = [[one, size] for one, size in session]
        for stream in range(streams):
            left = share
            current = opened[stream] if stream < len(opened) else self._new(pool)
            while left > 0.5 and queue:
                if current.free <= 0.5:
                    current = self._new(pool)
                one, size = queue[0]
                piece = min(left, size, current.free)
                current.free -= piece
                current.holds.append(one)
                left -= piece
                queue[0][1] -= piece
                if queue[0][1] <= 0.5:
                    queue.pop(0)

    def _new(self, pool: list[Cartridge]) -> Cartridge:
        if self.empty:
            self.empty -= 1
        else:
            self.bought += 1
        pool.append(Cartridge(self.capacity))
        return pool[-1]

    def recycle(self, gone: set[Kept]) -> None:
        """Take back the cartridges on which nothing is left."""
        for pool in self.used.values():
            for one in pool:
                one.holds = [each for each in one.holds if each not in gone]
            self.empty += sum(not one.holds for one in pool)
            pool[:] = [one for one in pool if one.holds]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Cartridges in use, bought, and empty."""
        return sum(len(pool) for pool in self.used.values()), self.bought, self.empty


@dataclass
class Day:
    """What the plan must say for a day."""

    used: dict[str, float] = field(default_factory=dict)
    peak: dict[str, float] = field(default_factory=dict)
    cartridges: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Cartridges in use, bought until then, and empty, of each library."""
    catalogue: float = 0.0
    points: dict[str, int] = field(default_factory=dict)
    """Restore points of each system."""
    useless: dict[str, int] = field(default_factory=dict)
    """Copies that are kept and whose base is not in their place, of each system."""
    lost: dict[tuple[str, str], float | None] = field(default_factory=dict)
    """Seconds of data lost by a loss of a place at noon of the day, for each place and system."""


@dataclass(eq=False)
class Written:
    """What a backup or copy wrote into object storage."""

    made: date
    size: float
    objects: list[float]
    """Bytes of each kind of object, followed by how many there are of it."""
    gone: date = date.max

    def requests(self, write: float, part: float) -> float:
        """Price of the requests, for prices of one: a large object is begun, written in parts, and completed."""
        total = 0.0
        for size, count in zip(self.objects[::2], self.objects[1::2], strict=True):
            parts = min(math.ceil(size / PART), MOST_PARTS)
            total += count * (write if parts <= 1 else write + part * (parts + OBJECT_REQUESTS - 1))
        return total


@dataclass(frozen=True)
class Job:
    """A backup or copy of a night."""

    day: date
    system: str
    policy: str
    level: str
    copy: str
    due: datetime
    bytes: float | None
    """None where a plan may take a similar night: of merges, and where clocks have changed since the base."""
    window: float | None


Early = Mapping[str, tuple[dict[str, list[Kept]], list[Log]]]


class Ledger:
    """The ledger of a site over some days.

    Parameters
    ----------
    site
        The site file as a mapping.
    days
        Number of days.
    policies
        Policy of each system, where `spread` or several targets divide the systems of one, as `NAME-PART`.
    """

    def __init__(self, site: Mapping[str, Any], days: int, policies: Mapping[str, str] | None = None) -> None:
        self.site = site
        self.start = date.fromisoformat(str(site["start"]))
        self.zone = ZoneInfo(site.get("zone", "UTC"))
        self.policies = dict(policies or {})
        self.systems = [system(name, given, site) for name, given in site["systems"].items()]
        self.of_policy: dict[str, list[str]] = defaultdict(list)
        for each in self.systems:
            self.of_policy[self.policies.get(each.name, each.policy)].append(each.name)
        self.places = {name: given.get("place", "main") for name, given in site["targets"].items()}
        self.saves: dict[str, list[Save]] = defaultdict(list)
        self.kept: dict[tuple[str, str], list[Kept]] = defaultdict(list)
        self.jobs: list[Job] = []
        self.objects: dict[str, list[Written]] = defaultdict(list)
        self.logs: dict[str, list[Log]] = defaultdict(list)
        self.written: dict[Any, Written] = {}
        self.libraries: dict[str, Cartridges] = {}
        for name, keys in site["targets"].items():
            library = site["targets"].get(keys["device"], keys) if isinstance(keys["device"], str) else keys
            if is_tape(library):
                device = library["device"]
                own = {**keys, "device": device}
                self.libraries[name] = Cartridges(own, number(device["drive"]["cartridge_capacity"]))
        self.days: dict[date, Day] = {}
        for passed in range(days):
            self._run(self.start + timedelta(passed))

    # ---- times

    def at(self, day: date, text: str) -> datetime:
        """A time of a day in the zone of the site; one that the clocks skip is later by as much as they move."""
        return datetime.combine(day, clock(text), self.zone).astimezone(UTC).astimezone(self.zone)

    @cached_property
    def origin(self) -> datetime:
        """The moment at which systems have the stated size: noon of the first day."""
        return self.at(self.start, "12:00")

    def since_start(self, moment: datetime) -> float:
        """Seconds since the start."""
        return apart(self.origin, moment)

    # ---- a day

    def _run(self, today: date) -> None:
        for each in self.systems:
            self._back_up(each, today)
        peak = self._stored()
        self._write_tapes(today)
        self._write_objects(today)
        early = {each.name: (self._whole(each.name), list(self.logs[each.name])) for each in self.systems}
        self._expire(today)
        self._delete_objects(today)
        figures = Day(self._stored(), peak, {name: one.counts for name, one in self.libraries.items()})
        self._count(figures, today, early)
        self.days[today] = figures

    def _policy(self, each: System) -> tuple[str, dict[str, Any]]:
        """Name and keys of the policy of a system, with its own day and target where the policy divides its systems."""
        own = self.policies.get(each.name, each.policy)
        policy = dict(self.site["policies"][each.policy])
        for part in own.removeprefix(each.policy).split("-"):
            if part in WEEKDAYS:
                policy["schedule"] = {
                    level: part if level == "full" else days for level, days in policy["schedule"].items()
                }
            elif part:
                policy["to"] = part
        return own, policy

    def _back_up(self, each: System, today: date) -> None:
        name, policy = self._policy(each)
        if any_named(policy.get("without"), today, self.start):
            return
        level = next((one for one, days in policy["schedule"].items() if any_named(days, today, self.start)), None)
        if level is None:
            return
        due = self.at(today, policy["at"])
        size = each.bytes(self.since_start(due))
        line = self.kept[each.name, ""]
        held = [one.save for one in line]
        base = self._base(level, held)
        first = not held
        if first or (level not in FULLS and base is None):
            level, base = "full", None
        last = held[-1] if held else None
        before = base or last
        since = apart(before.due, due) if before is not None and level != "full" else 0.0
        moved = size if level == "full" else size * each.changed(since, size)
        save = Save(each, name, today, due, level, size, moved, since, None if level in FULLS else base, first)
        target = listed(policy["to"])[0]
        self._log(each, policy, last, due, size)
        stored = size if save.full else moved
        own = Kept(save, target, "", stored, save.base, self._there(line, save.base), due)
        line.append(own)
        self.saves[each.name].append(save)
        window = self._window(policy, due)
        self.jobs.append(Job(today, each.name, name, shown(save), "", due, as_on_any_day(save, moved), window))
        copied = [self._copy(save, *copy) for copy in (policy.get("copies") or {}).items()]
        if level == "synthetic_full" and self._chunks(target):
            if any(to is not None and not self._chunks(to) for to in copied):
                self.jobs.append(Job(today, each.name, name, level, "synthetic-full", due, 0.0, None))
        elif level == "synthetic_full":
            built = moved if self.site["targets"][target].get("clones") else size
            built = as_on_any_day(save, built)
            self.jobs.append(Job(today, each.name, name, level, "synthetic-full", due, built, None))

    @staticmethod
    def _base(level: str, held: list[Save]) -> Save | None:
        """What a backup saves the changes since: the newest save set of these levels that is still there."""
        of = {
            "differential": FULLS,
            "cumulative": (*FULLS, "differential"),
            "incremental": (*FULLS, "differential", "cumulative", "incremental"),
        }.get(level, ())
        return next((one for one in reversed(held) if one.level in of), None)

    @staticmethod
    def _there(line: list[Kept], save: Save | None) -> Kept | None:
        """The copy of a save set in a line."""
        return next((one for one in line if one.save is save), None) if save else None

    def _copy(self, save: Save, name: str, copy: Mapping[str, Any]) -> str | None:
        """Copy a save set if it is due: the target."""
        if copy.get("which") == "full" and not save.full:
            return None
        if not any_named(copy.get("on", "daily"), save.day, self.start):
            return None
        line = self.kept[save.system.name, name]
        stored = save.size if save.full else save.moved
        begins = self._begins(save, copy)
        line.append(Kept(save, copy["to"], name, stored, save.base, self._there(line, save.base), begins))
        window = apart(save.due, self._by(begins, copy["by"])) if "by" in copy else None
        own = next(one for one in self.kept[save.system.name, ""] if one.save is save)
        between = self._chunks(own.target) and self._chunks(copy["to"])
        sent = as_on_any_day(save, save.moved if save.level == "synthetic_full" and between else stored)
        self.jobs.append(Job(save.day, save.system.name, save.policy, shown(save), name, save.due, sent, window))
        return copy["to"]

    def _begins(self, save: Save, copy: Mapping[str, Any]) -> datetime:
        """When copying begins: after the backup, or at the next time of day that `at` states."""
        return self._by(save.due, copy["at"]) if "at" in copy else save.due

    def _chunks(self, target: str) -> bool:
        """Whether a target keeps chunks, of which synthetic full backups and merges move none."""
        return "deduplication" in self.site["targets"][target]

    def _by(self, due: datetime, text: str) -> datetime:
        """The first time after a moment that is named by a time of day, or by a weekday and a time of day."""
        *weekday, hour = text.split()
        for passed in range(9):
            day = due.date() + timedelta(passed)
            end = self.at(day, hour)
            if end > due and (not weekday or WEEKDAYS[day.weekday()] == weekday[0]):
                return end
        raise AssertionError(text)

    def _window(self, policy: Mapping[str, Any], due: datetime) -> float | None:
        """Seconds from a scheduled start to the end of the window that contains it, or else of the next that opens."""
        for passed in range(-2, 10):
            opens = due.date() + timedelta(passed)
            own = (text for days, text in (policy.get("windows") or {}).items() if named(str(days), opens, self.start))
            text = next(own, policy.get("window"))
            if text is None:
                continue
            begin, end = text.split(" to ")
            closes = self.at(opens + timedelta(clock(end) <= clock(begin)), end)
            if closes > due:
                return apart(due, closes)
        return None

    def _log(self, each: System, policy: Mapping[str, Any], last: Save | None, due: datetime, size: float) -> None:
        """Logs that have been written since the last restore point stay as long as it does."""
        logs = policy.get("logs")
        if logs is None or last is None:
            return
        written = size * each.logged(apart(last.due, due))
        for target in listed(logs.get("to") or policy["to"]):
            times = apart(last.due, due) / number(logs["every"])
            self.logs[each.name].append(Log(due.date(), target, last, written, times))

    def _write_tapes(self, today: date) -> None:
        sessions: dict[tuple[str, str], list[tuple[Kept, float]]] = defaultdict(list)
        for (_, line), copies in self.kept.items():
            for one in copies:
                if one.save.day == today and one.target in self.libraries:
                    rules, _ = self._rules(one.save.system, line)
                    size = self.reduced(one.target, one.save.system, one.stored)
                    sessions[one.target, str(sorted(rules.given.items()))].append((one, size))
        for (target, retention), session in sessions.items():
            session.sort(key=lambda each: (each[0].save.due, self._order(each[0])))
            self.libraries[target].write(retention, session)

    def _order(self, one: Kept) -> tuple[int, int, int]:
        """The policy of a copy, its part, and the place of the copy there, in the order of the file."""
        name, _ = self._policy(one.save.system)
        of = one.save.system.policy
        part, keys = name.removeprefix(of).removeprefix("-"), self.site["policies"][of]
        parts = ["", *WEEKDAYS, *listed(keys["to"])]
        return [*self.site["policies"]].index(of), parts.index(part), ["", *keys.get("copies", {})].index(one.line)

    def _write_objects(self, today: date) -> None:
        for copies in self.kept.values():
            for one in copies:
                if one.save.day == today and is_store(self.site["targets"][one.target]):
                    files = self.files(one) if one.save.system.whole_files else 1.0
                    self._write(one, one.stored, files, 1.0, today)
        for written in self.logs.values():
            for each in written:
                if each.day == today and is_store(self.site["targets"][each.target]):
                    self._write(each, each.size, 1.0, each.backups, today)

    def _write(self, what: Kept | Log, size: float, files: float, times: float, today: date) -> None:
        of = what.save.system if isinstance(what, Kept) else what.after.system
        keys = self.site["targets"][what.target]
        if "object_size" in keys:
            whole = number(keys["object_size"])
            each = size / times
            objects = [whole, times * (each // whole), each % whole, times]
        else:
            objects = [size / times / files, files * times]
        self.written[what] = Written(today, self.reduced(what.target, of, size), objects)
        self.objects[what.target].append(self.written[what])

    def _delete_objects(self, today: date) -> None:
        left = {one for copies in self.kept.values() for one in copies}
        left |= {one for written in self.logs.values() for one in written}
        for one in [one for one in self.written if one not in left]:
            self.written.pop(one).gone = today

    # ---- expiry

    def _rules(self, each: System, line: str) -> tuple[Rules, bool]:
        _, policy = self._policy(each)
        keys = policy["copies"][line] if line else policy
        return Rules(keys.get("retention") or {}), bool(keys.get("merges"))

    def _expire(self, today: date) -> None:
        for (name, line), copies in self.kept.items():
            if not self.saves[name] or self.saves[name][-1].day != today:
                continue
            rules, merges = self._rules(next(one for one in self.systems if one.name == name), line)
            alive = [one for one in copies if not one.expired]
            kept = rules.keeps(alive[::-1], self.saves[name][-1].due)
            for one in alive:
                one.expired = one not in kept
            if merges:
                self._merge(copies, line)
            needed = {each for one in copies if not one.expired for each in one.needs()}
            gone = {one for one in copies if one not in needed}
            copies[:] = [one for one in copies if one in needed]
            for library in self.libraries.values():
                library.recycle(gone)
        for name, written in self.logs.items():
            held = {one.save for one in self.kept[name, ""] if not one.expired}
            written[:] = [each for each in written if each.after in held]

    def _merge(self, copies: list[Kept], line: str) -> None:
        """Merge each expired copy into the next one, which then saves the changes since the base of the expired one."""
        merged = False
        for one in list(copies):
            following = next((each for each in copies if each.base is one), None)
            if not one.expired or following is None:
                continue
            merged = True
            following.base, following.on = one.base, one.on
            of = following.save
            following.stored = of.size * (of.system.changed(apart(one.on.due, of.due), of.size) if one.on else 1.0)
            copies.remove(one)
        if merged and not line and not self._chunks(copies[-1].target):
            last = copies[-1].save
            self.jobs.append(Job(last.day, last.system.name, last.policy, last.level, "merge", last.due, None, None))

    # ---- data lost

    def losses(self, policy: str = "") -> dict[str, tuple[float, date | None, float, date | None]]:
        """After a loss of each place: the most data lost at noon of any day, its date, their mean, and the first day.

        Of all systems, or of those of one policy.

        The days begin with the first one from which on everything can be restored; without any, everything is lost.
        """
        sums: dict[str, tuple[float, date | None, float, date | None]] = {}
        for place in ("", *sorted(set(self.places.values()))):
            days: dict[date, float] = {}
            for day in self.days:
                lost = self.lost(place, day, policy)
                if days or lost < math.inf:
                    days[day] = lost
            if days:
                worst = max(days, key=lambda day: days[day])
                sums[place] = days[worst], worst, sum(days.values()) / len(days), min(days)
            else:
                sums[place] = math.inf, None, math.inf, None
        return sums

    def lost(self, place: str, day: date, policy: str = "") -> float:
        """Seconds of data lost by the system that loses most, at noon of a day."""
        of = self.of_policy[policy] if policy else [each.name for each in self.systems]
        lost = [self.days[day].lost[place, name] for name in of]
        return max(math.inf if one is None else one for one in lost)

    # ---- cost

    def costs(self) -> dict[str, dict[str, float]]:
        """Cost of each month: pools by capacity, cartridges when bought, objects by the day and by the request."""
        sums: dict[str, dict[str, float]] = {}
        for name, keys in self.site["targets"].items():
            prices = keys.get("prices", self.site.get("prices"))
            bought = 0
            for day, figures in self.days.items():
                month = sums.setdefault(f"{day:%Y-%m}", {"pools": 0.0, "cartridges": 0.0, "objects": 0.0})
                if prices is None:
                    continue
                if name in self.libraries:
                    _, now, _ = figures.cartridges[name]
                    month["cartridges"] += (now - bought) * number(prices.get("cartridge"))
                    bought = now
                elif is_pool(keys):
                    month["pools"] += self.capacity(name) / 1e12 * number(prices.get("pool_month")) * 12 / 365
                else:
                    month["objects"] += self._paid(name, prices, day)
        return sums

    def capacity(self, target: str) -> float:
        """Bytes that an array of the pool holds: two of its disks hold redundancy."""
        device = self.site["targets"][target]["device"]
        return (device["disks"] - 2) * 20e12

    def _paid(self, target: str, prices: Mapping[str, Any], day: date) -> float:
        least = timedelta(seconds=number(prices.get("minimum_storage")))
        stored = sum(
            one.size for one in self.objects[target] if one.made <= day and (day < one.gone or day < one.made + least)
        )
        write = number(prices.get("write_requests"))
        part = number(prices.get("part_requests"), write)
        requests = sum(one.requests(write, part) for one in self.objects[target] if one.made == day)
        return stored / 1e12 * number(prices.get("object_month")) * 12 / 365 + requests / 1e6

    # ---- sums

    def _stored(self) -> dict[str, float]:
        """Bytes at each target."""
        sums: dict[str, float] = dict.fromkeys(self.site["targets"], 0.0)
        chunks: dict[tuple[str, str], dict[date, Save]] = defaultdict(dict)
        for copies in self.kept.values():
            for one in copies:
                if self._chunks(one.target):
                    chunks[one.target, one.save.system.name][one.save.day] = one.save
                else:
                    sums[one.target] += self.reduced(one.target, one.save.system, self._alone(one, copies))
        for (target, _), saves in chunks.items():
            before = None
            for _, save in sorted(saves.items()):
                sums[target] += self.reduced(target, save.system, new_chunks(save, before))
                before = save
        for written in self.logs.values():
            for each in written:
                sums[each.target] += self.reduced(each.target, each.after.system, each.size)
        return sums

    def _alone(self, one: Kept, copies: list[Kept]) -> float:
        """Bytes of a copy that no older one there has: a synthetic full backup may share unchanged blocks."""
        if one.save.level != "synthetic_full" or not self.site["targets"][one.target].get("clones") or one.line:
            return one.stored
        before = [each for each in copies if each.save.day < one.save.day]
        if not before:
            return one.stored
        return one.save.size * one.save.system.changed(apart(before[-1].save.due, one.save.due), one.save.size)

    def reduced(self, target: str, of: System, size: float) -> float:
        """Bytes at a target after compression and deduplication there."""
        keys = self.site["targets"][target]
        if target in self.libraries:
            return size / of.compression
        return size / (number(keys.get("reduction"), 1.0) if of.reduction is None else of.reduction)

    def _count(self, figures: Day, today: date, early: Early) -> None:
        noon = self.at(today, "12:00")
        for each in self.systems:
            whole = self._whole(each.name)
            left = [one for copies in self._of(each.name) for one in copies if not one.expired]
            figures.points[each.name] = len({one.save for copies in whole.values() for one in copies})
            figures.useless[each.name] = len(left) - sum(len(copies) for copies in whole.values())
            made = self.saves[each.name]
            at_noon, logs = (whole, self.logs[each.name]) if made and made[-1].due <= noon else early[each.name]
            for lost in ("", *sorted(set(self.places.values()))):
                left = {
                    one.save
                    for place, copies in at_noon.items()
                    for one in copies
                    if place != lost and one.begins <= noon
                }
                figures.lost[lost, each.name] = self._lost(each, left, lost, logs, noon)
        record = number(self.site.get("index_record"))
        held: dict[Save, float] = {}
        for copies in self.kept.values():
            for one in copies:
                held[one.save] = max(held.get(one.save, 0.0), self.files(one))
        figures.catalogue = record * sum(held.values())

    def _lost(self, each: System, left: set[Save], lost: str, logs: list[Log], noon: datetime) -> float | None:
        """Seconds of data lost at noon if some restore points are left, and the logs that are not in a lost place.

        Logs help if all that were written since the newest restore point are in one place that is left.
        """
        if not left:
            return None
        newest = max(left, key=lambda save: save.due)
        seconds = apart(newest.due, noon)
        _, policy = self._policy(each)
        if "logs" in policy:
            since = [save for save in self.saves[each.name] if newest.due <= save.due <= noon][:-1]
            for target in listed(policy["logs"].get("to") or policy["to"]):
                there = {one.after for one in logs if one.target == target}
                if self.places[target] != lost and there.issuperset(since):
                    seconds = min(seconds, number(policy["logs"]["every"]))
        return seconds

    def _of(self, system: str) -> list[list[Kept]]:
        """The lines of a system."""
        return [copies for (name, _), copies in self.kept.items() if name == system]

    def _whole(self, system: str) -> dict[str, list[Kept]]:
        """What can be restored from each place."""
        there: dict[str, list[Kept]] = defaultdict(list)
        for copies in self._of(system):
            for one in copies:
                there[self.places[one.target]].append(one)
        return {place: restorable(copies) for place, copies in there.items()}

    def files(self, one: Kept) -> float:
        """Files of a copy of a save set."""
        return one.save.system.files / one.save.system.size * one.stored


def is_tape(keys: Mapping[str, Any]) -> bool:
    """Whether a target is a tape library."""
    return isinstance(keys["device"], Mapping) and "drive" in keys["device"]


def is_store(keys: Mapping[str, Any]) -> bool:
    """Whether a target is object storage."""
    return "object_store" in str(keys["device"])


def is_pool(keys: Mapping[str, Any]) -> bool:
    """Whether a target is a pool of disks."""
    return not is_tape(keys) and not is_store(keys)


def apart(begin: datetime, end: datetime) -> float:
    """Seconds between two moments, as a clock counts that knows no daylight saving."""
    return end.timestamp() - begin.timestamp()


def new_chunks(save: Save, before: Save | None) -> float:
    """Bytes of the chunks of a system that have changed since an older save set, all of them without one."""
    if before is None:
        return save.size
    changed = save.system.differs(apart(before.due, save.due), save.size)
    return save.size * (1.0 - (1.0 - changed) ** (1.0 + CHUNK / save.system.run))


def restorable(there: list[Kept]) -> list[Kept]:
    """Those of the copies in one place that are kept, and whose whole chain is there."""
    whole: set[Save] = set()
    found: list[Kept] = []
    for one in sorted(there, key=lambda each: each.save.due):
        if one.on is None or one.on in whole:
            whole.add(one.save)
            found += [] if one.expired else [one]
    return found


def as_on_any_day(save: Save, size: float) -> float | None:
    """Bytes of a job of a save set, unless clocks have changed since its base."""
    return None if save.since % DAY and size < save.size else size


def shown(save: Save) -> str:
    """The level as tables name it."""
    return "first full" if save.first else save.level
