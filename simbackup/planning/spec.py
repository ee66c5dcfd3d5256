"""What a site file may say: systems, policies, targets, copies, growth and prices."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal, cast
from zoneinfo import ZoneInfo, available_timezones

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from simbackup.errors import choices
from simbackup.planning.failure import SiteFailureSpec
from simbackup.planning.policy import LevelName, LimitSpec, PolicySpec, RawPart, readable
from simbackup.planning.prices import PricesSpec
from simbackup.schema.capability import MediaLibrary, RedundantDevice
from simbackup.schema.job import Names
from simbackup.schema.part import Rules
from simbackup.schema.quantity import (
    GROWTH,
    Count,
    Duration,
    Frozen,
    Growth,
    Money,
    Multiple,
    Pieces,
    PositiveCount,
    PositiveDuration,
    PositiveSize,
    Quantity,
    Reduction,
    SizePerFile,
    Text,
    Unit,
    usual,
)
from simbackup.schema.registry import device_kinds

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


MAIN = "main"
"""The place where everything is of which a site does not say it."""
MOST_GROWTH = 5.0
"""Growth of a site in a year from which on a text is taken for a slip."""
CalendarDay = Annotated[date, BeforeValidator(_date)]


def growth_on(text: str) -> Quantity:
    """What a text says of growth from a date on: a size that comes at once, such as `+4 TB`, or a growth in a year.

    Raises
    ------
    UnitError
        It says neither.

    >>> [(said.si, said.unit) for said in map(growth_on, ("+4 TB", "10 %", "10 %/year"))]
    [(4000000000000.0, 'B'), (0.1, '1'), (0.1, '1')]
    """
    if text.startswith("+"):
        return Unit("B").read(text[1:].strip())
    return GROWTH.read(re.sub(r"\s*(/|a|per)\s*year\Z", "", text) if "%" in text else text)


def _turns(dates: Mapping[date, str]) -> Rules:
    """Report growth from dates that cannot be read."""
    for day, text in dates.items():
        yield from readable(
            f"growth_from.{day}", growth_on, text, f"write for example '{day}: 10 %', '2 TB/year' or '+4 TB'"
        )


class SystemSpec(Frozen):
    """A system that is backed up: a machine with its data."""

    size: PositiveSize
    """Bytes of its data at the start."""
    count: Pieces = usual("1")
    """How many systems it stands for, each with all that is said here: of `web` with 12, `web01` to `web12`."""
    policy: Text
    """The policy that its backups follow."""
    files: PositiveCount | None = None
    """Number of its files; one by default."""
    filesystem: RawPart = None
    """Its file system: a datasheet `filesystem/name`, or a mapping; needed by file_level backups."""
    database: RawPart = None
    """The engine of its database: a datasheet `database/name`, or a mapping; needed by logical dumps and hot copies."""
    change: RawPart = None
    """How its data change and grow: a datasheet `change/name`, or a mapping."""
    growth: Growth | None = None
    """Its yearly growth: a share, compounded, such as `20 %`, or a size such as `2 TB/year`; by default, that of its
    `change`, or else that of the site.
    """
    growth_from: dict[CalendarDay, Text] = Field(default_factory=dict[date, str])
    """How it grows from some dates on: a share or a size a year, as in `growth`, or `+` and a size that comes at once,
    such as `{2027-07-01: +4 TB, 2028-01-01: 10 %}`; by default, as before.
    """
    log: Multiple | None = None
    """Bytes of its transaction log per day, as a share of its data; by default those of all changes, including repeated
    changes of the same data.
    """
    compression: Reduction | None = None
    """Compression ratio on tape: bytes before divided by bytes after compression, such as `2:1`; 1 by default."""
    reduction: Reduction | None = None
    """Bytes before divided by bytes after compression and deduplication on disks and in object stores; by default, the
    `reduction` of each target.
    """
    method: Literal["image", "file_level"] | None = None
    """How it is backed up; by default, `file_level` if it has a file system, otherwise `image`."""
    machine: Text | None = None
    """Its kind of machine, a name under `machines`, if it shares nothing; the first one by default."""
    host: Text | None = None
    """The host on which it runs, a name under `hosts`, if it shares that with others."""
    datastore: Text | None = None
    """The datastore that holds its data, a name under `datastores`, if it has a `host`; the first one by default."""
    priority: Count | None = None
    """Systems with lower numbers are restored first, and systems without a number last, the smallest of them first. If
    backups wait in the order `priority`, those with lower numbers also run first.
    """
    needs: Names = ()
    """Other systems without which it is of no use, such as its database: a restore of the site brings these back before
    it, and it counts as back when they are.
    """
    history: tuple[LevelName, ...] = ()
    """Levels of its backups to whose own past runs constants of their program were fitted (`simbackup calibrate
    --history`), such as `[full]`: such a backup is as unsure as those runs scatter, not as the model is elsewhere.
    """

    def rules(self) -> Rules:
        """Report growth from dates that cannot be read."""
        yield from _turns(self.growth_from)

    def by_file(self) -> bool:
        """Whether its files are saved one by one."""
        return (self.method or ("file_level" if self.filesystem is not None else "image")) == "file_level"


class MachineSpec(Frozen):
    """A kind of machine: the host of a system, and the device that holds its data."""

    host: RawPart
    """The host: a datasheet `host/name`, or a mapping."""
    storage: RawPart
    """The device: a datasheet, or a mapping. Its capacity is made large enough for the growth."""
    place: Text = MAIN
    """The place where machines of this kind are, which may be lost as a whole."""
    limit: LimitSpec | None = None
    """How many systems of this kind are saved at once, for example because they share hosts; no limit by default."""


class SiteHostSpec(Frozen):
    """A host that systems and targets share: a hypervisor with its guests, a proxy, a media server."""

    host: RawPart
    """The host: a datasheet `host/name`, or a mapping."""
    network: RawPart = None
    """The link that joins it to the network of the site, or to its uplink; by default, that of the site."""
    uplink: Text | None = None
    """The uplink over which it reaches the network of the site, a name under `uplinks`; it is on that network itself by
    default.
    """
    place: Text | None = None
    """The place where it is, which may be lost as a whole; `main` by default."""
    slots: Pieces | None = None
    """How many backups, copies and restores it handles at once, of its systems, as a proxy and for its targets; no
    limit by default.
    """
    within: Text | None = None
    """The host on which it runs, if it is a virtual machine, such as a proxy that reads by hot-add. It uses the
    processor and the links of that host.
    """
    share: RawPart = None
    """How it reads as a proxy over the network, from the hosts of the systems: a datasheet `share/name`, such as
    `share/vmware-nbd-6.7`, or a mapping. By default, it reads from their datastores itself, and uses nothing of these
    hosts.
    """

    def rules(self) -> Rules:
        """Refuse links and a place of a virtual machine: it has those of its host."""
        for key, what in (("network", "uses the links"), ("uplink", "uses the links"), ("place", "is at the place")):
            if self.within is not None and getattr(self, key) is not None:
                yield (key,), f"a virtual machine {what} of its host, '{self.within}'", "leave it out"


class DatastoreSpec(Frozen):
    """A device that holds the data of systems, and that their hosts share: a SAN array, or a NAS."""

    device: RawPart
    """The device, as under `devices` of a scenario: an array or a disk. Or the name of another datastore, on whose
    device this one lies, as several of them do on one array.
    """
    link: RawPart = None
    """The link from the hosts to it, such as `network/fibre-channel-16g`, or the word `network` for one that is on the
    network of the site. By default, it is inside the one host that uses it.
    """
    place: Text | None = None
    """The place where its device is, which may be lost as a whole; by default, that of the first host that uses it."""

    @property
    def lies_on(self) -> str | None:
        """The other datastore on whose device it lies, None if it has one of its own."""
        return self.device if isinstance(self.device, str) and "/" not in self.device else None


class TargetSpec(Frozen):
    """A target of backups or copies: a disk pool, a tape library or object storage, with its host."""

    device: RawPart
    """The device, as under `devices` of a scenario: an array, a tape library, an object store. Or the name of another
    target, whose library it shares: each takes cartridges of its own `pool`.
    """
    host: RawPart = None
    """The host that owns it: a datasheet, a mapping, or a name under `hosts`; with `beside`, the hosts named there."""
    beside: Names = ()
    """Instead of `host`, the hosts that reach it over `link`: names under `hosts`, or of targets whose hosts do."""
    link: RawPart = None
    """The link from the host to the device, as under `links` of a scenario; without one, nothing between them
    limits what goes there."""
    network: RawPart = None
    """The link that joins the host to the network of the site; the network itself by default."""
    place: Text | None = None
    """The place where it is, which may be lost as a whole; by default, that of the host under `hosts` that has it, or
    else `main`."""
    account: Text | None = None
    """The account whose owner can delete what is kept here, such as that of a cloud; none by default."""
    key: Text | None = None
    """The key without which nothing here can be read, if it is encrypted; none by default."""
    immutable: Duration = usual("0 s", "s")
    """For how long nobody can change or delete what is written here, as with a lock on objects: until then, retention
    frees nothing."""
    pool: Text | None = None
    """The pool of the library whose cartridges are written."""
    offsite: bool = False
    """Whether cartridges are removed after each session and kept elsewhere, so that each session begins new ones."""
    cartridges: Count = usual("0")
    """Number of cartridges at the start."""
    fetch: Duration = usual("0 s", "s")
    """Time from the loss until a restore can read what is kept there, such as that of a courier, beside `recovery` and
    `catalogue`."""
    reduction: Reduction = usual("1", "1")
    """Bytes before divided by bytes after compression and deduplication at the target; with `deduplication`, what
    compression of new chunks saves beyond that.
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
    filesystem: RawPart = None
    """The file system of a disk on which programs keep objects as files: a datasheet `filesystem/name`, or a mapping.
    """
    share: RawPart = None
    """How programs on other hosts reach the files on it: a datasheet `share/name`, such as `share/sftp`, or a mapping.
    """
    limit: LimitSpec | None = None
    """How many backups and copies it takes at once; no limit by default."""
    prices: PricesSpec | None = None
    """What storage costs here; by default, what it costs in the whole site."""

    @property
    def shares_with(self) -> str | None:
        """The other target whose library it shares, None if it has a device of its own."""
        return self.device if isinstance(self.device, str) and "/" not in self.device else None


