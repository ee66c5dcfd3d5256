"""What a file may say about tape drives and tape libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from simbackup import units
from simbackup.errors import choices
from simbackup.schema.capability import MediaLibrary, Piece
from simbackup.schema.measurable import Measurable
from simbackup.schema.part import USE, Facts, Figures, Modelled, Part, Path, Rules, amount, number
from simbackup.schema.quantity import si_or
from simbackup.schema.registry import DeviceKind, Look

if TYPE_CHECKING:
    from simbackup.data.spec import DataSpec
    from simbackup.scenario.checks import Checks
    from simbackup.schema.job import Restoring, Storing

from typing import Annotated, Literal

from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Length,
    Pieces,
    PositiveCount,
    PositiveSize,
    Quantity,
    Rate,
    Speed,
    Unit,
    Word,
    usual,
)

EVERY = 1e5
"""As many things as can be simulated one by one."""


class TapeDriveSheet(Frozen):
    """A serpentine tape drive and its cartridge."""

    native_rate: Rate
    """Rate without compression."""
    slowest_rate: Rate | None = None
    """Lowest rate, without compression, to which it slows down for a slow host; by default, it has only one rate."""
    cartridge_capacity: PositiveSize
    """Native capacity of a cartridge."""
    tape_length: Length
    """Recordable length of the tape."""
    passes: PositiveCount
    """End-to-end passes of the tape."""
    read_speed: Speed
    """Speed of the tape while it reads or writes."""
    search_speed: Speed
    """Speed of the tape while it searches or rewinds."""
    load_time: Duration
    """Time from insertion until ready at the beginning of the tape."""
    initialise_time: Duration = usual("0 s", "s")
    """Time that the first load of a new cartridge takes in addition to `load_time`."""
    unload_time: Duration
    """Time from the beginning of the tape until ready for removal."""
    locate_overhead: Duration
    """Time to start and stop a locate."""
    turn_time: Duration
    """Time to change pass or direction."""
    reposition_time: Duration
    """Time from stopping during a write until it writes again at the same place."""
    buffer: PositiveSize
    """The drive's buffer, which holds compressed data."""
    host_rate: Rate | None = None
    """Maximum rate at the interface, regardless of compression."""
    command_time: Duration = usual("0 s", "s")
    """Time that each command takes at the interface in addition to its bytes."""
    write_through: Annotated[bool, Word()] = False
    """Whether a block must be on the tape before the next one is accepted, so that the tape stops after each block."""

    measured_as: ClassVar[Mapping[Measurable, str]] = {
        Measurable.TAPE_RANDOM: "native_rate",
        Measurable.TAPE_ZEROS: "host_rate",
    }

    def rules(self) -> Rules:
        """Report a search slower than reading, and a slowest rate above the native one."""
        if self.search_speed.si < self.read_speed.si:
            message = "search_speed is below read_speed"
            yield ("search_speed", "read_speed"), message, "a tape searches as fast as it reads, or faster"
        if self.slowest_rate is not None and self.slowest_rate.si > self.native_rate.si:
            message = "slowest_rate is above native_rate"
            yield ("slowest_rate", "native_rate"), message, "make slowest_rate at most native_rate"


class TapeDriveSpec(Part, Modelled, TapeDriveSheet):
    """A tape drive in a library."""

    def facts(self) -> Facts:
        """Rates and the capacity of a cartridge."""
        yield from amount(self.native_rate, "native")
        yield from amount(self.slowest_rate, "at least")
        yield from amount(self.cartridge_capacity, "a cartridge")


class TapeLibrarySheet(Frozen):
    """A tape library."""

    slots: Pieces
    """Cartridge slots, each with a cartridge; a scenario may write fewer than the library has."""
    bays: Pieces
    """Maximum number of drives."""
    robots: Pieces
    """Robots that move cartridges."""
    exchange_time: Duration
    """Mean time of one move between a slot and a drive."""


