"""What every job may say, and what jobs can do for other jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator

from simbackup import units
from simbackup.schema.capability import Sink
from simbackup.schema.origin import Unknown
from simbackup.schema.part import CLOCK, RUN, Fact, Facts, Figures, Modelled, Part, Path, Refers, amount, made, number
from simbackup.schema.quantity import (
    Count,
    Duration,
    Frozen,
    Pieces,
    PositiveDuration,
    PositiveSize,
    Quantity,
    Rate,
    Share,
    Text,
    Word,
    usual,
)

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec


class FailsSpec(Frozen):
    """How often a job fails at random before it moves any data: its client does not respond, or a service is down."""

    share: Share
    """Share of its attempts that fail: `10 %` means that one attempt in ten fails on average."""
    after: Duration = usual("0 s", "s")
    """Time until the failure is noticed, during which the attempt keeps its place in queues."""


SCHEDULE = ("every", "until", "window")
NOT_OF_EXISTING = (
    "after", "begin", *SCHEDULE, "deadline", "queues", "priority", "retries", "retry_after", "delay", "fails",
    "most_rate",
)  # fmt: skip
"""Keys of jobs that run."""


def _names(raw: Any) -> Any:
    """A single name as a list of one."""
    return (raw,) if isinstance(raw, str) else raw


Names = Annotated[tuple[Text, ...], BeforeValidator(_names)]


class JobSpec(Part):
    """Keys of every job: when it runs, how fast it may be, and what happens after a failure."""

    live_part = "simbackup.methods.job:Work"

    after: Annotated[Names, Refers("follows", "jobs")] = ()
    """Jobs that must end before this one begins, also if `begin` is earlier."""
    begin: Text | None = None
    """A time of day of the first day, such as `22:00`, or a time after the start, which is midnight, such as `90 s`. By
    default, at the start, or when the jobs under `after` have ended.
    """
    every: Duration | None = None
    """Time from one start to the next."""
    until: Duration | None = None
    """Last time at which it may begin again, counted from the start; `7 d` gives the seven nights of a week to a
    job that begins after midnight, and eight runs to one that begins at midnight."""
    window: PositiveDuration | None = None
    """Time within which it should end, counted from when it was due."""
    deadline: Text | None = None
    """Time of day by which it should end, such as `06:00`, or time of a weekday, such as `monday 06:00`: the first such
    time after it, or the chain of jobs that it belongs to, begins. A weekday needs the scenario's `first_day`.
    """
    queues: Annotated[Names, Refers("waits in", "devices")] = ()
    """Job queues, each of which must have a free place before it begins."""
    priority: Count | None = None
    """Its priority in queues with the order `priority`: jobs with lower numbers run first, jobs without a number last.
    """
    retries: Count = usual("0")
    """How often it is retried after a failure."""
    retry_after: Duration = usual("0 s", "s")
    """Time between a failure and the next attempt."""

    delay: Duration = usual("0 s", "s")
    """Time from when it is due until it begins, for example because its client requests it later."""
    fails: FailsSpec | None = None
    """How often it fails at random, and after what time; never by default."""
    most_rate: Rate | None = None
    """Maximum bytes per second that it sends or copies, with all its streams; compressed data count with the size in
    which they are sent. No limit by default.
    """

    watches: ClassVar[bool] = False
    """Whether it only watches a workload, and does no work of its own."""
    moves: ClassVar[bool] = True
    """Whether it moves bytes, whose rate can be limited."""
    pieces: ClassVar[Mapping[str, tuple[str, ...]]] = {"most_rate": ("most_rate",)}
    """What of a job can limit it, by its name in addresses, and the keys of which there is then too little."""

    def pieces_of(self) -> Mapping[str, tuple[str, ...]]:
        """These, with what only this job has."""
        return self.pieces

    def creates(self) -> str | None:
        """The frozen image that it creates, None if it creates none."""
        return None

    def tool_of(self) -> str | None:
        """The job whose backup program it uses, None if it is its own."""
        return None

    def kind_of_work(self) -> str:
        """The kind of operation whose measured times say how far its own may be off: its method, if none is like it."""
        return str(getattr(self, "method", "restore"))

    def figures(self) -> Figures:
        """What every run of it has, and its window if there is one."""
        return {"": (*RUN, "window") if self.window or self.deadline else RUN}

    def facts(self) -> Facts:
        """Facts about the job: what it moves, when it runs, and by which program."""
        streams: Quantity | None = getattr(self, "streams", None)
        if streams is not None and streams.si > 1:
            yield from number(streams, "stream")
        yield from amount(self.most_rate, "at most")
        yield from self.own_facts()
        yield from self._schedule()
        for _, part in self:
            if isinstance(part, Modelled):
                yield from made(part, "by ")

    def own_facts(self) -> Facts:
        """More facts of jobs of a method."""
        yield from ()

    def _schedule(self) -> Iterator[Fact]:
        if self.begin is not None:
            if ":" in self.begin:
                yield Fact.of(units.parse_clock(self.begin), CLOCK)
            else:
                yield Fact.of(units.parse(self.begin, "s"), "s", "after the start")
        if self.deadline is not None:
            yield Fact(f"by {self.deadline}")
        for name in SCHEDULE:
            time = getattr(self, name)
            if isinstance(time, Quantity):
                yield Fact(f"{name} {Fact.of(time.si, time.unit)}")


class BackupJob(JobSpec):
    """A job that makes save sets, which restores bring back."""

    if TYPE_CHECKING:
        data: Any  # the data set that it saves, or several of them

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report what prevents a restore of what this job saves."""
        raise NotImplementedError

    def stream_on(self) -> str | None:
        """The target on which each save set is a stream of bytes, which copies can read; None if there is none."""
        return None

    def goes_on_at(self) -> tuple[str, ...]:
        """Other targets on which more of each save set lies, one part behind the other."""
        return ()

    def gives_single_files(self) -> bool:
        """Whether a restore takes selected files from a save set on a disk, and nothing else of it."""
        return False

    def takes_inline(self) -> str | None:
        """Why it cannot write further copies while it saves, None if it can."""
        return f"a {getattr(self, 'method', '')} backup writes one copy"


