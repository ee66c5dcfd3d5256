"""What a datasheet says of a program: its operations, their phases, groups of workers, and steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from simbackup.schema.part import Modelled, Rules
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Multiple,
    NumberOrName,
    PositiveCount,
    PositiveSize,
    Quantity,
    Ratio,
    Share,
    Text,
    TimePerByte,
    Unit,
    Word,
    usual,
)

FILES, DIRECTORIES = 0.0, -1.0
"""The sizes of items that stand for whole files, and for directories."""
CORES = "cores"
"""What stands for as many workers as the host has cores."""
CPU, NETWORK = "cpu", "network"
"""Roles of cores and networks; those at another end are named after it, such as `target.cpu`."""
Items = Annotated[Quantity, Unit("B", positive=True, words=(("files", FILES), ("directories", DIRECTORIES)))]
Portion = Literal["all", "unchanged", "changed", "new", "stored"]
STORED = "stored"
"""The portion of bytes that reaches the target, after compression."""
Deed = Literal["open", "look", "read", "write", "create", "flush", "send", "receive", "ask", "put", "get"]
OF_WORK = ("item", "byte", "coded_byte", "hard_byte", "codec")
"""Keys of core time."""


@dataclass(frozen=True, slots=True)
class Portions:
    """Bytes, files and directories of the data by what counts: all, changed or not, what is new, what is stored."""

    bytes: Mapping[str, float]
    files: Mapping[str, float]
    directories: Mapping[str, float]

    def items(self, of: str, item: float) -> float:
        """How many files, directories, or pieces of so many bytes a portion has; the last piece of few bytes is one."""
        if item in {FILES, DIRECTORIES}:
            return (self.files if item == FILES else self.directories)[of]
        size = self.bytes[of]
        return max(size / item, 1.0) if size > 0.0 else 0.0

    def without(self, done: float, *, new: bool) -> Portions:
        """What is left when a share of it is done: of what is `new` to the target, or else of what has changed."""
        if not done:
            return self
        less = ("new", "stored") if new else ("changed", "new", "stored")

        def left(by: Mapping[str, float]) -> dict[str, float]:
            found = dict(by) | {of: by[of] * (1.0 - done) for of in less}
            return found if new else found | {"unchanged": by["unchanged"] + by["changed"] * done}

        return Portions(left(self.bytes), left(self.files), left(self.directories))

    def each(self, of: str, item: float, items: float) -> float:
        """Bytes of the data in one of so many items of a portion; those of a directory are in its files."""
        return 0.0 if item == DIRECTORIES else self.bytes[of] / items


class StepSpec(Frozen):
    """A step of a worker: time at one place for each item and for each byte that passes."""

    at: Text | None = None
    """Where: `cpu` (the cores of the program's host), `data` (the device of the data), `target` (what the job names as
    such), or a role under the job's `roles`; `data.cpu` and `target.cpu` for the cores of their hosts, `data.network`
    and `target.network` for the way between them and the program's host.
    """
    do: Deed | None = None
    """What it does there. With files of a data set: `open` (open, read and close one), `look` (find that one has not
    changed), `create` (make one; its last bytes go to disk behind the program, unless a step flushes there). With a
    device: `read`, `write`, or `flush` (one small write somewhere that is waited for, or as many as `times` says, each
    of `request` bytes; it moves none of the data, and an object store has none to wait for). With objects of a store:
    `put` (store one), `get` (fetch one), `ask` (whether it is there), each a request to an object store; on a disk they
    are files, which are created and written, opened and read, or looked for. With a network: `send` or `receive`. With
    a service: `ask`.
    """
    item: Duration | None = None
    """Time of the reference core for each item."""
    byte: TimePerByte | None = None
    """Time of the reference core for each byte that passes."""
    coded_byte: TimePerByte | None = None
    """Time of the reference core, in addition, for each of these bytes after compression."""
    hard_byte: TimePerByte | None = None
    """Time of the reference core for each of these bytes that is `incompressible`, instead of `byte` and `coded_byte`;
    by default, these.
    """
    codec: Literal["compress", "expand"] | None = None
    """What the job's `compressor` does with each byte: its costs are added, if the job names one."""
    of: Portion | None = None
    """The bytes that the step passes; by default, those of its group."""
    bytes: Annotated[Quantity, Unit("1", other=Unit("B"))] | None = None
    """Bytes that it moves for each of them, more if it adds something, one by default; or a size, such as `4 KiB`, that
    it moves with each item. Directories have no bytes besides those of their files, so that a size is needed there.
    """
    times: Multiple | None = None
    """How often it does so for each item: requests, files, flushes or operations. On a device, bytes are then read or
    written in so many positioned requests, otherwise in sequence; an object store gets one request by default.
    """
    request: PositiveSize | None = None
    """Bytes of each request at most, instead of `times`; an item has one at least."""
    in_order: Annotated[bool, Word()] = False
    """Whether these requests follow each other on the device, as where a file is read or written from beginning to end
    past the page cache; by default, each lies elsewhere. Of several workers, one is always next. Behind data that
    have not changed, a read goes elsewhere.
    """
    trips: Multiple | None = None
    """Round trips over a network that it waits for with each item, in addition to its bytes."""
    wait: Duration | None = None
    """Time that passes with each item and uses nothing."""
    items: Items | None = None
    """What it repeats on, if not on the items of its group: `files`, `directories`, or pieces of so many bytes."""
    every: Ratio = usual("1", "1")
    """Number of items that share the step, such as the files of a transaction."""
    lock: Text | None = None
    """The lock that it holds: only one worker of the job at a time does what needs it."""

    def rules(self) -> Rules:
        """It costs something, in one way, and where that can be."""
        at, work = self.at or "", [key for key in OF_WORK if getattr(self, key) is not None]
        inside = at.rpartition(".")[2]
        if self.wait is not None and (self.at or self.do or work):
            yield ("wait",), "a step that waits is nowhere and does nothing", "write two steps"
        elif inside == CPU or (not at and self.lock is not None):
            yield from self._of_work(work)
        elif work:
            remedy = "write a step of its own with 'at: cpu'"
            yield (work[0],), "only a step at a cpu, or under a lock alone, takes time of a core", remedy
        elif inside == NETWORK:
            yield from self._of_network()
        elif at and self.do is None:
            yield ("at",), "the step costs nothing", "write what it does there, such as 'do: read'"
        elif self.do == "flush" and self.bytes is not None:
            yield ("bytes",), "a flush moves none of the data", "write a step 'do: write', with 'request' if it waits"
        elif not at and self.wait is None:
            yield ("at",), "the step is nowhere", "write 'at: cpu', or another role, a 'lock', or 'wait: 1 ms'"

    def _of_work(self, work: Sequence[str]) -> Rules:
        if not work:
            yield ("at" if self.at else "lock",), "the step costs nothing", "write 'item: 0.1 ms' or 'byte: 2 ns/B'"
        if self.do is not None:
            yield ("do",), f"cores do not {self.do}", "leave it out, or name a device or a network"

    def _of_network(self) -> Rules:
        if self.trips is None and self.do is None:
            yield ("at",), "the step costs nothing", "write 'trips: 1' for a round trip, or 'do: send'"
        if self.do not in {None, "send", "receive"}:
            yield ("do",), f"a network does not {self.do}", "write send or receive"


