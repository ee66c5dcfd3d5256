"""A site in numbers: sizes by date, what each level saves, and what each target holds."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import NamedTuple, Self
from zoneinfo import ZoneInfo

from simbackup.data.change import change_of
from simbackup.equations.change import Change, differs, hits_a_day
from simbackup.equations.reduction import touched_chunks
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.methods.reduction.spec import DeduplicationSpec
from simbackup.planning.expenses import Expense, expenses
from simbackup.planning.hardware import datastore_of, grows_by_change, growth_of, places_of
from simbackup.planning.loading import SiteFile, Source, over_datasheet, read_site
from simbackup.planning.night import DAY, Night
from simbackup.planning.origins import scenario_of
from simbackup.planning.policy import BY_FILE, DUMP
from simbackup.planning.prices import PricesSpec
from simbackup.planning.scenarios import night_scenario
from simbackup.policies.calendar import Calendar, Due, Entry
from simbackup.policies.clock import Opening, clock, elapsed
from simbackup.policies.days import Days
from simbackup.policies.levels import Level
from simbackup.scenario import Scenario
from simbackup.schema.capability import BlockDevice, MediaLibrary, ObjectTarget
from simbackup.schema.job import BackupJob
from simbackup.schema.part import scaled
from simbackup.schema.quantity import si_or
from simbackup.schema.validate import validate

MOST_OF_A_DATASTORE = 0.98
"""Share of a datastore that data fill at most in a simulation; the rest holds logs that wait to be saved."""
Lacking = Mapping[datetime, frozenset[str]]
"""What does not come about, by the time at which it is due: copies, and the backup with an empty name."""
NOTHING_LACKS: Lacking = {}
Unreadable = Mapping[tuple[str, datetime], datetime]
"""From when on save sets cannot be read: by copy, empty for the backup, and the time at which the backup was due."""
ALL_READABLE: Unreadable = {}


class Chunking(NamedTuple):
    """How a target deduplicates: mean bytes of a chunk, and bytes of a first backup for each that it keeps."""

    chunk: float
    within: float

    def first(self) -> float:
        """Bytes that are new in each byte of a first backup."""
        return 1.0 / self.within

    def since(self, change: Change, run: float, seconds: float) -> float:
        """Bytes that are new in each byte of the data when the last save set is so many seconds old."""
        return touched_chunks(differs(change, seconds), run, self.chunk) / self.within

    @classmethod
    def of(cls, file: SiteFile, target: str) -> Self | None:
        """How a target deduplicates; None if it does not.

        Raises
        ------
        InputError
            Everything that is wrong with what the site says of it.
        """
        part, address = file.part("targets", target, "deduplication"), f"targets.{target}.deduplication"
        if part is None:
            return None
        problems: list[Problem] = []
        whole = over_datasheet(part, "deduplication", address, problems)
        said = None if whole is None else validate(DeduplicationSpec, whole, address, problems)
        if problems or said is None:
            raise InputError(problems)
        return cls(said.chunk.si if said.chunk is not None else 0.0, si_or(said.within, 1.0))


class Client(NamedTuple):
    """A system in numbers."""

    name: str
    """Its name."""
    policy: str
    """Its policy."""
    size: float
    """Bytes at the start."""
    files: float
    """Files at the start."""
    change: Change
    """How it changes, by bytes or by whole files as it is saved."""
    compression: float
    """Bytes before compression for each byte after it."""
    priority: float
    """Order in a restore; lower numbers come first."""
    by_file: bool
    """Whether files are saved one by one."""
    log: float = 0.0
    """Share (0 to 1) of its data that its transaction log has in a day."""
    mounted: bool = False
    """Whether its program takes single files from an image on a disk."""
    bytes_change: Change = Change()
    """How its bytes change, even if whole files are saved."""
    run: float = math.inf
    """Mean bytes of a run of changed data."""
    reduction: float | None = None
    """Its bytes for each byte on a disk or in an object store; None if the target states that."""
    compressed: bool = False
    """Whether it is stored compressed on all targets, and not only on tape."""
    dumped: float = 1.0
    """Bytes of a full backup for each byte of its data: a logical dump leaves indexes out, and writes rows as text."""

    def log_over(self, seconds: float, now: float) -> float:
        """Bytes of its transaction log over some seconds that end `now` seconds after the start."""
        return self.size_at(now) * self.log * seconds / DAY

    def size_at(self, seconds: float) -> float:
        """Bytes some seconds after the start."""
        return self.size * self.change.factor(seconds)

    def sent(self, level: Level, age: float, factor: float) -> float:
        """Bytes that a backup of a level saves if its base is `age` seconds old, and data have grown by a factor."""
        return self.dumped * (self.size if level.whole else self.size * self.differs(age, factor)) * factor

    def differs(self, age: float, factor: float) -> float:
        """Share (0 to 1) of its data that differs after `age` seconds, if the data have grown by a factor."""
        return differs(self.change.before(factor, age), age)

    def new_chunks(self, chunking: Chunking, before: float | None, factor: float) -> float:
        """New bytes to a store for each byte of its data, if the newest save set there is `before` seconds old."""
        if before is None:
            return chunking.first()
        return chunking.since(self.bytes_change.before(factor, before), self.run, before)

    def reduced(self, target: Target) -> float:
        """Its bytes for each byte that a target keeps."""
        if target.tape:
            return self.compression
        own = target.reduction if self.reduction is None else self.reduction
        return own * self.compression if self.compressed else own


class Target(NamedTuple):
    """A target in numbers."""

    name: str
    """Its name."""
    capacity: float
    """Bytes that it holds on disk; infinite for tape and object stores."""
    stores_objects: bool
    """Whether it is an object store, which holds everything and is paid for by the byte."""
    cartridge: float
    """Bytes of a cartridge; 0 without tape."""
    slots: int
    """Cartridges of its pool inside the library."""
    drives: int
    """Tape drives."""
    reduction: float
    """Bytes of a save set for each byte that it stores, on disk or in objects."""
    place: str
    """Where it is."""
    offsite: bool
    """Whether cartridges are taken out after each session."""
    owned: int
    """Cartridges at the start."""
    fetch: float
    """Seconds to bring cartridges back."""
    clones: bool = False
    """Whether synthetic full backups share blocks with those before."""
    new: float | None = None
    """Cartridges at the start that were never loaded; None if that makes no difference."""
    chunking: Chunking | None = None
    """How it deduplicates; None if it does not."""
    objects: ObjectTarget | None = None
    """Its object store; None if it is none."""
    object_size: float | None = None
    """Bytes of an object; None for one of each file, or one for an image."""
    prices: PricesSpec | None = None
    """What storage costs there."""

    @property
    def on_disk(self) -> bool:
        """Whether a host can read what is stored there, and write it again."""
        return not self.tape and not self.stores_objects

    @property
    def tape(self) -> bool:
        """Whether it has cartridges."""
        return self.cartridge > 0.0


class Datastore(NamedTuple):
    """A datastore in numbers: the bytes that its device holds, the systems that lie there, and theirs at the start.

    Bytes of systems that grow alike are one sum.
    """

    name: str
    capacity: float
    systems: tuple[str, ...]
    sizes: tuple[tuple[Change, float], ...]

    @classmethod
    def of(cls, name: str, capacity: float, systems: Sequence[Client]) -> Self:
        """A datastore on which some systems lie."""
        sizes: dict[Change, float] = {}
        for system in systems:
            sizes[system.change] = sizes.get(system.change, 0.0) + system.size
        return cls(name, capacity, tuple(system.name for system in systems), tuple(sizes.items()))

    def used(self, seconds: float) -> float:
        """Bytes of the data of its systems so many seconds after the start, whether it has room for them or not."""
        return math.fsum(size * change.factor(seconds) for change, size in self.sizes)

    def part(self, seconds: float) -> float:
        """The share of these for which it has room."""
        return min(1.0, MOST_OF_A_DATASTORE * self.capacity / self.used(seconds))


@dataclass(frozen=True)
class PlannedSite:
    """A site: what its file states, and what follows from its datasheets."""

    file: SiteFile
    systems: tuple[Client, ...]
    targets: dict[str, Target]
    datastores: dict[str, Datastore]
    """Those on which data lie, each with all that lie on its device."""
    expenses: tuple[Expense, ...] = ()
    """What it has for its backups and pays for beside storage."""
    lacking: Mapping[str, Lacking] = field(default_factory=dict[str, "Lacking"])
    """What does not come about as parts fail, by policy."""
    unreadable: Mapping[str, Unreadable] = field(default_factory=dict[str, "Unreadable"])
    """What cannot be read any more as cartridges fail, by policy."""
    first: Scenario | None = field(default=None, repr=False, compare=False)
    """The scenario of its first night, if it was made in this process from the values of its file."""

    def __getstate__(self) -> dict[str, object]:
        """What another process gets, which makes scenarios of its own."""
        return {**self.__dict__, "first": None}

    @cached_property
    def zone(self) -> ZoneInfo:
        """Its time zone."""
        return ZoneInfo(self.file.spec.zone)

    @property
    def start(self) -> date:
        """Its first day."""
        return self.file.spec.start

    @cached_property
    def begin(self) -> datetime:
        """Noon of its first day, from which growth counts."""
        return datetime(self.start.year, self.start.month, self.start.day, 12, tzinfo=self.zone)

    @property
    def first_night(self) -> Scenario:
        """The scenario of its first night, in which everything is saved and copied for the first time."""
        return self.first or _first_night(self.file)

    def seconds(self, time: datetime) -> float:
        """Seconds since the start."""
        return elapsed(self.begin, time)

    def held(self, system: Client, seconds: float) -> float:
        """How much larger a system is than at the start, so many seconds later, as far as its datastore has room."""
        factor = system.change.factor(seconds)
        return factor if system.name not in self._lying else factor * self._lying[system.name].part(seconds)

    @cached_property
    def _lying(self) -> dict[str, Datastore]:
        """The datastore of each system that has one."""
        return {system: one for one in self.datastores.values() for system in one.systems}

    def of_policy(self, name: str) -> tuple[Client, ...]:
        """The systems that follow a policy."""
        return self._following.get(name, ())

    @cached_property
    def _following(self) -> dict[str, tuple[Client, ...]]:
        """The systems that follow each policy that any follows."""
        found: dict[str, list[Client]] = {}
        for system in self.systems:
            found.setdefault(system.policy, []).append(system)
        return {name: tuple(systems) for name, systems in found.items()}

    def lost_with(self, lost: str) -> set[str]:
        """The targets that are lost with a target, its host, or a place; none with a datastore, or with nothing.

        Raises
        ------
        InputError
            There is none of that name.
        """
        hosts = {name: target.host for name, target in self.file.spec.targets.items()}
        gone = {
            name
            for name, target in self.targets.items()
            if lost and lost in [name, f"{name}-host", hosts[name], target.place]
        }
        legal = {*self.targets, *self.file.spec.places, *self.datastores}
        if lost and not gone and lost not in legal:
            message = f"there is no target, no place and no datastore '{lost}'"
            raise InputError([Problem(Place("--after-loss-of"), "", message, choices(lost, legal))])
        return gone

    def struck_by(self, lost: str) -> tuple[Client, ...]:
        """The systems whose host or data are in a place, or lie on a datastore; all if there are none there."""
        found = {name for name in self.file.spec.systems if lost in places_of(self.file.spec, name)}
        if not found and lost in self.datastores:
            found = {*self.datastores[lost].systems}
        return tuple(one for one in self.systems if not found or one.name in found)

    def target_of(self, policy: str, copy: str = "") -> str:
        """The target of the backups of a policy, or of one of its copies."""
        given = self.file.spec.policies[policy]
        return given.copies[copy].to if copy else given.target

    def calendar(self, policy: str) -> Calendar:
        """What runs when by a policy."""
        given = self.file.spec.policies[policy]
        entries = tuple(Entry(level, Days(texts, given.without)) for level, texts in given.levels())
        return Calendar(entries, clock(given.at))

    def due(self, policy: str, last: date) -> Iterator[Due]:
        """The runs of a policy until a day."""
        return self.calendar(policy).runs(self.start, last, self.zone)

    def saved(self, policy: str, last: date) -> Iterator[Due]:
        """The runs of a policy until a day that save something: all but those whose backups fail."""
        return (run for run in self.due(policy, last) if "" not in self.lacking_of(policy).get(run.time, ()))

    def lacking_of(self, policy: str) -> Lacking:
        """What does not come about of a policy."""
        return self.lacking.get(policy, NOTHING_LACKS)

    def unreadable_of(self, policy: str) -> Unreadable:
        """What cannot be read any more of a policy."""
        return self.unreadable.get(policy, ALL_READABLE)

    def readable(self, policy: str, copy: str, due: datetime, now: datetime) -> bool:
        """Whether a save set of a policy, due at a time, can be read at a moment from a copy, empty for the backup."""
        since = self.unreadable_of(policy).get((copy, due))
        return since is None or now < since

    def opening(self, policy: str, time: datetime) -> Opening | None:
        """The window of a policy by which a backup that is due at a moment is judged, None if it has none."""
        return self.file.spec.policies[policy].opening_at(time, self.start)


def in_case(
    site: PlannedSite, night: Scenario, of_site: Mapping[str, float], of_night: Mapping[str, float]
) -> PlannedSite:
    """A site with some of its numbers multiplied by factors, by address in its file and in its first night, unchecked.

    The same systems, targets, policies and failures stay, so the same restore points are made.
    """
    file = replace(site.file, spec=scaled(site.file.spec, of_site))
    return replace(_numbers(file, replace(night, spec=night.spec.scaled(of_night))), lacking=site.lacking)


def load_site(what: Source, overrides: Mapping[str, object] | None = None) -> PlannedSite:
    """The site of a file, of YAML text or of a mapping, with the values at some addresses replaced, checked as a whole.

    Raises
    ------
    InputError
        All mistakes in the file, or in the scenarios of its first nights.
    """
    file = read_site(what, overrides)
    first, later = _first_night(file), Night.later(file)
    if later.runs:
        scenario_of(file, night_scenario(file, later), like=first)
    return replace(_numbers(file, first), first=first)


def numbers(file: SiteFile) -> PlannedSite:
    """The site of what a file says.

    Raises
    ------
    InputError
        Everything that is wrong with the scenario of its first night.
    """
    first = _first_night(file)
    return replace(_numbers(file, first), first=first)


def _first_night(file: SiteFile) -> Scenario:
    """The scenario of the first night of a site, in which everything is saved and copied for the first time."""
    return scenario_of(file, night_scenario(file, Night.first(file)))


def _numbers(file: SiteFile, scenario: Scenario) -> PlannedSite:
    spec, jobs = file.spec, scenario.spec.jobs.values()
    by_files = {
        job.data
        for job in jobs
        if isinstance(job, BackupJob) and isinstance(job.data, str) and job.gives_single_files()
    }
    systems = tuple(_system(scenario, file, name, by_files) for name in spec.systems)
    targets = {name: _target(scenario, file, name) for name in spec.targets}
    return PlannedSite(file, systems, targets, _datastores(scenario, file, systems), expenses(file, scenario))


def _datastores(scenario: Scenario, file: SiteFile, systems: Sequence[Client]) -> dict[str, Datastore]:
    lying: dict[str, list[Client]] = {}
    for system in systems:
        if file.spec.systems[system.name].host is not None:
            lying.setdefault(datastore_of(file.spec, system.name), []).append(system)
    found: dict[str, Datastore] = {}
    for name in file.spec.datastores:
        device = scenario.spec.devices.get(name)
        if name in lying and isinstance(device, BlockDevice):
            found[name] = Datastore.of(name, device.capacity_bytes() or math.inf, lying[name])
    return found


def _system(scenario: Scenario, file: SiteFile, name: str, by_files: Container[str]) -> Client:
    """A system in numbers; `by_files` are the data of which backups give single files."""
    system, data = file.spec.systems[name], scenario.spec.data[f"{name}-data"]
    given, method = data.change, file.method_of(name)
    by_file = method == BY_FILE
    change = change_of(given, system.size.si / si_or(system.files, 1.0) if by_file else None) or Change()
    of_bytes, grows = change_of(given) or change, growth_of(file, name)
    if not grows_by_change(file, name):
        same = {"growth": grows.growth, "added": grows.added, "turns": grows.turns}
        change, of_bytes = (each._replace(**same) for each in (change, of_bytes))
    mounts = data.filesystem is not None and f"{name}-data" in by_files
    return Client(
        name, system.policy, system.size.si, si_or(system.files, 1.0), change, data.compression.si,
        si_or(system.priority, math.inf), by_file, si_or(system.log, _logged(of_bytes)),
        mounts and not by_file, of_bytes, si_or(given.run if given is not None else None, math.inf),
        system.reduction.si if system.reduction is not None else None, _stays_compressed(file, system.policy),
        data.dump_size() / data.size.si if method == DUMP else 1.0,
    )  # fmt: skip


def _stays_compressed(file: SiteFile, policy: str) -> bool:
    """Whether the backups of a policy are compressed before they are stored, not only on the wire."""
    if file.spec.policies[policy].compress:
        return True
    how = file.part("policies", policy, "compressor")
    at = how.mapping.get("at") if how is not None else None
    return how is not None and (at is None or at.value != "wire")


def _logged(change: Change) -> float:
    """The share of data that changes in a day, where each of repeated changes counts."""
    return hits_a_day(change.daily, change.hot_data, change.hot_changes) if change.daily else 0.0


def _target(scenario: Scenario, file: SiteFile, name: str) -> Target:
    target, device = file.spec.targets[name], scenario.spec.devices[file.spec.device_of(name)]
    capacity, cartridge, slots, drives, new = math.inf, 0.0, 0, 0, None
    if isinstance(device, MediaLibrary):
        cartridge = device.cartridge_bytes()
        slots, drives, new = device.pool_sizes()[target.pool], device.drive_count(), device.never_loaded()
    elif isinstance(device, BlockDevice):
        capacity = device.capacity_bytes() or math.inf
    return Target(
        name, capacity, isinstance(device, ObjectTarget), cartridge, slots, drives, target.reduction.si,
        file.spec.place_of(name), target.offsite, int(target.cartridges.si), target.fetch.si,
        target.clones, new, Chunking.of(file, name), device if isinstance(device, ObjectTarget) else None,
        target.object_size.si if target.object_size is not None else None, target.prices or file.spec.prices,
    )  # fmt: skip