OF_PROGRAMS = ("serial_share", "tool.serial_share")
"""Where a job, or its program, states the share of its work that one worker does."""


class SharedOut(JobSpec):
    """A job whose work several workers, threads, connections or files of one program share."""

    serial_share: Share | None = None
    """Share of its work that one worker does while the others wait, if the program states none: opening, scanning,
    joining, stragglers, a last flush. By default, that of `workers/of-one-job`, or of `workers/connections` where only
    connections share it. It takes `T = (1 - s) T(all workers) + s T(one worker)`; meanwhile the other workers go on
    waiting for answers of networks, object stores and services. The `streams` of a job, if it has any, do not wait for
    each other.
    """

    pieces: ClassVar[Mapping[str, tuple[str, ...]]] = {**JobSpec.pieces, "serial_share": OF_PROGRAMS}

    def stated_share(self, spec: Spec) -> Quantity | None:
        """The serial share that its program states, None if it states none."""
        runs = spec.jobs.get(self.tool_of() or "", self)
        tool: Any = getattr(runs, "tool", None)
        return tool.serial_share if tool is not None else None


class Lasting(JobSpec):
    """A job whose save set may exist when the simulation begins."""

    exists: Annotated[bool, Word()] = False
    """Whether its save set exists at the start, where the job would have written it; the job itself does not run then.
    Of several that exist, those listed later are newer.
    """

    def check_existing(self, checks: Checks, path: Path) -> None:
        """Report times of a job that does not run, and a save set on what keeps nothing."""
        if not self.exists:
            return
        to: Any = getattr(self, "to", ())
        for name in (to,) if isinstance(to, str) else () if isinstance(to, Unknown) else to:
            if isinstance(checks.spec.devices.get(name), Sink):
                message = f"no save set can exist on '{name}', which keeps nothing"
                checks.report((*path, "exists"), message, "leave it out, or write 'to:' and a device that keeps data")
        said = [key for key in NOT_OF_EXISTING if self.states(key) and getattr(self, key) != ()]
        for key in said:
            message = "has no effect on a job whose save set exists at the start, and which does not run"
            checks.report((*path, key), message, "leave it out")