class TapeLibrarySpec(MediaLibrary, Modelled, TapeLibrarySheet):
    """A tape library with its drives and cartridges."""

    kind: Literal["tape_library"]
    drive: TapeDriveSpec
    """Its drives: a datasheet `tape_drive/name`, or a mapping."""
    drives: Pieces
    """Number of drives."""
    new_cartridges: Annotated[Quantity, Unit("count", most=EVERY, words=(("all", EVERY),))] | None = None
    """How many cartridges of each pool have never been loaded: a number, or `all`; they are written first. Drives that
    initialise new cartridges do so at the first load of each. None by default.
    """
    pools: dict[str, Pieces] | None = None
    """Number of cartridges reserved for each named pool; jobs that name no pool use the others."""
    unload_after: Duration | None = None
    """How long an idle drive stays loaded; by default, as the datasheet of the backup program states."""

    drawn_as: ClassVar[str] = "library"
    each_time: ClassVar[frozenset[str]] = frozenset({
        "exchange_time", "drive.load_time", "drive.unload_time", "drive.locate_overhead", "drive.initialise_time",
    })  # fmt: skip
    pieces: ClassVar[Mapping[str, Piece]] = {
        "drives": Piece("drives", waits="wait for a drive"),
        "robot": Piece("robots", "exchange_time"),
        "drive": Piece(),
    }

    def figures(self) -> Figures:
        """How much each drive was used, and whether its tape streamed."""
        own = (*USE, "stops", "tape_rate", "streams_from")
        return {f"drive.{number}": own for number in range(1, self.drive_count() + 1)}

    def rules(self) -> Rules:
        """Report drives, cartridges and pools that do not fit into the library."""
        if self.drives.si > self.bays.si:
            message = f"there are more drives than bays in the library: {self.bays.si:.0f}"
            yield ("drives", "bays"), message, f"write {self.bays.si:.0f} or fewer"
        named = sum(many.si for many in (self.pools or {}).values())
        if named > self.slots.si:
            message = "the pools have more cartridges than the library"
            yield ("pools",), message, f"write {self.slots.si:.0f} or fewer in all"
        if self.new_cartridges is not None and self.slots.si < self.new_cartridges.si < EVERY:
            message = "there are more new cartridges than cartridges"
            yield ("new_cartridges",), message, f"write {self.slots.si:.0f} or fewer, or 'all'"

    def drive_count(self) -> int:
        """Number of drives."""
        return int(self.drives.si)

    def never_loaded(self) -> float | None:
        """New cartridges of each pool; None where they are not stated, or drives take no time to initialise them."""
        return None if self.new_cartridges is None or not self.drive.initialise_time.si else self.new_cartridges.si

    def cartridge_bytes(self) -> float:
        """Native capacity of its cartridges."""
        return self.drive.cartridge_capacity.si

    def pool_sizes(self) -> dict[str | None, int]:
        """Cartridges of each pool; those of no pool under None."""
        named: dict[str | None, int] = {name: int(many.si) for name, many in (self.pools or {}).items()}
        rest = int(self.slots.si) - sum(named.values())
        return {None: max(rest, 0), **named}

    def check_backup(self, checks: Checks, path: Path, job: Storing, saved: str) -> None:
        """Report a missing pool, too little room, or too few drives."""
        data = checks.spec.data.get(saved)
        with checks.about(*path):
            self._check_blocks(checks, path, job)
        with checks.about(*path):
            each = si_or(getattr(job, "multiplexing", None), 1.0)
            self._check_drives(checks, path, job.to, job.streams, each)
        if data is not None:
            self._check_pool(checks, path, job, data)

    def _check_blocks(self, checks: Checks, path: Path, job: Storing) -> None:
        if self.drive.write_through and job.block_size(checks.spec) is None:
            owner = job.tool_of()
            tool = ".".join((*(("jobs", owner) if owner else map(str, path)), "tool"))
            message = f"the drives of '{job.to}' write each block straight to tape, and no tool states the block size"
            checks.report((*path, "to"), message, f"write 'block: 10 KiB' under {tool}")

    def _check_pool(self, checks: Checks, path: Path, job: Storing, data: DataSpec) -> None:
        pools = self.pool_sizes()
        if job.pool not in pools:
            message = f"'{job.to}' has no pool '{job.pool}'"
            checks.report((*path, "pool"), message, choices(str(job.pool), self.pools or ()))
            return
        room = pools[job.pool] * self.drive.cartridge_capacity.si * data.compression.si
        if data.size.si > room:
            pool = f"pool '{job.pool}'" if job.pool else "pool"
            message = f"the save set is larger than the {pool} of '{job.to}'"
            checks.report(
                (*path, "to"), message, f"add cartridges: they hold {units.show_short(room, 'B')} of such data now"
            )

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report more streams than drives."""
        self._check_drives(checks, path, checks.spec.read_by(job), job.streams)

    def _check_drives(self, checks: Checks, path: Path, name: str, streams: Pieces | None, each: float = 1.0) -> None:
        most = self.drives.si * each
        if streams is not None and streams.si > most:
            message = f"'{name}' has fewer drives: {self.drives.si:.0f}"
            checks.report((*path, "streams"), message, f"write {most:.0f} or fewer")

    def inner(self) -> Mapping[str, tuple[str, Part, int]]:
        """Its drives."""
        drives = self.drive_count()
        return {"drive": ("drive" if drives == 1 else "drives", self.drive, drives)}

    def facts(self) -> Facts:
        """Slots, robots and pools."""
        yield from number(self.slots, "slot")
        yield from number(self.robots, "robot")
        for pool, many in (self.pools or {}).items():
            yield from number(many, f"cartridge of {pool}", f"cartridges of {pool}")


KINDS = (DeviceKind("tape_library", TapeLibrarySpec, "simbackup.devices.tape.live:make"),)
SHEETS = {"tape_drive": TapeDriveSheet, "tape_library": TapeLibrarySheet}
_REELS = "M1.5 4h13v8h-13zM5 6.2a1.8 1.8 0 1 0 .01 0M11 6.2a1.8 1.8 0 1 0 .01 0"
LOOKS = {
    "library": Look("M2 2h12v12H2zM2 6h12M2 10h12M6 2v12M10 2v12", "#fdf3e1", "#b7791f"),
    "drive": Look(_REELS, "#fffaf0", "#cf9a3e"),
}
