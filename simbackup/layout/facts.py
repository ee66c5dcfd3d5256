"""What a reader wants to know of each part of a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from simbackup import datasheets, units
from simbackup.data.spec import DataSpec
from simbackup.devices.disk.spec import DiskSpec
from simbackup.devices.host.spec import HostSpec
from simbackup.devices.mirror.spec import MirrorSpec
from simbackup.devices.network.spec import LinkSpec
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.redirect.spec import CloneSpec, RedirectSnapshotSpec, RedirectVolumeSpec
from simbackup.devices.snapshot.spec import CheckpointSpec, SnapshotSpec
from simbackup.devices.ssd.spec import SsdSpec
from simbackup.devices.tape.spec import TapeDriveSpec, TapeLibrarySpec
from simbackup.devices.volume.spec import LogicalVolumeSpec
from simbackup.errors import SimbackupError
from simbackup.layout.layout import CLOCK, Fact
from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import Frozen, Quantity
from simbackup.workloads.requests.spec import RequestsSpec
from simbackup.workloads.users.spec import UsersSpec

KINDS: dict[type[Frozen], str] = {
    RaidSpec: "array", LogicalVolumeSpec: "volume", RedirectVolumeSpec: "volume", RedirectSnapshotSpec: "snapshot",
    TapeLibrarySpec: "library",
}  # fmt: skip
"""Kinds of devices that the picture calls otherwise than the files do."""
AMOUNTS = ("capacity", "size", "rate")
"""What is told of a device of a kind that nothing is known of here."""
SCHEDULE = ("every", "until", "window")


def kind_of(device: Frozen) -> str:
    """The kind of a device, as it is drawn."""
    return KINDS.get(type(device)) or str(getattr(device, "kind", "device"))


def title_of(part: Frozen) -> str:
    """The make and model of a part, empty if it stands on no datasheet."""
    named = getattr(part, "model", None)
    if named is None:
        return ""
    try:
        return datasheets.load_datasheet(named).title
    except SimbackupError:  # a scenario that is kept may outlive its datasheets
        return str(named)


def _amount(given: Quantity | None, text: str = "") -> Iterator[Fact]:
    if given is not None:
        yield Fact.of(given.si, given.unit, text)


def _number(given: Quantity | None, one: str, more: str = "") -> Iterator[Fact]:
    """So many of a thing, in the singular where it is one."""
    if given is not None:
        yield Fact.of(given.si, "count", one if given.si == 1 else more or f"{one}s")


def _made(part: Frozen | None, text: str = "") -> Iterator[Fact]:
    """The make and model of a part inside another."""
    if part is not None and title_of(part):
        yield Fact(f"{text}{title_of(part)}")


@singledispatch
def facts(part: Frozen) -> Iterator[Fact]:
    """The facts of a part, most telling first; of a kind not known here its size and rate."""
    for name in AMOUNTS:
        given = getattr(part, name, None)
        if isinstance(given, Quantity):
            yield from _amount(given)


@facts.register
def _(part: HostSpec) -> Iterator[Fact]:
    if part.within is not None:
        yield Fact("virtual machine")
    yield from _number(part.cores, "core")
    yield from _amount(part.memory, "memory")


@facts.register(DiskSpec)
def _(part: DiskSpec) -> Iterator[Fact]:
    yield from _amount(part.capacity)
    yield Fact(f"{part.rotation_speed.si * 60:,.0f} rpm")
    yield from _amount(part.outer_rate, "outside")


@facts.register
def _(part: SsdSpec) -> Iterator[Fact]:
    yield from _amount(part.capacity, "solid state")
    yield from _amount(part.read_rate, "read")
    yield from _amount(part.write_rate, "written")


@facts.register
def _(part: RaidSpec) -> Iterator[Fact]:
    yield Fact("RAID-DP" if part.level == "dp" else f"RAID {part.level}")
    yield from _number(part.disks, "disk")
    yield from _amount(part.disk.capacity, "each")
    yield from _made(part.disk)


@facts.register
def _(part: LogicalVolumeSpec) -> Iterator[Fact]:
    yield from _amount(part.size)


@facts.register
def _(part: SnapshotSpec) -> Iterator[Fact]:
    yield from _amount(part.size, "copy area")
    yield from _amount(part.chunk, "chunks")


@facts.register
def _(part: CheckpointSpec) -> Iterator[Fact]:
    yield from _amount(part.chunk, "blocks")


@facts.register
def _(part: MirrorSpec) -> Iterator[Fact]:
    if part.state != "attached":
        yield Fact("still to be synchronised")
    yield from _amount(part.region, "regions")


@facts.register
def _(part: RedirectVolumeSpec) -> Iterator[Fact]:
    yield from _amount(part.size)
    yield Fact("guaranteed" if part.guarantee == "volume" else "not guaranteed")


@facts.register
def _(part: RedirectSnapshotSpec) -> Iterator[Fact]:
    yield Fact("deleted where room is short" if part.autodelete else "kept where room is short")


@facts.register
def _(part: CloneSpec) -> Iterator[Fact]:
    yield Fact("room guaranteed" if part.guarantee == "volume" else "room not guaranteed")


@facts.register
def _(part: TapeLibrarySpec) -> Iterator[Fact]:
    yield from _number(part.slots, "slot")
    if part.cartridges is not None:
        yield from _number(part.cartridges, "cartridge")
    yield from _number(part.robots, "robot")
    for pool, number in (part.pools or {}).items():
        yield from _number(number, f"cartridge of {pool}", f"cartridges of {pool}")


@facts.register
def _(part: TapeDriveSpec) -> Iterator[Fact]:
    yield from _amount(part.native_rate, "native")
    yield from _amount(part.slowest_rate, "at least")
    yield from _amount(part.cartridge_capacity, "a cartridge")


@facts.register
def _(part: LinkSpec) -> Iterator[Fact]:
    if part.count is not None and part.count.si > 1:
        yield from _number(part.count, "link side by side", "links side by side")
    yield from _amount(part.rate)
    if part.latency.si > 0:
        yield from _amount(part.latency, "round trip")


@facts.register
def _(part: DataSpec) -> Iterator[Fact]:
    yield from _amount(part.size)
    yield from _number(part.files, "file")
    if part.compression is not None and part.compression.si != 1:
        yield Fact(f"{part.compression.si:g}:1 compressible")
    if part.cached is not None and part.cached.si > 0:
        yield from _amount(part.cached, "in memory")
    yield from _made(part.filesystem)
    yield from _made(part.database)


@facts.register
def _(part: UsersSpec | RequestsSpec) -> Iterator[Fact]:
    if part.transactions is not None:
        yield Fact(f"{part.transactions.si:,.4g} transactions a second")
    yield from _number(part.clients, "client")
    if part.think_time is not None and part.think_time.si > 0:
        yield from _amount(part.think_time, "between two transactions")
    if isinstance(part, UsersSpec) and part.writes.si > 0:
        yield from _amount(part.writes, "of transactions write")
    yield from _amount(part.request, "each over the network")
    yield from _amount(part.timeout, "until one times out")


@facts.register
def _(part: JobSpec) -> Iterator[Fact]:
    given = dict(part)
    streams = given.get("streams")
    if streams is not None and streams.si > 1:
        yield from _number(streams, "stream")
    yield from _amount(given.get("portion"), "of it")
    yield from _amount(given.get("changed"), "changed")
    yield from _amount(given.get("duration"))
    yield from _number(given.get("buffers"), "buffer")
    yield from _amount(given.get("transfer_size"), "transfers")
    if given.get("compress"):
        yield Fact("compressed")
    select = given.get("select")
    if select is not None:
        yield from _number(select.files, "file")
        yield from _amount(select.size, "together")
    if part.begin is not None:
        if ":" in part.begin:
            yield Fact.of(units.parse_clock(part.begin), CLOCK)
        else:
            yield Fact.of(units.parse(part.begin, "s"), "s", "after the start")
    if part.deadline is not None:
        yield Fact(f"by {part.deadline}")
    for name in SCHEDULE:
        time = given.get(name)
        if isinstance(time, Quantity):
            yield Fact(f"{name} {Fact.of(time.si, time.unit)}")
    yield from _made(given.get("tool"), "by ")
    yield from _made(given.get("engine"), "by ")
