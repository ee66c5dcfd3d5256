"""Parts that fail while a scenario runs: what stops with them, what is lost, and when it goes on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from simbackup import units
from simbackup.catalogue import Copy, job_of
from simbackup.devices.library import Library
from simbackup.devices.network.spec import WAY
from simbackup.devices.raid.live import Redundant, changing
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Closure, Link
from simbackup.errors import JobFailedError
from simbackup.methods.operations.live import Rebuild, UnreadableSectorError
from simbackup.schema.job import JobSpec, Restoring
from simbackup.schema.part import Part, Refers
from simbackup.schema.reflection import mark_of
from simbackup.system import System
from simbackup.trace.clock import Process

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.schema.failure import FailureSpec

ORDERS = frozenset({"follows", "waits in"})
"""What jobs do to others that says when they begin, and not what they need."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A part that fails: its address, what it is in words, and how it fails; when, in seconds, and for how long.

    The time counts from the start, or from the first beginning of a job. What transfers over it waits for so many
    seconds before it fails. Of an array, a rebuild begins so many seconds after one of its disks has failed.
    """

    name: str
    part: str
    words: str
    fails: Callable[[System, Failure], Process]
    delay: float
    after: str | None = None
    lasts: float | None = None
    timeout: float = 0.0
    spare: float | None = None

    @property
    def reason(self) -> str:
        """Why what needs the part fails."""
        return f"{self.words} failed"

    def happens(self, system: System) -> Process:
        """Wait for the time, and fail."""
        if self.after is not None:
            yield system.begun[self.after]
        yield system.env.timeout(self.delay)
        yield from self.fails(system, self)

    def note(self, system: System, what: str, *, failure: bool = False) -> None:
        """Record what happens to the part, and whether that is a failure."""
        system.trace.note(system.env.now, self.part, what, **{"failure": self.name} if failure else {})


def begin(system: System, spec: Spec) -> None:
    """Let the parts of a system fail when its scenario says so."""
    system.clock.refusals.expected = bool(spec.failures)
    for name, said in spec.failures.items():
        failure = failure_of(name, said, spec)
        if failure.after is not None:
            system.begun.setdefault(failure.after, system.env.event())
        system.env.process(failure.happens(system))


def failure_of(name: str, said: FailureSpec, spec: Spec) -> Failure:
    """What a scenario says about a failure."""
    what, part = said.what, str(getattr(said, said.what))
    fails, section, words = {
        "host": (
            _closing(lambda system: _of_hosts(system, _dead(part, spec), spec), hosts=_dead(part, spec)),
            "hosts",
            "host",
        ),
        "link": (_closing(lambda system: _of_network(system, part)), "links", "link"),
        "device": (_closing(lambda system: _of_device(system, part)), "devices", "device"),
        "disk": (_lose_disk, "devices", "a disk of"),
        "sector": (_spoil, "devices", "a sector of"),
        "drive": (_lose_drive, "devices", "a drive of"),
        "robot": (_stop, "devices", "the robot of"),
        "cartridge": (_ruin, "jobs", "a cartridge of"),
    }[what]
    return Failure(
        name, f"{section}.{part}", f"{words} '{part}'" if " " in words else f"the {words} '{part}'", fails,
        (units.parse_moment(said.at) if said.at is not None else 0.0) + said.delay.si, said.after,
        said.lasts.si if said.lasts is not None else None, said.timeout.si,
        said.spare.si if said.spare is not None else None,
    )  # fmt: skip


# where a part is: the links that serve nobody while it is away


def hosts_of(job: str, spec: Spec) -> frozenset[str]:
    """The hosts without which a job cannot go on: those that it names, and those of the data and devices that it names.

    A job that works on what another one saved needs the devices of that, too. None where nothing fails.
    """
    if not spec.failures:
        return frozenset()
    found, part = set[str](), spec.jobs[job]
    for section, name in _needed(part, spec):
        if section == "hosts":
            found.add(name)
        elif section == "data":
            found.add(spec.host_of(name))
        elif section == "devices":
            found.add(spec.owner_of(name) or "")
    return frozenset(found - {""})


def _needed(part: JobSpec, spec: Spec) -> Iterator[tuple[str, str]]:
    """The parts that a job names, with their sections, and those of the save sets that it works on."""
    for section, name in names_in(part, spec):
        yield section, name
        if section != "jobs":
            continue
        saved = spec.jobs[name]
        yield from ((of, each) for of, each in names_in(saved, spec) if of == "devices")
        data = getattr(saved, "data", None)
        if isinstance(part, Restoring) and part.to is None and isinstance(data, str) and data in spec.data:
            yield "data", data


def names_in(part: Part, spec: Spec) -> Iterator[tuple[str, str]]:
    """The parts that the keys of a part name, with their sections; not those that only say when it begins."""
    for key in type(part).model_fields:
        refers, value = mark_of(type(part), key, Refers), getattr(part, key)
        if refers is None or refers.does in ORDERS:
            continue
        named = (value,) if isinstance(value, str) else cast("tuple[object, ...]", value or ())
        for name in (each for each in named if isinstance(each, str)):
            section = next((one for one in refers.sections if name in getattr(spec, one)), None)
            if section is not None:
                yield section, name


def _dead(host: str, spec: Spec) -> set[str]:
    """A host with the virtual machines on it."""
    return {host, *(name for name, part in spec.hosts.items() if part.within == host)}


def _of_hosts(system: System, hosts: set[str], spec: Spec) -> list[Link]:
    """The processors of hosts, and the devices that they own."""
    owned = [name for name in spec.devices if spec.store_of(name) == name and spec.owner_of(name) in hosts]
    cores = [system.hosts[host].cpu for host in sorted(hosts)]
    return [*cores, *(link for name in owned for link in _of_device(system, name))]


def _of_network(system: System, name: str) -> list[Link]:
    """All directions and ports of a link."""
    own = (network.link for way, network in system.networks.items() if way.split(WAY)[0].split(".")[0] == name)
    return list(dict.fromkeys(own))


def _of_device(system: System, name: str) -> list[Link]:
    """What serves the requests to a device: its `links`, or else its `link`."""
    part = system.of(object).get(name)
    link = getattr(part, "link", None)
    return list(getattr(part, "links", (link,) if isinstance(link, Link) else ()))


# how it fails


def _closing(
    links: Callable[[System], Iterable[Link]], *, hosts: Collection[str] = (), holds: bool = True
) -> Callable[[System, Failure], Process]:
    """The failure of a part that serves nobody while it is away; of one that `holds` something, that may be lost."""

    def fails(system: System, failure: Failure) -> Process:
        away = list(links(system))
        how = f"fails for {units.show_short(failure.lasts, 's')}" if failure.lasts is not None else "fails for good"
        failure.note(system, how, failure=True)
        opens = system.env.event() if failure.lasts is not None else None
        closure = Closure(failure.reason, failure.part, opens)
        yield from _close(system, failure, away, closure)
        for name, needed in [*system.running.items()]:  # also what moves nothing now
            if not needed.isdisjoint(hosts):
                system.network.refuse(name, closure)
        if failure.lasts is None or opens is None:
            if holds:
                _lose(system, failure.reason, away)
            return
        yield system.env.timeout(max(failure.lasts - failure.timeout, 0.0))
        _open(system, failure, away, closure)

    return fails


def _close(system: System, failure: Failure, links: Iterable[Link], closure: Closure) -> Process:
    """Close links: what crosses them waits for a while, and then fails."""
    patience = min(failure.timeout, failure.lasts) if failure.lasts is not None else failure.timeout
    for link in links:
        system.network.close(link, closure, waits=patience > 0.0)
    if patience > 0.0:
        yield system.env.timeout(patience)
        if failure.lasts is None or failure.lasts > patience:
            for link in links:
                system.network.close(link, closure)


def _open(system: System, failure: Failure, links: Iterable[Link], closure: Closure) -> None:
    """Let links serve again."""
    failure.note(system, "is back")
    for link in links:
        system.network.open(link, closure)
    if closure.opens is not None:
        closure.opens.succeed()


def _lose(system: System, reason: str, links: Iterable[Link]) -> None:
    """Take the copies on what is gone for good out of the catalogue."""
    gone = set(links)

    def lies_there(copy: Copy) -> bool:
        on = {copy.target, *(extent.medium for extent in copy.extents)}
        return any(link in gone for name in sorted(on) for link in _holding(system, name))

    for _, copy in system.catalogue.lose(lies_there, reason):
        system.trace.note(system.env.now, copy.job, f"has lost its save set on '{copy.target}': {reason}")


def _holding(system: System, name: str) -> list[Link]:
    """What serves the device, or the volume, on which a copy is; nothing of a cartridge."""
    if name in system.of(Volume):
        return [system.of(Volume)[name].region.store.link]
    return _of_device(system, name)


def _lose_disk(system: System, failure: Failure) -> Process:
    """The failure of a disk of an array, which goes on without it and fills a spare one, or loses all data."""
    name = failure.part.split(".")[1]
    store = system.of(Redundant)[name]
    goes_on = changing(system.network, store, store.fail)
    if not goes_on:
        failure.note(system, "loses a disk too many, and all its data", failure=True)
        _lose_array(system, failure, f"'{name}' lost a disk too many", f"too many disks of '{name}' failed")
        return
    failure.note(system, "goes on without one disk", failure=True)
    if failure.spare is None:
        return
    yield system.env.timeout(failure.spare)
    job = f"failures.{failure.name}"
    while True:
        try:
            yield from Rebuild(name, 1.0).run(system, job)
        except UnreadableSectorError as error:
            failure.note(system, "is not rebuilt: a sector cannot be read, and its data are lost", failure=True)
            _lose_array(system, failure, str(error), str(error))
            return
        except JobFailedError as error:
            failure.note(system, f"is not rebuilt: {error}")
        else:
            failure.note(system, "has been rebuilt onto a spare disk")
            return
        closure = system.network.admit(job)
        if closure is None or closure.opens is None:
            return
        if not closure.opens.processed:
            yield closure.opens  # it begins again when what has failed is back


def _lose_array(system: System, failure: Failure, closed: str, reason: str) -> None:
    """Lose all that is on an array, which serves nobody any more."""
    store = system.of(Redundant)[failure.part.split(".")[1]]
    system.network.close(store.link, Closure(closed, failure.part))
    _lose(system, reason, [store.link])


def _spoil(system: System, failure: Failure) -> Process:
    """A sector of a disk of an array that cannot be read any more; nobody notices before a rebuild needs it."""
    system.of(Redundant)[failure.part.split(".")[1]].unreadable = True
    failure.note(system, "has a sector that cannot be read", failure=True)
    yield from ()


def _stop(system: System, failure: Failure) -> Process:
    """The robots of a library stop for a while: who needs one waits, and loaded drives go on."""
    library, over = system.of(Library)[failure.part.split(".")[1]], system.env.event()
    failure = replace(failure, part=f"{failure.part}.robot")
    failure.note(system, f"fails for {units.show_short(failure.lasts or 0.0, 's')}", failure=True)
    library.stops.append(over)
    yield system.env.timeout(failure.lasts or 0.0)
    library.stops.remove(over)
    failure.note(system, "is back")
    over.succeed()


def _lose_drive(system: System, failure: Failure) -> Process:
    """The failure of a drive that works, or else of the first: its library goes on with the others."""
    library = system.of(Library)[failure.part.split(".")[1]]
    drive = library.next_to_fail()
    if drive is None:
        return
    part = f"the drive '{drive.name.removeprefix('devices.')}'"
    failure = replace(failure, part=drive.name, words=part)
    library.lose(drive, for_good=failure.lasts is None)
    yield from _closing(lambda _: drive.links, holds=False)(system, failure)
    if failure.lasts is not None:
        library.regain(drive)


def _ruin(system: System, failure: Failure) -> Process:
    """The first cartridge of what a job wrote last becomes unreadable; nobody notices before it is loaded."""
    job = failure.part
    found = next(
        (copy for saved in reversed(system.catalogue.save_sets) for copy in saved.copies if job_of(copy.job) == job),
        None,
    )
    if found is None or found.target not in system.of(Library):
        failure.note(system, "has written no cartridge yet that could become unreadable")
        return
    name = found.extents[0].medium
    system.of(Library)[found.target].ruin(name)
    system.trace.note(system.env.now, f"devices.{found.target}.{name}", "becomes unreadable", failure=failure.name)
    yield from ()
