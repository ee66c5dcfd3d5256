"""What a site file may say: systems, policies, targets, copies, growth and prices."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from simbackup.planning.policy import LimitSpec, PolicySpec, RawPart, readable
from simbackup.planning.prices import PricesSpec
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
    Reduction,
    SizePerFile,
    Text,
)

EARLIEST, LATEST = date(1900, 1, 1), date(2200, 1, 1)
"""First days of sites, far enough from the first and the last day that dates can have."""


def _date(raw: Any) -> Any:
    """A date, written as ISO 8601 has it, between the earliest and the latest."""
    try:
        found = raw if isinstance(raw, date) else date.fromisoformat(str(raw))
    except ValueError:
        told = f"'{raw}' is not a date", "write for example '2027-01-04'"
    else:
        if EARLIEST <= found <= LATEST:
            return found
        told = f"'{raw}' is out of bounds", f"write a day from {EARLIEST} to {LATEST}"
    problems = [((), *told)]
    raise PydanticCustomError("given", "{message}", {"problems": problems, "message": told[0]})


MOST_GROWTH = 5.0
"""Growth of a site in a year from which on a text is taken for a slip."""
CalendarDay = Annotated[date, BeforeValidator(_date)]


class SystemSpec(Frozen):
    """A system that is backed up: a machine with its data."""

    size: PositiveSize
    """Bytes of its data at the start."""
    policy: Text
    """The policy that its backups follow."""
    files: PositiveCount | None = None
    """Number of its files; one by default."""
    filesystem: RawPart = None
    """Its file system: a datasheet `filesystem/name`, or a mapping; needed by file_level backups."""
    change: RawPart = None
    """How its data change and grow: a datasheet `change/name`, or a mapping."""
    log: Multiple | None = None
    """Bytes of its transaction log per day, as a share of its data; by default those of all changes, including repeated
    changes of the same data.
    """
    compression: Reduction | None = None
    """Compression ratio on tape: bytes before divided by bytes after compression, such as `2:1`; 1 by default."""
    method: Literal["image", "file_level"] | None = None
    """How it is backed up; by default, `file_level` if it has a file system, otherwise `image`."""
    machine: Text | None = None
    """Its kind of machine, a name under `machines`; the first one by default."""
    priority: Count | None = None
    """Systems with lower numbers are restored first, and systems without a number last, the smallest of them first. If
    backups wait in the order `priority`, those with lower numbers also run first.
    """

    def by_file(self) -> bool:
        """Whether its files are saved one by one."""
        return (self.method or ("file_level" if self.filesystem is not None else "image")) == "file_level"


class MachineSpec(Frozen):
    """A kind of machine: the host of a system, and the device that holds its data."""

    host: RawPart
    """The host: a datasheet `host/name`, or a mapping."""
    storage: RawPart
    """The device: a datasheet, or a mapping. Its capacity is made large enough for the growth."""
    place: Text = "main"
    """The place where machines of this kind are, which may be lost as a whole."""
    limit: LimitSpec | None = None
    """How many systems of this kind are saved at once, for example because they share hosts; no limit by default."""


class TargetSpec(Frozen):
    """A target of backups or copies: a disk pool, a tape library or object storage, with its host."""

    device: RawPart
    """The device, as under `devices` of a scenario: an array, a tape library, an object store."""
    host: RawPart = None
    """The host that owns it: a datasheet or a mapping; with `beside`, the hosts of the targets named there."""
    beside: Names = ()
    """One or more other targets whose hosts reach this one over `link`."""
    link: RawPart = None
    """The link from the host to the device, as under `links` of a scenario; a library or a store needs one."""
    network: RawPart = None
    """The link that joins the host to the network of the site; the network itself by default."""
    place: Text = "main"
    """The place where it is, which may be lost as a whole."""
    account: Text | None = None
    """The account whose owner can delete what is kept here, such as that of a cloud; none by default."""
    key: Text | None = None
    """The key without which nothing here can be read, if it is encrypted; none by default."""
    immutable: Duration | None = None
    """For how long nobody can change or delete what is written here, as with a lock on objects; not at all by
    default."""
    pool: Text | None = None
    """The pool of the library whose cartridges are written."""
    offsite: bool = False
    """Whether cartridges are removed after each session and kept elsewhere, so that each session begins new ones."""
    cartridges: Count | None = None
    """Number of cartridges at the start; none by default."""
    fetch: Duration | None = None
    """Time from the loss until a restore can read what is kept there, such as that of a courier, beside `recovery` and
    `catalogue`; none by default."""
    reduction: Reduction | None = None
    """Bytes before divided by bytes after compression and deduplication at the target; with `deduplication`, what
    compression of new chunks saves beyond that. 1 by default.
    """
    deduplication: RawPart = None
    """How it deduplicates what it receives: a datasheet `deduplication/name`, or a mapping as under `deduplication` of
    a job. What is new to it follows from how the systems change. It keeps chunks only once that several save sets of a
    system have, and copies to another target that deduplicates send only chunks that are new there.
    """
    clones: bool = False
    """Whether a synthetic full backup shares unchanged blocks with older save sets: if so, only changed data are read,
    written and stored; otherwise everything is.
    """
    connections: Pieces | None = None
    """Number of connections over which each backup, copy and restore spreads its bytes, such as 16 to an object store;
    one by default.
    """
    object_size: PositiveSize | None = None
    """Bytes of each object that backups and copies write into an object store, such as `64 MiB`; by default, one object
    for each file of a file-level backup, or else one for each save set.
    """
    limit: LimitSpec | None = None
    """How many backups and copies it takes at once; no limit by default."""
    prices: PricesSpec | None = None
    """What storage costs here; by default, what it costs in the whole site."""


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
    limit: LimitSpec | None = None
    """How many backups and copies the backup server runs at once; no limit by default."""
    growth: Multiple | None = None
    """Yearly growth of all systems whose `change` does not state one."""
    index_record: SizePerFile | None = None
    """Bytes that the catalogue keeps for each file of each save set; none by default."""
    recovery: Duration | None = None
    """Time from a loss until there is hardware: for decisions and new hosts; none by default."""
    catalogue: Duration | None = None
    """Time needed after `recovery` to recover the catalogue on the backup server, before which nothing can be restored;
    none by default."""
    operator: Duration | None = None
    """Time that one person needs to prepare each system for its restore, one after another: for example, to look up
    what is wanted, or to boot it from a medium. It begins after `recovery`, beside `catalogue` and `fetch`; none by
    default.
    """
    prices: PricesSpec | None = None
    """What storage costs; by default, no costs are reported."""

    def rules(self) -> Rules:
        """Report a time zone that does not exist, and growth without its sign of per cent."""
        yield from readable("zone", ZoneInfo, self.zone, "write for example 'Europe/Berlin' or 'UTC'")
        if self.growth is not None and self.growth.si > MOST_GROWTH:
            slip = f"did you mean '{self.growth.si:g} %'?" if "%" not in self.growth.text else ""
            remedy = slip or f"write at most {100.0 * MOST_GROWTH:.0f} %"
            yield ("growth",), f"is {100.0 * self.growth.si:,.0f} % in a year", remedy