class PurchaseSpec(Frozen):
    """Something that could be bought: what it changes in the site, and what it costs."""

    set: Annotated[dict[Text, RawPart], Field(min_length=1)]
    """Values by address that it replaces, such as `{targets.vault.device.drives: 4}`; `x2` multiplies what is there."""
    price: Money = usual("0", "money")
    """What it costs at once, in the currency of the prices, with setting it up."""
    yearly: Money = usual("0", "money")
    """What it costs each year, such as rent of a line, power, service, and hours of people."""


class CostSpec(Frozen):
    """Something that costs money beside storage: hardware at its real price, a licence, service, work of people."""

    of: Text | None = None
    """The part of the site whose price in the prices of the site it replaces: a name under `targets`, `hosts` or
    `uplinks`; by default, it is a cost of its own.
    """
    price: Money | None = None
    """What it costs at once, in the currency of the prices; nothing by default."""
    bought: CalendarDay | None = None
    """When `price` is paid for the first time, which may be before the plan; its first day by default."""
    life: PositiveDuration | None = None
    """Time after which `price` is paid again; by default, the `life` of the prices if it stands for a part."""
    yearly: Money | None = None
    """What it costs each year, such as a licence or service; by default, the `upkeep` of the prices if it stands for a
    part.
    """
    weekly: Duration | None = None
    """Working time that it takes each week, such as `2 h`, paid at the price of an `hour`; none by default."""


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
    machines: dict[Text, MachineSpec] = Field(default_factory=dict)
    """Kinds of machines by name, for systems that share nothing: each has a host and a device of its own."""
    hosts: dict[Text, SiteHostSpec] = Field(default_factory=dict)
    """Hosts that systems and targets share, by name."""
    datastores: dict[Text, DatastoreSpec] = Field(default_factory=dict)
    """Devices that hold the data of systems on shared hosts, by name."""
    uplinks: dict[Text, RawPart] = Field(default_factory=dict)
    """Links that several hosts share on their way to the network, by name: a datasheet `network/name`, or a mapping."""
    targets: Annotated[dict[Text, TargetSpec], Field(min_length=1)]
    """Targets by name."""
    policies: Annotated[dict[Text, PolicySpec], Field(min_length=1)]
    """Policies by name."""
    systems: Annotated[dict[Text, SystemSpec], Field(min_length=1)]
    """Systems by name."""
    limit: LimitSpec | None = None
    """How many backups and copies the backup server runs at once; no limit by default."""
    growth: Growth | None = None
    """Yearly growth of all systems that state none: a share, compounded, or a size such as `20 TB/year`, of which each
    gets its part by its size at the start.
    """
    growth_from: dict[CalendarDay, Text] = Field(default_factory=dict[date, str])
    """How all systems that state no growth grow from some dates on, such as `{2028-01-01: 10 %}`; of a size, each gets
    its part by its size at the start. By default, as before.
    """
    index_record: SizePerFile | None = None
    """Bytes that the catalogue keeps for each file of each save set; none by default."""
    recovery: Duration = usual("0 s", "s")
    """Time from a loss until there is hardware: for decisions and new hosts."""
    catalogue: Duration = usual("0 s", "s")
    """Time needed after `recovery` to recover the catalogue on the backup server, before which nothing can be restored.
    """
    operator: Duration = usual("0 s", "s")
    """Time that one person needs to prepare each system for its restore, one after another: for example, to look up
    what is wanted, or to boot it from a medium. It begins after `recovery`, beside `catalogue` and `fetch`.
    """
    people: Pieces = usual("1")
    """How many people prepare systems side by side: each takes the next one of the list."""
    prices: PricesSpec | None = None
    """What storage, hardware, lines and work cost; by default, no costs are reported."""
    costs: dict[Text, CostSpec] = Field(default_factory=dict)
    """What else costs money, by name: hardware at its real price, licences, service, work of people."""
    failures: dict[Text, SiteFailureSpec] = Field(default_factory=dict)
    """Parts that fail in the plan and come back, by name: the nights show what that costs. None by default."""

    def is_library(self, target: str) -> bool:
        """Whether the device of a target is a tape library."""
        return self._is_kind(self.targets[self.device_of(target)].device, MediaLibrary)

    def is_array(self, device: str) -> bool:
        """Whether a device, called after its target or its datastore, has disks that it can do without."""
        part = self.targets.get(device) or self.datastores.get(device)
        return part is not None and self._is_kind(part.device, RedundantDevice)

    @staticmethod
    def _is_kind(given: object, kind: type) -> bool:
        """Whether what a file says about a device is one of a kind."""
        said = cast("Mapping[str, object]", given) if isinstance(given, Mapping) else dict[str, object]()
        named = given if isinstance(given, str) else str(said.get("model", said.get("kind", "")))
        found = device_kinds().get(named.partition("/")[0])
        return found is not None and issubclass(found.spec, kind)

    purchases: dict[Text, PurchaseSpec] = Field(default_factory=dict)
    """What could be bought, by name: `plan buy` finds the cheapest set with which the site meets its goals."""

    def device_of(self, target: str) -> str:
        """The device of a target: its own, or that of the other target whose library it shares."""
        return self.targets[target].shares_with or target

    def hosts_of(self, target: str) -> tuple[str, ...]:
        """The hosts that reach a target; the first of them owns it, or takes what goes there."""
        device = self.device_of(target)
        given = self.targets[device]
        if given.beside:
            return tuple(name if name in self.hosts else self.hosts_of(name)[0] for name in given.beside)
        return (given.host if isinstance(given.host, str) and given.host in self.hosts else f"{device}-host",)

    def place_of(self, name: str) -> str:
        """The place of a host, of a datastore or of a target: its own, or else that of the host which has it."""
        if name in self.hosts:
            return self.hosts[self.hosts[name].within or name].place or MAIN
        if name in self.targets:
            owner = self.targets[self.device_of(name)].host
            shared = isinstance(owner, str) and owner in self.hosts
            return self.targets[name].place or (self.place_of(owner) if shared else MAIN)
        datastore = self.datastores[name]
        if datastore.lies_on is not None:
            return self.place_of(datastore.lies_on)
        first = next(iter(self.datastores))
        lying = {name, *(other for other, one in self.datastores.items() if one.lies_on == name)}
        hosts = (one.host for one in self.systems.values() if one.host and (one.datastore or first) in lying)
        owner = next(hosts, None)
        return datastore.place or (self.place_of(owner) if owner is not None else MAIN)

    @property
    def places(self) -> tuple[str, ...]:
        """All places where machines, hosts, datastores and targets are, in the order of the file."""
        parts = (*self.hosts, *self.datastores, *self.targets)
        each = (*(one.place for one in self.machines.values()), *(self.place_of(name) for name in parts))
        return tuple(dict.fromkeys(each))

    def rules(self) -> Rules:
        """Report a time zone that does not exist, no machines, and growth without its sign of per cent."""
        if not self.machines and not self.hosts:
            yield ("machines",), "is missing", "write kinds of machines here, or 'hosts:' and 'datastores:'"
        yield from _turns(self.growth_from)
        try:
            ZoneInfo(self.zone)
        except (ValueError, KeyError, OSError):
            yield ("zone",), f"there is no time zone '{self.zone}'", choices(self.zone, available_timezones())
        if self.growth is not None and self.growth.unit == "1" and self.growth.si > MOST_GROWTH:
            slip = f"did you mean '{self.growth.si:g} %'?" if "%" not in self.growth.text else ""
            remedy = slip or f"write at most {100.0 * MOST_GROWTH:.0f} %"
            yield ("growth",), f"is {100.0 * self.growth.si:,.0f} % in a year", remedy
