"""What a site file may say about policies: which backups run when, where they go, and how long they are kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from dateutil.relativedelta import relativedelta
from pydantic import BeforeValidator, Field

from simbackup.devices.job_queue.spec import Order
from simbackup.errors import choices
from simbackup.policies import days as calendar_days
from simbackup.policies.clock import WEEKDAYS, Opening, Window, clock, deadline
from simbackup.policies.levels import Level
from simbackup.policies.retention import NO_AGE, Retention, period
from simbackup.schema.job import Names
from simbackup.schema.part import Rules
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Pieces,
    PositiveDuration,
    PositiveSize,
    Rate,
    Text,
    Word,
    usual,
)
from simbackup.units import UnitError

RawPart = Annotated[Any, BeforeValidator(lambda raw: raw)]  # pyright: ignore[reportUnknownLambdaType]
"""A part of a scenario, which is checked there."""
Counted = Count | None
LONGEST_GAP = 366
"""Days after a backup in which a window that opens next is searched for."""
SHORTEST = 10
"""Seconds between two backups of a log, below which a window of a week would hold too many."""
LevelName = Literal["full", "synthetic_full", "differential", "cumulative", "incremental"]


class LimitSpec(Frozen):
    """How many backups and copies run at once, and in which order the others wait."""

    at_once: Pieces
    """Maximum number that run at the same time."""
    order: Annotated[Order, Word()] = "first_come"
    """Which waiting job runs first: the one that came first, the one with the most bytes to save, that of the system
    with the lowest `priority`, or the one whose window ends first.
    """


_NO_TIME = re.compile(r"\s*0+(?!\d)")
KEEPS_ALL = "leave it out; without any rule, everything is kept forever"


class RetentionSpec(Frozen):
    """How long restore points are kept: a restore point stays as long as any of these rules keeps it."""

    last: Counted = None
    """Number of newest restore points to keep, such as `14`."""
    age: Text | None = None
    """Keep all that are younger than this, such as `5 weeks` or `3 months`."""
    daily: Counted = None
    """Keep the newest of each of this many days that have any, including today."""
    weekly: Counted = None
    """The same for weeks. This week counts, too: `5` keeps the last of a week for four
    weeks; write `6` for five."""
    monthly: Counted = None
    """The same for months. This month counts, too: `12` keeps the last of a month for eleven
    months; write `13` for twelve."""
    yearly: Counted = None
    """The same for years. This year counts, too: `7` keeps the last of a year for six years;
    write `8` for seven."""
    of: Literal["full", "any"] = "any"
    """Which restore points `daily`, `weekly`, `monthly` and `yearly` count: only full backups, or all."""

    def rules(self) -> Rules:
        """Report an age that is not one, and rules that keep nothing."""
        for name in ("last", "daily", "weekly", "monthly", "yearly"):
            given = getattr(self, name)
            if given is not None and given.si < 1.0:
                yield (name,), "keeps nothing", KEEPS_ALL
        if self.age is not None:
            yield from readable("age", period, self.age, "write for example '35 days', '5 weeks', '7 years'")
            if _NO_TIME.match(self.age):
                yield ("age",), "keeps nothing", KEEPS_ALL

    def made(self) -> Retention:
        """The retention."""
        counts: dict[str, Any] = {
            name: int(given.si)
            for name in ("last", "daily", "weekly", "monthly", "yearly")
            if (given := getattr(self, name)) is not None
        }
        age: relativedelta = period(self.age) if self.age is not None else NO_AGE
        return Retention(**counts, age=age, only_full=self.of == "full")


class SecondCopySpec(Frozen):
    """A second copy of the save sets of a policy."""

    to: Text
    """The target that takes the copy."""
    which: Literal["all", "full"] = "all"
    """Which save sets are copied: all, or only full backups."""
    on: Names = ("daily",)
    """The dates of the save sets that are copied, in the same form as `schedule`."""
    at: Text | None = None
    """The time of day at which copying begins, the next one after the backup is due, such as `08:00`; after each backup
    by default."""
    by: Text | None = None
    """The time of day by which it should have ended, or that of a weekday, such as `monday 06:00`."""
    retention: RetentionSpec | None = None
    """How long it is kept; forever by default."""
    merges: bool = False
    """Whether an expired copy is merged into the next one; otherwise it is kept as long as others in its chain need it.
    """
    seeded: bool = False
    """Whether the first copy is brought there on a disk or a tape, and is there as soon as the backup is; otherwise it
    crosses the network like the others.
    """

    def rules(self) -> Rules:
        """Report days and times of day that are none."""
        yield from _days("on", self.on)
        if self.at is not None:
            yield from readable("at", clock, self.at, "write for example '08:00'")
        if self.by is not None:
            yield from readable("by", deadline, self.by, "write for example '08:00' or 'monday 08:00'")


class StagingSpec(Frozen):
    """A disk that takes backups before they go to tape."""

    on: Text
    """The target whose disks take them."""
    size: PositiveSize
    """Space there for each running backup; when it is full, its contents go to tape."""
    overlapped: bool = True
    """Whether one half of the space is filled while the other half goes to tape; otherwise filling and emptying take
    turns.
    """


class LogsSpec(Frozen):
    """Backups of transaction logs between the scheduled backups, all day."""

    every: PositiveDuration
    """Time between two log backups; a loss may cost the changes of that time."""
    to: Names = ()
    """The disk pools or object stores that take them; by default, the target of the policy."""
    replay: Rate | None = None
    """Bytes of logs that a database applies per second in a restore; by default, as fast as they are read."""

    def rules(self) -> Rules:
        """Report a time of which a night has too many."""
        if self.every.si < SHORTEST:
            yield ("every",), f"is shorter than {SHORTEST} s", f"write {SHORTEST} s or more"


class SnapshotsSpec(Frozen):
    """Frozen images of the data of a system, on its own storage, all day.

    `protect` counts them as copies. Plans of windows and capacity leave them out: simulate in a scenario what they cost
    in time and room.
    """

    image: RawPart
    """What freezes the data: a datasheet such as `checkpoint/name`, `snapshot/name` or `mirror/name`, or a mapping. A
    mirror lies on disks of its own in the same array; all others need the disks of the data."""
    every: PositiveDuration
    """Time from one to the next, counted from midnight."""
    retention: RetentionSpec
    """How long they are kept."""
    immutable: Duration = usual("0 s", "s")
    """For how long nobody can change or delete one, not even an administrator."""

    def rules(self) -> Rules:
        """Report snapshots at shorter intervals than can be simulated."""
        if self.every.si < SHORTEST:
            yield ("every",), f"is shorter than {SHORTEST} s", f"write {SHORTEST} s or more"


Method = Literal["image", "file_level", "database_native", "logical_dump", "hot_copy", "program"]
"""How systems can be backed up in plans."""
BY_FILE, DUMP, PROGRAM, COMPRESSOR = "file_level", "logical_dump", "program", "compressor"
"""Methods of which plans know more, and the key of what compresses."""
PLAIN = frozenset({"image", BY_FILE})
"""Methods that save any data, and into whose save sets others are merged."""
LOADED = frozenset({DUMP, "hot_copy"})
"""Methods that need a database, and whose backups and restores have workers."""
WHOLE = frozenset({"database_native", *LOADED})
"""Methods that always save all data."""
METHODS_OF: Mapping[str, tuple[str, ...]] = {
    "engine": ("database_native",), "compress": ("database_native",), "program": ("program",),
    "operation": ("program",),
    "tool": ("image", "file_level", "logical_dump", "hot_copy"),
    "compressor": ("image", "file_level", "logical_dump", "hot_copy", "program"), "staging": ("image", "file_level"),
}  # fmt: skip
"""The methods with which keys of a policy have an effect."""


class PolicySpec(Frozen):
    """When the backups of some systems run, where they go, and how long they are kept."""

    to: Annotated[Names, Field(min_length=1)]
    """The target that takes the backups. Several targets divide the systems among them, with about the same amount of
    data for each and for its host, with those of other policies; and each has a policy of its own, `NAME-TARGET`.
    """
    at: Text
    """The time of day at which they begin, such as `20:00`."""
    schedule: Annotated[dict[LevelName, Names], Field(min_length=1)]
    """The dates on which each level begins, such as `{full: saturday, incremental: sunday to friday}`: `daily`, `first
    saturday`, `last day of march`, `every 2 weeks on sunday`, `2027-12-31`. Of levels on one date, the first runs."""
    spread: bool = False
    """Whether full backups are spread over the days of the week, so that each day saves about the same amount, with
    those of other policies: each system has its own day instead of that of `full`, and the policy becomes seven,
    `NAME-monday` to `NAME-sunday`.
    """
    without: Names = ()
    """Dates on which nothing begins."""
    window: Text | None = None
    """The window, such as `20:00 to 06:00`."""
    windows: dict[Text, Text] = Field(default_factory=dict)
    """Windows that open on particular dates, which override `window`, such as `saturday: "18:00 to 12:00"`."""
    retention: RetentionSpec | None = None
    """How long restore points are kept; forever by default."""
    merges: bool = False
    """Whether an expired restore point is merged into the next one, as in incremental-forever backups."""
    copies: dict[Text, SecondCopySpec] = Field(default_factory=dict)
    """Second copies, by name."""
    method: Method | None = None
    """How its systems are backed up, as the `method` of a job; by default, each by its own. `database_native`,
    `logical_dump` and `hot_copy` save whole databases: let `logs` save the changes between.
    """
    tool: RawPart = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""
    engine: RawPart = None
    """The backup engine of `database_native` backups: a datasheet `backup_engine/name`, or a mapping."""
    compress: bool = False
    """Whether `database_native` backups are compressed, with the `compression` of each system."""
    program: RawPart = None
    """The program of the method `program`: a datasheet `program/name`, or a mapping. Incremental and differential
    backups take what has changed since. Its operation `restore`, if it has one, brings data back.
    """
    operation: Text | None = None
    """Which operation of the `program` saves; `backup` by default."""
    logs: LogsSpec | None = None
    """Backups of the logs of databases; none by default. They are kept as long as the restore point before them."""
    snapshots: SnapshotsSpec | None = None
    """Frozen images on the storage of the systems; none by default."""
    staging: StagingSpec | None = None
    """A disk that holds backups until they go to tape, if `to` is a library; none by default. To keep backups on disk
    as well, name the disk under `to`, and the library under `copies`.
    """
    workers: Pieces | None = None
    """Number of workers that walk the files, dump tables or copy files at the same time."""
    proxy: Names = ()
    """The host that reads and restores the data of its systems in their place, a name under `hosts`. Several hosts
    divide the systems among them, with about the same amount of data for each. By default, their own hosts do.
    """
    compressor: RawPart = None
    """How backups are compressed, with the `compression` of each system: a datasheet `compressor/name`, or a mapping as
    under `compressor` of a job, whose `at` says where: by the `client`, on the `wire`, by the `server`, or in the
    `target`. By default, only tape drives compress.
    """
    retries: Count | None = None
    """How often a backup or copy is retried after a failure; never by default."""
    retry_after: Duration | None = None
    """Time between a failure and the next attempt; none by default."""

    def rules(self) -> Rules:
        """Report days, times and windows that are none, and fathers without a full backup."""
        yield from readable("at", clock, self.at, "write for example '20:00'")
        for level, texts in self.schedule.items():
            yield from _days(f"schedule.{level}", texts)
        yield from _days("without", self.without)
        for days in self.windows:
            yield from _days(f"windows.{days}", (days,))
        windows = {"window": self.window, **{f"windows.{days}": text for days, text in self.windows.items()}}
        for key, text in windows.items():
            if text is not None:
                yield from readable(key, window, text, "write for example '20:00 to 06:00'")
        if self.spread and "full" not in self.schedule:
            yield ("spread",), "there are no full backups to spread", "write 'full' under 'schedule'"
        yield from self._methods()
        if self.merges and set(self.schedule) - {"incremental"}:
            message = "only a policy with nothing but incrementals merges them"
            yield ("merges", "schedule"), message, "write 'schedule: {incremental: daily}'"

    def _methods(self) -> Rules:
        """Report keys of other methods, methods without what they need, and levels that they do not have."""
        for key, methods in METHODS_OF.items():
            stated = getattr(self, key) is not None and getattr(self, key) is not False
            if stated and self.method is not None and self.method not in methods:
                yield (key,), f"has no effect with 'method: {self.method}'", "leave it out"
            if stated and self.method is None and len(methods) == 1:
                yield (key,), "has no effect here", f"write 'method: {methods[0]}', too"
        for key, method in (("program", "program"), ("engine", "database_native")):
            if self.method == method and getattr(self, key) is None:
                datasheet = "program/pgbackrest-2" if key == "program" else "backup_engine/sql-server-2019"
                yield (key,), "is missing", f"write for example '{key}: {datasheet}'"
        if self.method in WHOLE and set(self.schedule) - {"full"}:
            message = f"'{self.method}' always saves everything"
            yield ("schedule",), message, "write only 'full', and 'logs:' for what changes between"
        if self.method not in {None, *PLAIN} and (self.merges or "synthetic_full" in self.schedule):
            key = "merges" if self.merges else "schedule"
            yield (key,), f"nothing is merged into what '{self.method}' has saved", "write full backups"

    @property
    def target(self) -> str:
        """The target that takes the backups, when the policy is divided among several."""
        return self.to[0]

    def window_on(self, day: date, since: date) -> Window | None:
        """The window that opens on a day, None if there is none, in a plan that begins on another day."""
        for days, text in self.windows.items():
            if calendar_days.named((days,), day, since):
                return window(text)
        return window(self.window) if self.window is not None else None

    def opening_at(self, time: datetime, since: date) -> Opening | None:
        """The opening that contains a moment, otherwise the next one; None without any, in a plan that begins on a day.

        A window belongs to the date on which it opens: that of the evening before may still be open in the morning.
        """
        if self.window is None and not self.windows:
            return None
        zone = time.tzinfo
        for days in range(-1, LONGEST_GAP):
            day = time.date() + timedelta(days=days)
            found = self.window_on(day, since)
            if found is not None and (opening := found.on(day, zone)).closes > time:
                return opening
        return None

    def levels(self) -> list[tuple[Level, tuple[str, ...]]]:
        """Levels and their days, in the order of the file."""
        return [(Level(name), texts) for name, texts in self.schedule.items()]


def window(text: str) -> Window:
    """The window that a text such as `20:00 to 06:00` names.

    Raises
    ------
    UnitError
        It names none.
    """
    opens, to, closes = text.partition(" to ")
    if not to:
        raise UnitError(f"'{text}' does not say when the window opens and closes")
    return Window(clock(opens), clock(closes))


def readable(key: str, read: Any, text: str, remedy: str) -> Rules:
    """Report a text that cannot be read."""
    try:
        read(text)
    except (UnitError, ValueError, KeyError, OSError) as error:
        message = str(error).partition("; ")[0]
        yield (key,), message if message.startswith(f"'{text}'") else f"'{text}' cannot be read", remedy


def _days(key: str, texts: tuple[str, ...]) -> Rules:
    for text in texts:
        try:
            calendar_days.check(text)
        except calendar_days.DayError as error:
            message, _, remedy = str(error).partition("; ")
            slip = choices(text, (*WEEKDAYS, "daily"))
            yield (key,), message, slip if slip.startswith("did you mean") else remedy
