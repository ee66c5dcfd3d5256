"""What has to agree inside one part of a file, whether a datasheet or a scenario describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from simbackup import units
from simbackup.devices.disk.spec import DiskSheet
from simbackup.devices.host.spec import HostSheet
from simbackup.devices.mirror.spec import MirrorSheet
from simbackup.devices.raid.spec import RaidSpec
from simbackup.devices.redirect.spec import RedirectVolumeSheet
from simbackup.devices.snapshot.spec import CopyOnWriteSheet, SnapshotSpec
from simbackup.devices.tape.spec import TapeDriveSheet, TapeLibrarySpec
from simbackup.equations import raid
from simbackup.schema.quantity import Frozen

GREATEST_IN_FLIGHT = 2**30
"""Bytes beyond which requests at once are a slip of the pen."""
LEAST_CHUNKS = 3
"""Chunks of a copy area that holds one copied chunk: header, metadata, chunk."""


class Disagreement(NamedTuple):
    """Values of one part that do not go together: where they stand in it, what is wrong, what would be right."""

    paths: tuple[tuple[str, ...], ...]
    message: str
    remedy: str


def disagreements(part: Frozen, path: tuple[str, ...] = ()) -> Iterator[Disagreement]:
    """Everything in which the values of a part, and of the parts inside it, disagree."""
    for kind, rules in RULES.items():
        if isinstance(part, kind):
            for names, message, remedy in rules(part):
                yield Disagreement(tuple((*path, name) for name in names), message, remedy)
    for name in type(part).model_fields:
        inner = getattr(part, name)
        if isinstance(inner, Frozen):
            yield from disagreements(inner, (*path, name))


Found = Iterator[tuple[tuple[str, ...], str, str]]


def _host(host: HostSheet) -> Found:
    if host.dirty_background.si > host.dirty_limit.si:
        message = "write-back would begin above the limit at which writers wait"
        yield ("dirty_background", "dirty_limit"), message, "make dirty_background at most dirty_limit"


def _disk(disk: DiskSheet) -> Found:
    if disk.inner_rate.si > disk.outer_rate.si:
        message = "inner_rate is above outer_rate"
        yield ("inner_rate", "outer_rate"), message, "addresses begin in the outer zone, which is the faster"
    if not disk.track_to_track_seek.si <= disk.average_seek.si <= disk.full_stroke_seek.si:
        message = "average_seek is not between track_to_track_seek and full_stroke_seek"
        yield ("average_seek", "track_to_track_seek", "full_stroke_seek"), message, "order the three seek times"


def _raid(array: RaidSpec) -> Found:
    least, groups = raid.minimum_disks(array.level), int(array.groups.si) if array.groups else 1
    if array.disks.si < least * groups:
        each = f", in each of {groups} groups" if groups > 1 else ""
        message = f"level {array.level} needs {least} disks or more{each}"
        yield ("disks", "level"), message, f"write {least * groups} or more"
    elif array.disks.si % groups:
        yield ("groups", "disks"), "the groups would not have equally many disks", f"let {groups} divide the disks"
    elif array.level == "10" and array.disks.si // groups % 2:
        yield ("disks", "level"), "mirrors come in pairs", "write an even number of disks"
    if array.group_limit is not None and array.disks.si > groups * array.group_limit.si:
        most = int(array.group_limit.si)
        message = f"a group would have more than the {most} disks that it has at most"
        yield ("disks", "groups", "group_limit"), message, f"write 'groups: {-(-int(array.disks.si) // most)}' or more"


def _redirect(volume: RedirectVolumeSheet) -> Found:
    if volume.run.si < volume.block.si:
        yield ("run", "block"), "run is smaller than a block", "let run be one block or more"
    if volume.read_ahead is not None and volume.read_ahead.si < volume.request.si:
        message = "read_ahead is smaller than one request"
        yield ("read_ahead", "request"), message, "leave it out where the server does not read ahead"


def _copy_on_write(snapshot: CopyOnWriteSheet) -> Found:
    chunk = int(snapshot.chunk.si)
    if chunk != snapshot.chunk.si or chunk & (chunk - 1) or chunk < 512:  # noqa: PLR2004 (bytes of a sector)
        yield ("chunk",), "is no power of two of 512 bytes or more", "write for example 8 KiB"
    if snapshot.in_flight.si < snapshot.chunk.si:
        message = "in_flight is smaller than one chunk"
        yield ("in_flight", "chunk"), message, "let in_flight be one chunk or more"
    if snapshot.record.si > snapshot.chunk.si:
        yield ("record", "chunk"), "record is larger than a chunk", "the metadata of a chunk fit into one"


def _copy_area(snapshot: SnapshotSpec) -> Found:
    least = LEAST_CHUNKS * snapshot.chunk.si
    if snapshot.size.si < least:
        message = "the copy area has no room for one chunk and its metadata"
        yield ("size", "chunk"), message, f"write a size of at least {units.show(least, 'B')}"


def _drive(drive: TapeDriveSheet) -> Found:
    if drive.search_speed.si < drive.read_speed.si:
        message = "search_speed is below read_speed"
        yield ("search_speed", "read_speed"), message, "a tape searches as fast as it reads, or faster"
    if drive.slowest_rate is not None and drive.slowest_rate.si > drive.native_rate.si:
        message = "slowest_rate is above native_rate"
        yield ("slowest_rate", "native_rate"), message, "a drive that matches its host slows down"


def _mirror(mirror: MirrorSheet) -> Found:
    if mirror.in_flight.si * mirror.request.si > GREATEST_IN_FLIGHT:
        message = "more than 1 GiB would be under way at once"
        yield ("in_flight", "request"), message, "write fewer or smaller requests"


def _library(library: TapeLibrarySpec) -> Found:
    if library.drives.si > library.bays.si:
        message = f"drives are more than the bays of the library, {library.bays.si:.0f}"
        yield ("drives", "bays"), message, f"write {library.bays.si:.0f} or fewer"
    if library.media is not None and library.media != library.drive.media:
        message = f"a cartridge '{library.media}' does not fit into drives that take '{library.drive.media}'"
        yield ("media",), message, f"leave it out, or write '{library.drive.media}'"
    named = sum(number.si for number in (library.pools or {}).values())
    if named > (library.cartridges or library.slots).si:
        message = "the pools have more cartridges than the library"
        yield ("pools",), message, f"write {(library.cartridges or library.slots).si:.0f} or fewer in all"
    if library.cartridges is not None and library.cartridges.si > library.slots.si:
        message = f"cartridges are more than the slots of the library, {library.slots.si:.0f}"
        yield ("cartridges", "slots"), message, f"write {library.slots.si:.0f} or fewer"


RULES: dict[type[Frozen], Callable[[Any], Found]] = {
    HostSheet: _host,
    DiskSheet: _disk,
    RaidSpec: _raid,
    RedirectVolumeSheet: _redirect,
    CopyOnWriteSheet: _copy_on_write,
    SnapshotSpec: _copy_area,
    TapeDriveSheet: _drive,
    MirrorSheet: _mirror,
    TapeLibrarySpec: _library,
}
"""What the values of each kind of part have to keep."""