class Storing(Lasting):
    """A job that writes a save set onto a target of any kind."""

    of_drives: ClassVar[tuple[str, ...]] = ("streams", "pool")
    """Its keys that do nothing where objects are written; a method may say otherwise."""
    not_on_disk: ClassVar[tuple[str, ...]] = ("streams", "pool")
    """Its keys that do nothing where a disk is written; a method may say otherwise."""

    def kept_ratio(self, spec: Spec) -> float:
        """Bytes that it saves for each byte that a disk keeps."""
        del spec
        return 1.0

    def shares_chunks(self) -> bool:
        """Whether its save sets are kept as chunks that several of them share."""
        return False

    if TYPE_CHECKING:
        to: Text
        streams: Pieces
        connections: Pieces | None
        object_size: PositiveSize | None
        pool: Text | None

    def block_size(self, spec: Spec) -> Quantity | None:
        """Bytes that its program writes to tape with each command, None if it says nothing of them."""
        del spec
        return None


class Streamed(BackupJob):
    """A backup each of whose save sets is one stream of bytes on one target, which copies can read."""

    if TYPE_CHECKING:
        to: Text

    def stream_on(self) -> str | None:
        """Its target, None if that is unknown."""
        return None if isinstance(self.to, Unknown) else self.to


class Saving(Streamed, Storing):
    """A backup that a target of any kind takes."""

    if TYPE_CHECKING:
        to: Text

    def new_chunks(self, spec: Spec, last: float) -> float | None:
        """Bytes of a save set for each of new chunks, in a store whose newest one is so many seconds older.

        None if it does not deduplicate, or if its data do not say how they change.
        """
        del spec, last


class FilesSaving(Saving):
    """A backup of one data set, block by block or file by file, which `restore` brings back."""

    if TYPE_CHECKING:
        data: Text
        tool: Any  # its program, if a datasheet describes that by a few values

    def by_file(self) -> bool:
        """Whether its save sets hold files, not blocks."""
        raise NotImplementedError

    def level_of(self) -> str:
        """How much it saves: all (`full`), or what has changed since another backup."""
        return "full"


class Copying(Storing):
    """A job that copies what such a backup saved."""

    if TYPE_CHECKING:
        save_set: Text
        copied_by: Text | None
        inline: bool  # whether the backup writes it, while it writes its own


class Restoring(SharedOut):
    """A restore of what a backup saved."""

    if TYPE_CHECKING:
        restore: Text
        select: Any
        share: Any
        to: Text | None
        streams: Pieces
        workers: Pieces
        connections: Pieces | None
        replay: Names
        copied_by: Text | None

    def figures(self) -> Figures:
        """What every run of it has, and when the data are back."""
        return {"": (*super().figures()[""], "back")}

    def discards(self, spec: Spec) -> bool:
        """Whether it keeps nothing of what it reads."""
        return self.to is not None and self.to not in spec.data and isinstance(spec.devices.get(self.to), Sink)

    def host_of(self, spec: Spec, data: str) -> str:
        """The host to which saved data come back: that of what discards them, if one owns it, or that of the data."""
        if self.to is None:
            return spec.host_of(data)
        if self.discards(spec):
            return spec.owner_of(self.to) or spec.host_of(data)
        return spec.host_of(self.to)
