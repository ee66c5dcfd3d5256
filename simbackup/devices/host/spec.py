"""What a file may say about a host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar

from simbackup.errors import choices
from simbackup.schema.part import USE, Fact, Facts, Figures, Modelled, Part, Path, Rules, amount, number
from simbackup.schema.registry import Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from simbackup.schema.quantity import (
    Frequency,
    Frozen,
    Pieces,
    PositiveDuration,
    PositiveShare,
    PositiveSize,
    Rate,
    Ratio,
    Share,
    Text,
    Word,
    usual,
)


class HostSheet(Frozen):
    """A computer and the page cache of its operating system."""

    instead: ClassVar[Mapping[str, str]] = {"processor": "speed"}

    cores: Pieces
    """Processor cores."""
    memory: PositiveSize
    """Main memory."""
    dirty_limit: PositiveShare
    """Share of memory that may hold unwritten data before writers must wait for the disks."""
    dirty_background: Share
    """Share of memory that may hold unwritten data before write-back begins."""
    dirty_expire: PositiveDuration | None = None
    """Age at which unwritten data are written back, however few they are; by default, age does not matter."""
    write_behind: PositiveSize | None = None
    """Bytes of one file that write-back writes to disk before it turns to another; by default, the disk's own
    `stream_turn`. A controller whose write cache writes more of a stream at once decides instead.
    """
    copy_rate: Rate
    """Rate at which one core moves data between a program and the page cache."""
    speed: Ratio = usual("1", "1")
    """Speed of one core relative to the reference core, which has a SPECint_base2006 of 10."""
    read_ahead: PositiveSize | None = None
    """Bytes that are read ahead of a program, which waits for each window; by default it never waits."""
    looks_ahead: Annotated[bool, Word()] = False
    """Whether it requests the next window when a program begins to use one, not only when that is used up."""

    def rules(self) -> Rules:
        """Report a `dirty_background` above `dirty_limit`, and `looks_ahead` without `read_ahead`."""
        if self.looks_ahead and self.read_ahead is None:
            message = "a host that does not read ahead requests no window early"
            yield ("looks_ahead", "read_ahead"), message, "write 'read_ahead: 128 KiB', or leave looks_ahead out"
        if self.dirty_background.si > self.dirty_limit.si:
            message = "write-back would begin above the limit at which writers wait"
            yield ("dirty_background", "dirty_limit"), message, "make dirty_background at most dirty_limit"


class ProcessorSheet(Frozen):
    """A processor generation, whose cores all do the same work in each clock cycle."""

    per_gigahertz: Ratio
    """Speed of a core at 1 GHz, relative to the reference core, which has a SPECint_base2006 of 10."""
    clock: Frequency
    """Clock of a core while most others rest (turbo), such as `3.5 GHz`; the nominal one is a fifth to a half lower."""


class ProcessorSpec(Modelled, ProcessorSheet):
    """The processor of a computer."""


class HostSpec(Part, Modelled, HostSheet):
    """A computer: it owns devices, runs jobs, and caches writes."""

    processor: ProcessorSpec | None = None
    """The processor, instead of `speed`: a datasheet, preferably with the `clock` of your model, such as `{model:
    processor/xeon-skylake-2017, clock: 3.2 GHz}`. `cores` counts the cores of all processors of the host together.
    """

    owns: tuple[Text, ...] = ()
    """The devices attached to it."""
    within: Text | None = None
    """The host on which it runs as a virtual machine: it computes on the cores of that host, and uses its links unless
    a link joins the virtual machine itself.
    """

    @property
    def core_speed(self) -> float:
        """Speed of a core relative to the reference core."""
        one = self.processor
        return self.speed.si if one is None else one.per_gigahertz.si * one.clock.si / 1e9

    def rules(self) -> Rules:
        """One speed."""
        yield from super().rules()
        if self.processor is not None and self.states("speed"):
            yield ("speed", "processor"), "the speed follows from the processor", "write one of them"

    def figures(self) -> Figures:
        """The use of its cores, and the time for which it was suspended."""
        return {"": ("down",), "cores": USE}

    def facts(self) -> Facts:
        """Cores and memory."""
        if self.within is not None:
            yield Fact("virtual machine")
        yield from number(self.cores, "core")
        yield from amount(self.memory, "memory")

    def check(self, checks: Checks, path: Path) -> None:
        """Report a virtual machine without a real host, or with a speed of its own."""
        if self.within is None:
            return
        host, hosts, here = str(path[-1]), checks.spec.hosts, (*path, "within")
        if self.processor is not None:
            checks.report((*path, "processor"), "a virtual machine is as fast as its host", "leave it out")
        if self.states("speed") and self.model is None:  # the speed of a datasheet is that of a machine of its own
            checks.report((*path, "speed"), "a virtual machine is as fast as its host", "leave it out")
        real = [name for name in checks.named("hosts") if name != host]
        whole = [name for name, h in hosts.items() if h.within is None]
        if self.within == host:
            checks.report(here, f"'{host}' would run on itself", choices(host, whole))
        elif checks.name(here, self.within, real, "host"):
            below = hosts.get(self.within)
            if below is not None and below.within is not None:
                remedy = f"write '{below.within}'" if below.within in whole else choices(self.within, whole)
                checks.report(here, f"'{self.within}' is itself a virtual machine", remedy)


SECTIONS = {"hosts": HostSpec}
SHEETS = {"host": HostSheet, "processor": ProcessorSheet}
LOOKS = {"host": Look("M2 2.5h12v8H2zM6 10.5v3M10 10.5v3M4 13.5h8", "#f8fafc", "#64748b")}
