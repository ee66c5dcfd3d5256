"""What a site file may say: systems, policies, targets, copies, growth and prices."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from simbackup.planning.prices import PricesSpec
from simbackup.policies import days as calendar_days
from simbackup.policies.clock import Window, clock
from simbackup.policies.levels import Level
from simbackup.policies.retention import NO_AGE, Retention, period
from simbackup.schema.job import Names
from simbackup.schema.part import Rules
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Multiple,
    Pieces,
    PositiveCount,
    PositiveSize,
    Ratio,
    SizePerFile,
    Text,
)
from simbackup.units import UnitError


def _date(raw: Any) -> Any:
    """A date, written as ISO 8601 has it."""
    try:
        return raw if isinstance(raw, date) else date.fromisoformat(str(raw))
    except ValueError:
        told = [((), f"'{raw}' is not a date", "write for example '2027-01-04'")]
        raise PydanticCustomError("given", "{message}", {"problems": told, "message": told[0][1]}) from None


CalendarDay = Annotated[date, BeforeValidator(_date)]
RawPart = Annotated[Any, BeforeValidator(lambda raw: raw)]  # pyright: ignore[reportUnknownLambdaType]
"""A part of a scenario, which is checked there."""
Counted = Count | None
LevelName = Literal["full", "synthetic_full", "differential", "cumulative", "incremental"]


class RetentionSpec(Frozen):
    """How long restore points are kept: whatever one of the rules keeps."""

    last: Counted = None
    """The newest so many."""
    age: Text | None = None
    """All that are younger, such as `5 weeks`, `3 months`."""
    daily: Counted = None
    """The newest of each of the last so many days that have any."""
    weekly: Counted = None
    """The newest of each of so many weeks, as of days."""
    monthly: Counted = None
    """The newest of each of so many months."""
    yearly: Counted = None
    """The newest of each of so many years."""
    of: Literal["full", "any"] = "any"
    """Which restore points days, weeks, months and years count: full backups alone, or all."""

    def rules(self) -> Rules:
        """Report an age that is not one."""
        if self.age is not None:
            yield from _read("age", period, self.age, "write for example '35 days', '5 weeks', '7 years'")

    def made(self) -> Retention:
        """The retention."""
        counts = {
            name: int(given.si)
            for name in ("last", "daily", "weekly", "monthly", "yearly")
            if (given := getattr(self, name)) is not None
        }
        age: relativedelta = period(self.age) if self.age is not None else NO_AGE
        return Retention(age=age, only_full=self.of == "full", **counts)


class SecondCopySpec(Frozen):
    """A second copy of the save sets of a policy."""

    to: Text
    """The target that takes the copy."""
    which: Literal["all", "full"] = "all"
    """Which save sets are copied: all, or full backups alone."""
    on: Names = ("daily",)
    """On which nights, in the words of schedules."""
    at: Text | None = None
    """The time of day at which copying begins, such as `08:00`; after each backup unless stated."""
    by: Text | None = None
    """The time of day by which it should have ended."""
    retention: RetentionSpec | None = None
    """How long it is kept; for ever unless stated."""
    merges: bool = False
    """Whether an expired one is merged into the next one there; unless it is, chains of incrementals stay whole."""

    def rules(self) -> Rules:
        """Report days and times of day that are none."""
        yield from _days("on", self.on)
        for name in ("at", "by"):
            if getattr(self, name) is not None:
                yield from _read(name, clock, getattr(self, name), "write for example '08:00'")


class PolicySpec(Frozen):
    """Which backups of some systems run when, where they go, and how long they are kept."""

    to: Text
    """The target that takes the backups."""
    at: Text
    """The time of day at which they begin, such as `20:00`."""
    schedule: Annotated[dict[LevelName, Names], Field(min_length=1)]
    """The days of each level: `daily`, `saturday`, `monday to friday`, `first saturday`, `last day of march`,
    `every 2 weeks on sunday`, `2027-12-31`. Where several name a day, the level listed first runs."""
    spread: bool = False
    """Whether full backups are spread over the days of the week, so that each day saves about as much: a
    system has its own day instead of that of `full`, and the policy is seven, `NAME-monday` to `NAME-sunday`."""
    without: Names = ()
    """Days on which nothing runs."""
    window: Text | None = None
    """The window, such as `20:00 to 06:00`."""
    windows: dict[Text, Text] = Field(default_factory=dict)
    """Windows of some days, which come before `window`, such as `saturday: "18:00 to 12:00"`."""
    retention: RetentionSpec | None = None
    """How long restore points are kept; for ever unless stated."""
    merges: bool = False
    """Whether an expired restore point is merged into the next one, as in incremental for ever."""
    copies: dict[Text, SecondCopySpec] = Field(default_factory=dict)
    """Second copies, by name."""
    tool: RawPart = None
    """The backup program: a datasheet `backup_tool/name`, or a mapping."""
    workers: Pieces | None = None
    """Workers who walk files at once."""

    def rules(self) -> Rules:
        """Report days, times and windows that are none, and fathers without a full backup."""
        yield from _read("at", clock, self.at, "write for example '20:00'")
        for texts in self.schedule.values():
            yield from _days("schedule", texts)
        yield from _days("without", self.without)
        yield from _days("windows", tuple(self.windows))
        for name, text in (("window", self.window), *(("windows", text) for text in self.windows.values())):
            if text is not None:
                yield from _read(name, window, text, "write for example '20:00 to 06:00'")
        if self.spread and "full" not in self.schedule:
            yield ("spread",), "there are no full backups to spread", "write 'full' under 'schedule'"
        if self.merges and set(self.schedule) - {"incremental"}:
            message = "only a policy of incrementals alone merges them"
            yield ("merges", "schedule"), message, "write 'schedule: {incremental: daily}'"

    def levels(self) -> list[tuple[Level, tuple[str, ...]]]:
        """Levels and their days, in the order of the file."""
        return [(Level(name), texts) for name, texts in self.schedule.items()]


class SystemSpec(Frozen):
    """A system that is backed up: a machine with its data."""

    size: PositiveSize
    """Bytes of its data at the start."""
    policy: Text
    """The policy that its backups follow."""
    files: PositiveCount | None = None
    """Number of its files; one unless stated."""
    filesystem: RawPart = None
    """Its file system: a datasheet `filesystem/name`, or a mapping; needed by file_level backups."""
    change: RawPart = None
    """How its data change and grow: a datasheet `change/name`, or a mapping."""
    compression: Ratio | None = None
    """Bytes before over bytes after compression on tape, such as `2:1`; 1 unless stated."""
    method: Literal["image", "file_level"] | None = None
    """How it is backed up: `file_level` where it has a file system, `image` unless stated."""
    machine: Text | None = None
    """The kind of machine that it is, under `machines`; the first unless stated."""
    priority: Count | None = None
    """Systems with a lower one come back first; those without come last, the smallest first."""

    def by_file(self) -> bool:
        """Whether its files are saved one by one."""
        return (self.method or ("file_level" if self.filesystem is not None else "image")) == "file_level"


class MachineSpec(Frozen):
    """A kind of machine: the host of a system, and the device that holds its data."""

    host: RawPart
    """The host: a datasheet `host/name`, or a mapping."""
    storage: RawPart
    """The device: a datasheet, or a mapping. A capacity is made large enough for the growth."""


class TargetSpec(Frozen):
    """What takes backups or copies: a disk pool, a tape library or object storage, with the host before it."""

    device: RawPart
    """The device, as under `devices` of a scenario: an array, a tape library, an object store."""
    host: RawPart = None
    """The host that owns it, a datasheet or a mapping; that of the target named by `beside` where that is stated."""
    beside: Text | None = None
    """Another target, whose host reaches this one over `link`."""
    link: RawPart = None
    """The link from the host to the device, as under `links` of a scenario; a library or a store needs one."""
    network: RawPart = None
    """The link by which the host is joined to the network of the site; the network itself unless stated."""
    place: Text = "main"
    """The site at which it is, which may be lost as a whole."""
    pool: Text | None = None
    """The pool of the library whose cartridges are written."""
    offsite: bool = False
    """Whether cartridges are taken out after each session and kept elsewhere, so that each session begins new ones."""
    cartridges: Count | None = None
    """Cartridges that are there at the start; none unless stated."""
    fetch: Duration | None = None
    """Time until what is kept there can be read in a restore: a courier, a recall; none unless stated."""
    reduction: Ratio | None = None
    """Bytes before over bytes after compression and deduplication at the target; 1 unless stated."""


class SiteSpec(Frozen):
    """A site: systems, how they are protected, and what it costs."""

    title: Text
    """What the site is, in one line."""
    start: CalendarDay
    """The first day, such as `2027-01-04`."""
    zone: Text = "UTC"
    """The time zone of all times of day, such as `Europe/Berlin`."""
    network: RawPart
    """The network that joins all machines and targets: a datasheet `network/name`, or a mapping."""
    machines: Annotated[dict[Text, MachineSpec], Field(min_length=1)]
    """Kinds of machines by name."""
    targets: Annotated[dict[Text, TargetSpec], Field(min_length=1)]
    """Targets by name."""
    policies: Annotated[dict[Text, PolicySpec], Field(min_length=1)]
    """Policies by name."""
    systems: Annotated[dict[Text, SystemSpec], Field(min_length=1)]
    """Systems by name."""
    growth: Multiple | None = None
    """Growth in a year of all systems whose `change` does not say one."""
    index_record: SizePerFile | None = None
    """Bytes that the catalogue keeps for each file of each save set; none unless stated."""
    recovery: Duration | None = None
    """Time from a loss until restores begin: to decide, to replace hosts, to bring the catalogue back; none unless
    stated."""
    prices: PricesSpec | None = None
    """What storage costs; no costs are reported unless stated."""

    def rules(self) -> Rules:
        """Report a time zone that does not exist."""
        yield from _read("zone", ZoneInfo, self.zone, "write for example 'Europe/Berlin' or 'UTC'")


def window(text: str) -> Window:
    """The window that a text such as `20:00 to 06:00` names.

    Raises
    ------
    UnitError
        It names none.
    """
    opens, _, closes = text.partition(" to ")
    return Window(clock(opens), clock(closes))


def _read(key: str, read: Any, text: str, remedy: str) -> Rules:
    try:
        read(text)
    except (UnitError, ValueError, KeyError, OSError):
        yield (key,), f"'{text}' cannot be read", remedy


def _days(key: str, texts: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, str]]:
    for text in texts:
        try:
            calendar_days.check(text)
        except calendar_days.DayError as error:
            message, _, remedy = str(error).partition("; ")
            yield (key,), message, remedy