class GroupSpec(Frozen):
    """A group of workers: each takes an item, does the steps in their order, and takes the next."""

    workers: NumberOrName | None = None
    """How many there are: a number, the name of an option, or `cores` for one on each core of the program's host; one
    by default.
    """
    items: Items
    """What a worker takes: whole `files`, `directories`, or pieces of so many bytes (a block, a chunk, a pack, an
    object). With `since`, directories have changed that hold a changed file.
    """
    of: Annotated[Portion, Word()] = "changed"
    """What passes through the group: `all` data, files that have `changed` (all of them without `since`) or that are
    `unchanged`, what is `new` to the target, or what is `stored` there: the new bytes after compression.
    """
    buffer: PositiveCount | None = None
    """Items that wait between this group and the next at most; one by default."""
    buffer_size: PositiveSize | None = None
    """The same in bytes."""
    steps: Annotated[dict[str, StepSpec], Field(min_length=1)]
    """What a worker does with an item, one step after the other, by names of your choice."""

    def rules(self) -> Rules:
        """One size of its buffer."""
        if self.buffer is not None and self.buffer_size is not None:
            yield ("buffer", "buffer_size"), "the buffer has two sizes", "write one of them"


class OperationSpec(Frozen):
    """One operation of a program: a backup, a restore, a copy, a check."""

    start: Duration = usual("0 s", "s")
    """Time before the first phase. Without a range it is exact as an input; it is no declared wait, so that the error
    of the model counts for it as for the rest of the job.
    """
    serial_share: Share | None = None
    """Share of the work of a group that one of its workers does while the others wait; by default, that of the job.
    A phase takes the longest that a group takes by itself, `(1 - s) T(all workers) + s T(one worker)`. The usual 8 %
    were found over programs of all kinds, and stand for locks, indexes and stragglers: 32 workers are then as fast as
    nine. If you know that the workers share nothing but a queue of whole files or objects, as in `program/rclone-1.60`,
    2 % are nearer. It is one number for all groups and phases, so that most lists leave it as it is.
    """
    resumes: Annotated[bool, Word()] = False
    """Whether a job that is tried again does not send what was finished: where the last group of a phase takes what is
    `new` or `stored`, all is read again, and the rest is stored; where it takes what has `changed`, files that were
    finished count as unchanged. By default, and on tape, everything is done again.
    """
    phases: dict[str, Annotated[dict[str, GroupSpec], Field(min_length=1)]]
    """Phases, one after the other, by names of your choice; in each the groups of workers, in the order in which items
    pass from one to the next. All groups of a phase work at the same time.
    """


class ProgramSheet(Frozen):
    """A program that moves data, as a list of what its workers do."""

    options: dict[str, PositiveCount] = Field(default_factory=dict)
    """Numbers that a user may set, such as of workers, with the defaults of the program."""
    operations: dict[str, OperationSpec]
    """What it can do."""


class ProgramSpec(Modelled, ProgramSheet):
    """The program that a job runs."""


def steps_of(operation: OperationSpec) -> Mapping[tuple[str, ...], StepSpec]:
    """The steps of an operation by their paths in it."""
    return {
        ("phases", phase, name, "steps", step): one
        for phase, groups in operation.phases.items()
        for name, group in groups.items()
        for step, one in group.steps.items()
    }


def items_of(operation: OperationSpec) -> Mapping[tuple[str, ...], Quantity]:
    """What the groups and steps of an operation repeat on, by their paths in it."""
    groups = {
        ("phases", phase, name, "items"): group.items
        for phase, groups in operation.phases.items()
        for name, group in groups.items()
    }
    steps = {(*path, "items"): step.items for path, step in steps_of(operation).items() if step.items is not None}
    return groups | steps


class WorkersSheet(Frozen):
    """Several workers that share the work of one job."""

    serial_share: Share
    """Share of the work that one worker does while the others wait for it: opening, scanning, joining, stragglers, a
    last flush.
    """
