"""Restores of a site on a date: from which copies, in which order, how long, and what is lost.

The save sets exist: the scenario of a restore writes them first, and then restores in order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from fnmatch import fnmatchcase
from graphlib import TopologicalSorter
from itertools import pairwise
from operator import mul
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.available import Arrivals, Available, Remaining
from simbackup.planning.cost import read_back
from simbackup.planning.hardware import (
    datastore_of,
    machine_of,
    on_devices,
    readers_of,
    sharing,
    site_parts,
    whole_bytes,
)
from simbackup.planning.ledger import Ledger, of_case
from simbackup.planning.loading import SiteFile, Source
from simbackup.planning.night import LevelRun, Night
from simbackup.planning.nights import Nights, settled
from simbackup.planning.origins import Origins, scenario_of
from simbackup.planning.playing import GOOD, NEVER, Play
from simbackup.planning.policy import COMPRESSOR, LOADED, METHODS_OF, PLAIN, PROGRAM
from simbackup.planning.reasons import restore_reasons
from simbackup.planning.recovery import (
    ALL,
    SHARES,
    Declared,
    Recovery,
    Restored,
    RestoreInterval,
    Session,
    deviation_of,
    least_of,
    least_until,
    restore_interval,
    sampled,
    waits_of,
)
from simbackup.planning.rewriting import matching
from simbackup.planning.scenarios import (
    connecting,
    deduplicating,
    jobs_of,
    kept_as_files,
    logs_job,
    straight,
    take_slots,
)
from simbackup.planning.site import Client, PlannedSite, Target, load_site
from simbackup.planning.stored import StoredCopies
from simbackup.policies.clock import NOON, elapsed, moment
from simbackup.policies.levels import RestorePoint
from simbackup.results.result import Result
from simbackup.run import NeverEndsError, ran
from simbackup.trace.activity import Activity
from simbackup.uncertainty.whole import deviation_at

RESTORE = "restore"
"""The operation of a program that brings data back."""


class RestoreSource(NamedTuple):
    """Where a system is restored from."""

    policy: str
    """Its policy."""
    available: Available
    """The chain that can be restored."""
    copies: tuple[StoredCopies, ...]
    """Where each save set of the chain is."""

    @property
    def chain(self) -> tuple[RestorePoint, ...]:
        """The restore points of the chain, its full backup first."""
        return tuple(link.point for link in self.available.links)

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets from which the chain is read, each once."""
        return tuple({copies.target.name: copies.target for copies in self.copies}.values())

    @property
    def logs(self) -> str:
        """The target that has all logs since, empty if none has."""
        return self.available.logs

    def before(self, i: int) -> tuple[float | None, int]:
        """Seconds from the save set before one of the chain to it, None without one; and how many there are before."""
        point = self.chain[i]
        older = [other.time for other in self.copies[i].series.points.values() if other.time < point.time]
        return (elapsed(max(older), point.time) if older else None), len(older)

    def size(self, site: PlannedSite, client: Client) -> float:
        """Bytes of the data of a system for which the save sets of the chain are as large in all as they were made.

        Data grow between them, and in the scenario of a restore they have one size.
        """
        ages = [elapsed(base.time, point.time) for base, point in pairwise(self.chain)]
        factors = [client.change.factor(site.seconds(point.time)) for point in self.chain]
        shares = [1.0, *map(client.differs, ages, factors[1:])]
        return sum(map(mul, shares, [client.size * factor for factor in factors])) / sum(shares)

    def lost(self, site: PlannedSite, now: datetime) -> float:
        """Seconds of new data that are lost: since the point, or at most between two backups of logs and during one."""
        logs = site.file.spec.policies[self.policy].logs
        return self.available.lost(logs.every.si if logs is not None else 0.0, now)


def restore_scenario(
    site: PlannedSite,
    sources: Mapping[str, RestoreSource],
    clients: Sequence[Client],
    now: datetime,
    how: tuple[bool, int],
) -> dict[str, Any]:
    """The scenario of a restore: the save sets of the chains are written one after the other, and then read back."""
    one_file, at_once = how
    parts = site_parts(site.file, Night(now.date(), (), _factors(site, sources, now)))
    written = [name for source in sources.values() for name in _written(site, source, clients, parts["jobs"])]
    lane: list[str] = []
    for client in clients:
        source = sources[client.policy]
        back: dict[str, Any] = {"restore": f"{client.name}-0", "after": written}
        first, last = source.copies[0].target, len(source.chain) - 1
        restoring = {} if one_file else _by_program(site, client, first.name)
        back |= _ways(site, client, first)
        hosts = (*readers_of(site.file, client.name), *(site.file.spec.hosts_of(t.name)[0] for t in source.targets))
        take_slots(site.file, parts, back, hosts)
        if not any(target.tape for target in source.targets):
            if len(lane) >= at_once:
                back["after"] = lane[-at_once]
            lane.append(restores_of(client.name, last + 1 if restoring else 1)[-1])
        if one_file and (client.by_file or first.tape or (client.mounted and first.on_disk)):
            size = client.size_at(site.seconds(now)) / max(client.files, 1.0)
            back["select"] = {"files": 1, "size": whole_bytes(size), "at": 0.5}
        elif last and not restoring:
            back["replay"] = [f"{client.name}-{j}" for j in range(1, last + 1)]
        each = _one_by_one(client, back, restoring, last + 1) if restoring else {f"back-{client.name}": back}
        parts["jobs"] |= each
        if source.logs and not one_file:
            parts["jobs"] |= _logs(site, source, client, now, parts) | {
                f"logs-{client.name}": {"restore": f"{client.name}-logs", "after": [*each][-1]}
            }
            written.append(f"{client.name}-logs")
    return parts


def _factors(site: PlannedSite, sources: Mapping[str, RestoreSource], now: datetime) -> dict[str, float]:
    """How much larger each system is than at the start, as its chain has it, as far as its datastore has room."""
    found: dict[str, float] = {}
    for client in site.systems:
        source, room = sources.get(client.policy), site.held(client, site.seconds(now))
        found[client.name] = room if source is None else min(source.size(site, client) / client.size, room)
    return found


def _ways(site: PlannedSite, client: Client, target: Target) -> dict[str, Any]:
    """How a restore reaches a target, and its workers."""
    method, workers = site.file.method_of(client.name), site.file.spec.policies[client.policy].workers
    if method in PLAIN:
        return connecting(site.file, target.name, writes=False) | sharing(site.file, client.name)
    return {} if workers is None or target.tape or method not in LOADED else {"workers": workers.si}


def restores_of(system: str, chain: int) -> list[str]:
    """The jobs that bring a system back, one after the other: a program restores each save set of a chain by itself."""
    return [f"back-{system}", *(f"back-{system}-{i}" for i in range(1, chain))]


def _one_by_one(client: Client, back: dict[str, Any], restoring: dict[str, Any], chain: int) -> dict[str, Any]:
    """The jobs in which a program brings back each save set of a chain."""
    shared, jobs = {key: value for key, value in back.items() if key != "restore"}, dict[str, Any]()
    for i, name in enumerate(restores_of(client.name, chain)):
        jobs[name] = shared | restoring | {"save_set": f"{client.name}-{i}"}
        if i:
            jobs[name]["after"] = [*jobs][-2]
    return jobs


def _by_program(site: PlannedSite, client: Client, target: str) -> dict[str, Any]:
    """The job that restores a save set of a system from a target by its program, if that has an operation `restore`."""
    program = site.file.part("policies", client.policy, PROGRAM)
    if program is None or RESTORE not in site.file.operations(client.policy):
        return {}
    job: dict[str, Any] = {
        "method": PROGRAM, PROGRAM: program, "operation": RESTORE, "data": f"{client.name}-data",
    } | kept_as_files(site.file, client.name, target)  # fmt: skip
    compressor = site.file.part("policies", client.policy, COMPRESSOR)
    return job if compressor is None else job | {COMPRESSOR: compressor}


def _logs(
    site: PlannedSite, source: RestoreSource, client: Client, now: datetime, parts: dict[str, Any]
) -> dict[str, Any]:
    """The job that writes the logs of a system since the newest point; adds the data and a device for them."""
    until = source.available.until or now
    size = max(client.log_over(elapsed(source.chain[-1].time, until), site.seconds(until)), 1.0)
    job = logs_job(site.file, client.name, size, parts)
    last = f"{client.name}-{len(source.chain) - 1}"
    return on_devices(site.file.spec, {f"{client.name}-logs": job | {"to": source.logs, "after": last}})


def _written(
    site: PlannedSite, source: RestoreSource, clients: Sequence[Client], jobs: dict[str, Any]
) -> Iterator[str]:
    """Add the jobs that write a chain; the names of the last ones.

    On tape all systems of the policy are written, among whose save sets those that are wanted lie.
    """
    policy, names = source.policy, list[str]()
    for i, (point, copies) in enumerate(zip(source.chain, source.copies, strict=True)):
        target, before = copies.target, names
        among = site.of_policy(policy) if target.tape else clients
        names = [client.name for client in among if client.policy == policy]
        pool = site.file.spec.targets[target.name].pool
        age = elapsed(source.chain[i - 1].time, point.time) if i else 0.0
        for name in names:
            job = straight(jobs_of(site.file, name, LevelRun(policy, point.level, age), f"-{i}")[f"{name}-{i}"])
            job |= {"to": target.name} | connecting(site.file, target.name)
            job |= {"pool": pool} if pool is not None else {}
            job |= deduplicating(site.file, target.name, *source.before(i))
            job |= {"after": f"{name}-{i - 1}"} if name in before else {}
            jobs |= on_devices(site.file.spec, {f"{name}-{i}": job})
    yield from (f"{name}-{len(source.chain) - 1}" for name in names)


WHAT = ("site", "client", "one-file")
AT_ONCE = 4
MOUNTS = frozenset({Activity.MOUNT})
OF_TOOLS = (None, *METHODS_OF["tool"])
"""Methods whose programs are tools."""


def restore(  # noqa: PLR0913
    what: Source | PlannedSite,
    scope: str = "site",
    at: date | datetime | None = None,
    lost: str = "",
    at_once: int = AT_ONCE,
    *,
    point: date | datetime | None = None,
    intervals: str = "none",
    nights: Nights | None = None,
    play: Play | None = None,
    explain: bool = False,
) -> Recovery:
    """The time of a restore at a moment, from the newest save sets that were complete by then, or from older ones.

    Parameters
    ----------
    what
        A site, or the path of its file, YAML text or a mapping.
    scope
        `site`, `client NAME`, or `one-file NAME`; the largest system with files unless one is named. Several names with
        commas come back in their order, and a site by the priorities of its systems. `db*` and `datastore:san` name all
        systems that are called so, or have this value under a key.
    at
        The moment, in the zone of the site, or a day, which means its noon; by default, a year after the start.
    lost
        A target, a place or a datastore that is lost, with the data that are there. Of a site, those systems come back;
        all of them if no data are there.
    at_once
        Number of restores from disk that run at the same time.
    point
        The date of the restore point that is wanted, or of the newest before it; of a moment, also the logs up to it.
        The newest that there is by default.
    intervals
        `none`, `quick` or `thorough`: how thoroughly the ranges of systems and devices are sampled.
    nights
        The nights of a plan that show which save sets were complete; by default, those of the week before are
        simulated.
    play
        A function that simulates them; the simulator by default.
    explain
        Whether to find out why it takes as long as it does, which needs further runs.

    Raises
    ------
    InputError
        Something is wrong with the file, the scope, the point, or the name of what is lost.
    """
    site = what if isinstance(what, PlannedSite) else load_site(what)
    now = moment_of(site, at)
    if nights is None:
        site = settled(site, now.date(), play)
    ledger = Ledger(site)
    days = [*ledger.days(now)]
    arrivals = Arrivals(nights) if nights is not None else Arrivals.before(site, days, play)
    remaining = Remaining(site, arrivals, frozenset(site.lost_with(lost)))
    clients, one_file = scope_of(site, scope)
    if scope == WHAT[0]:
        clients = site.struck_by(lost)
    catalogue = bool(lost) and (lost in site.file.spec.places or lost not in site.datastores)
    after = After(lost, remaining, Declared.of(site, bool(lost), catalogue))
    return restored(ledger, now, (clients, one_file), after, Way(scope, at_once, intervals, point, explain))


class After(NamedTuple):
    """A loss: its name, empty if there was none, what remains after it, and the times that the site declares for it."""

    lost: str
    remaining: Remaining
    declared: Declared


class Way(NamedTuple):
    """How things are restored."""

    what: str = "site"
    """What is restored, in words."""
    at_once: int = AT_ONCE
    """How many restores from disk run at once."""
    intervals: str = "none"
    """How thoroughly ranges are sampled."""
    point: date | datetime | None = None
    """The date of an older restore point, or the moment whose state is wanted."""
    explain: bool = False
    """Whether to find out why it takes as long as it does."""


def restored(ledger: Ledger, now: datetime, scope: tuple[Sequence[Client], bool], after: After, way: Way) -> Recovery:
    """The time of a restore from what is left after a loss.

    Parameters
    ----------
    ledger
        The ledger of the site, whose last day is that of the restore.
    now
        The moment at which the restore begins.
    scope
        The systems that come back, and whether one file of them is wanted.
    after
        The loss.
    way
        How things are restored.
    """
    site, (clients, one_file), (lost, remaining, declared) = ledger.site, scope, after
    there = sources_of(ledger, remaining, clients, now, way.point)
    ordered = [*clients]
    if way.what == WHAT[0]:
        ordered.sort(key=lambda client: (client.priority, client.size_at(site.seconds(now)), client.name))
        ordered = _after_needs(site, ordered)
    group = [client for client in ordered if client.policy in there]
    nothing = f"no copy is left after the loss of '{lost}'" if lost else "nothing has been saved yet"
    nothing = f"no restore point of {way.point} or before is left" if way.point is not None else nothing

    def recovery(result: Result | None, times: Declared) -> Recovery:
        rows = {row.system: row for row in _rows(site, there, group, now, result)} if result is not None else {}
        systems = [
            rows.get(client.name)
            or Restored(client.name, client.priority, "", None, 0, 0.0, 0, 0.0, math.inf, math.inf, nothing)
            for client in ordered
        ]
        read = read_back(site, _read(there, group, systems))
        missing = tuple(_unstated(site, there, lost))
        used = dict.fromkeys(name for one in systems for name in one.targets)
        return Recovery(
            way.what, now, lost, _serving(site, times.timed(systems)), (*_late(site, there), *missing), {}, read,
            times.branches(used), tuple(one.address for one in missing),
        )  # fmt: skip

    if not group:
        return recovery(None, declared)
    parts = restore_scenario(site, there, group, now, (one_file, way.at_once))
    try:
        result = ran(scenario_of(site.file, parts, f"on {now.date()}"))
    except NeverEndsError as error:
        return recovery(error.result, declared)
    found = recovery(result, declared)

    def backs(result: Result, times: Declared) -> dict[str, float]:
        return {name: one.back for name, one in recovery(result, times).returns.items()}

    alone = recovery(result, Declared())
    simulated, jobs = {name: one.back for name, one in alone.returns.items()}, {f"back-{one.name}" for one in group}

    deviation = deviation_of(alone.systems, lambda system: deviation_at(result.scenario, f"jobs.back-{system}.elapsed"))
    leasts = least_until(alone.systems, lambda system: least_of(result, {f"back-{system}"}))
    ends = [(name, backs(result, low), backs(result, high)) for name, low, high in declared.ends(site)]
    samples = sampled(result, lambda each: backs(each, declared), jobs, way.intervals)
    intervals: dict[str, RestoreInterval] = {}
    floors = sorted(leasts.values())  # a share is not back before as many could be
    shares = {f"{share:.0%}": share for share in SHARES}
    for name, one in found.returns.items():
        if one.reason:
            continue
        jobs_of_it = jobs if name == ALL else {f"back-{one.system}"}
        least = leasts[one.system] if name not in shares else floors[min(found.count(shares[name]), len(floors)) - 1]
        intervals[name] = restore_interval(
            one.back, simulated[name], [(each, low[name], high[name]) for each, low, high in ends],
            deviation, samples.get(name), least=least, waits=waits_of(result, jobs_of_it),
        )  # fmt: skip
    for fewer, more in pairwise(name for name in shares if name in intervals):
        intervals[more] = intervals[more].after(intervals[fewer])
    told = restore_reasons(site, result, found.systems) if way.explain and found.complete else None
    return replace(found, between=intervals, reasons=told, sessions=tuple(_sessions(ledger, there, group)))


def _after_needs(site: PlannedSite, clients: Sequence[Client]) -> list[Client]:
    """The same systems, each after those that it needs, and otherwise in their order."""
    named, found = {client.name: client for client in clients}, dict[str, Client]()
    waiting = [client.name for client in reversed(clients)]
    while waiting:
        name = waiting[-1]
        before = [each for each in site.file.spec.systems[name].needs if each in named and each not in found]
        if before:
            waiting += reversed(before)
        else:
            found[name] = named[waiting.pop()]
    return [*found.values()]


def _serving(site: PlannedSite, systems: Sequence[Restored]) -> tuple[Restored, ...]:
    """The systems, each back only when those are that it needs, as far as they are restored, too."""
    needs = {one.system: site.file.spec.systems[one.system].needs for one in systems}
    if not any(needs.values()):
        return tuple(systems)
    found = {one.system: one for one in systems}
    for name in TopologicalSorter(needs).static_order():
        before = [found[each] for each in needs.get(name, ()) if each in found]
        last = max(before, key=lambda one: (bool(one.reason), one.back), default=None)
        if last is not None and name in found and not found[name].reason:
            reason = f"'{last.system}', which it needs, does not come back" if last.reason else ""
            found[name] = found[name]._replace(back=max(found[name].back, last.back), reason=reason)
    return tuple(found[one.system] for one in systems)


def sources_of(
    ledger: Ledger, remaining: Remaining, clients: Iterable[Client], now: datetime, point: date | datetime | None
) -> dict[str, RestoreSource]:
    """From where the systems of each policy come back; of those without a restore point, none."""
    state = None if point is None else state_of(ledger.site, point, now)
    wanted: dict[str, list[str]] = {}
    for client in clients:
        wanted.setdefault(client.policy, []).append(client.name)
    found: dict[str, RestoreSource] = {}
    for policy, names in wanted.items():
        newest = remaining.newest(policy, ledger.stocks[policy].points, names, now, state)
        if newest is not None:
            if point is not None and not isinstance(point, datetime):
                newest = newest._replace(logs="", until=None)  # the backup of a date, and nothing after it
            copies = tuple(ledger.stocks[policy].places[link.copy] for link in newest.links)
            found[policy] = RestoreSource(policy, newest, copies)
    return found


def _sessions(ledger: Ledger, sources: Mapping[str, RestoreSource], clients: Sequence[Client]) -> Iterator[Session]:
    """The cartridges that systems are read from, in their order, by the sessions in which they were written."""
    found: dict[tuple[str, datetime], tuple[set[int], list[str]]] = {}
    for client in clients:
        source = sources[client.policy]
        for copies, point in zip(source.copies, source.chain, strict=True):
            if copies.target.tape:
                key, written = copies.key(client.policy, point.number), ledger.tapes[copies.target.name][0].written
                there, systems = found.setdefault((copies.target.name, point.time), (set[int](), list[str]()))
                there |= {i for i, cartridge in enumerate(written) if key in cartridge.holds}
                systems.append(client.name)
    for (target, begun), (there, systems) in found.items():
        yield Session(target, begun, len(there), tuple(systems))


def _read(
    sources: Mapping[str, RestoreSource], clients: Sequence[Client], systems: Iterable[Restored]
) -> Iterator[tuple[str, float]]:
    """Targets with the bytes that are read there: save sets of systems, and logs."""
    policies = {client.name: client.policy for client in clients}
    for one in systems:
        if one.targets:
            yield from _shared_among(one, sources[policies[one.system]])
            if one.logs:
                yield sources[policies[one.system]].logs, one.logs


def _shared_among(one: Restored, source: RestoreSource) -> Iterator[tuple[str, float]]:
    """The bytes of a restore by target, as save sets of its chain have them."""
    chain = zip(source.copies, source.chain, strict=True)
    sizes = [of_case(copies.together[point.number], 0) for copies, point in chain]
    for copies, size in zip(source.copies, sizes, strict=True):
        yield copies.target.name, one.bytes * size / sum(sizes)


def _late(site: PlannedSite, sources: Mapping[str, RestoreSource]) -> Iterator[Problem]:
    """A warning for each policy with newer save sets that were still being written."""
    for policy, source in sources.items():
        if source.available.late:
            place = site.file.tree.find(("policies", policy))[0].place
            until, to = source.chain[-1].time.date(), source.copies[-1].target.name
            message = f"backups after that of {until} were not yet complete on '{to}', and are left out"
            yield Problem(
                place, f"policies.{policy}", message, "'simbackup plan run' shows how long they take", "warning"
            )


def _unstated(site: PlannedSite, sources: Mapping[str, RestoreSource], lost: str) -> Iterator[Problem]:
    """A warning for each time that the site does not state, and that is left out."""
    spec, tree = site.file.spec, site.file.tree
    if lost and not spec.states("recovery"):
        message = "is missing: the time for decisions and new hosts is left out"
        yield Problem(tree.place, "recovery", message, "write for example 'recovery: 24 h'", "warning")
    if lost and not spec.states("catalogue"):
        message = "is missing: the time to recover the catalogue is left out"
        yield Problem(tree.place, "catalogue", message, "write for example 'catalogue: 2 h'", "warning")
    if not spec.states("operator"):
        message = "is missing: the time of the person who looks up and prepares each system is left out"
        yield Problem(tree.place, "operator", message, "write for example 'operator: 10 min'", "warning")
    for policy, source in sources.items():
        logs, place = spec.policies[policy].logs, tree.find(("policies", policy))[0].place
        if spec.policies[policy].tool is None and spec.policies[policy].method in OF_TOOLS:
            message = "is missing: the times of the backup program are left out"
            yield Problem(place, f"policies.{policy}.tool", message, "name a datasheet backup_tool/...", "warning")
        if source.logs and logs is not None and logs.replay is None:
            message = "is missing: the time in which databases apply their logs is left out"
            yield Problem(place, f"policies.{policy}.logs.replay", message, "write for example '50 MB/s'", "warning")


def moment_of(site: PlannedSite, at: date | datetime | None = None) -> datetime:
    """The moment of a restore in the zone of a site; that of a day is noon. By default, noon a year after the start."""
    at = at or site.start + relativedelta(years=1)
    if isinstance(at, datetime):
        return at if at.tzinfo is not None else moment(at.date(), at.time(), site.zone)
    return moment(at, NOON, site.zone)


def state_of(site: PlannedSite, point: date | datetime, now: datetime) -> datetime:
    """The moment whose state a restore is to bring back; that of a date is its end.

    Raises
    ------
    InputError
        It is after the restore.
    """
    day = isinstance(point, datetime) and moment_of(site, point)
    found = day or moment(point + relativedelta(days=1), time(), site.zone)
    if (day or moment(point, time(), site.zone)) > now:
        remedy = f"name a moment before the restore of {now:%Y-%m-%d %H:%M}, or a later one with --at"
        raise InputError([Problem(Place("--point"), "", f"{point} is after the restore", remedy)])
    return found


def scope_of(site: PlannedSite, scope: str) -> tuple[Sequence[Client], bool]:
    """The systems that come back, and whether one file of them is wanted."""
    word, _, name = scope.partition(" ")
    if word not in WHAT or (word == "site" and name):
        remedy = "write 'site', 'client NAME', or 'one-file NAME'"
        raise InputError([Problem(Place("--what"), "", f"'{scope}' does not say what to restore", remedy)])
    if word == "site":
        return site.systems, False
    if not name and word == "one-file":
        found = max(site.systems, key=lambda client: (client.by_file, client.size))
        return (found,), True
    known = {client.name: client for client in site.systems}
    patterns = [each.strip() for each in name.split(",")] if word == "client" else [name]
    names = [*dict.fromkeys(each for pattern in patterns for each in _called(site, pattern) or [pattern])]
    unknown = [each for each in names if each not in known]
    if unknown:
        raise InputError([
            Problem(Place("--what"), "", f"there is no system '{each}'", choices(each, known)) for each in unknown
        ])  # fmt: skip
    if len({*patterns}) < len(patterns):
        raise InputError([Problem(Place("--what"), "", f"'{name}' names a system twice", "name each once")])
    return tuple(known[each] for each in names), word == "one-file"


def _called(site: PlannedSite, pattern: str) -> list[str]:
    """The systems that a name, or a text with `*` or `:` as in an address, stands for in the file; none of others."""
    file, (key, _, wanted) = site.file, pattern.partition(":")
    if pattern in file.spec.systems:
        return [pattern]
    written = {name for _, name in matching(file.source, ("systems", pattern))}
    return [
        one.name
        for one in site.systems
        if file.written_system(one.name) in written
        or (wanted and fnmatchcase(_by_default(file, key, one.name), wanted))
    ]


def _by_default(file: SiteFile, key: str, system: str) -> str:
    """The machine or datastore of a system, also where it names none; empty if it has none."""
    if key == "machine":
        return machine_of(file, system)
    if key == "datastore" and file.spec.systems[system].host is not None:
        return datastore_of(file.spec, system)
    return ""


def _rows(
    site: PlannedSite, sources: Mapping[str, RestoreSource], clients: Sequence[Client], now: datetime, result: Result
) -> Iterator[Restored]:
    """The restores of a simulation, which wrote the chains before, in seconds from the first of them."""
    rows, origins = {str(row["job"]): row for row in result.job_rows}, Origins(site.file, {})
    jobs = {
        client.name: (*restores_of(client.name, len(sources[client.policy].chain)), f"logs-{client.name}")
        for client in clients
    }
    since = min((float(rows[back]["start"]) for back, *_ in jobs.values() if back in rows), default=0.0)
    for client in clients:
        source = sources[client.policy]
        names, point = tuple(target.name for target in source.targets), source.chain[-1]
        needs = next((result.unfinished[job] for job in jobs[client.name] if job in result.unfinished), None)
        if needs is not None:
            yield Restored(
                client.name, client.priority, " and ".join(names), point.time, len(source.chain), 0.0, 0, math.inf,
                math.inf, source.lost(site, now), f"{NEVER}: {origins.worded(needs)}", 0.0, names,
            )  # fmt: skip
            continue
        *backs, logs = (rows.get(job) for job in jobs[client.name])
        each = [one for one in backs if one is not None]
        if not each:
            continue
        row, ended = each[0], [*each, *([logs] if logs is not None else [])]
        bad = next((str(one["reason"]) for one in ended if one["status"] not in GOOD), "")
        size = float(logs["bytes"]) if logs is not None else 0.0
        yield Restored(
            client.name, client.priority, " and ".join(names), point.time, len(source.chain),
            sum(float(one["bytes"]) for one in each),
            _mounts(result, f"back-{client.name}"), float(row["start"]) + float(row["waits"]) - since,
            _back(ended[-1]) - since + _applied(site, client, size, logs), source.lost(site, now), bad, size, names,
            max(float(one["end"]) for one in ended) - since,
            _applied(site, client, size, logs),
        )  # fmt: skip


def _back(row: Mapping[str, Any]) -> float:
    """When the data of a restore are back, in seconds of the simulation: its cartridges are put away after that."""
    return float(row["start"]) + float(row["back"] if "back" in row else row["elapsed"])


def _applied(site: PlannedSite, client: Client, size: float, logs: Mapping[str, Any] | None) -> float:
    """Seconds for which a database still applies its logs when they have been read."""
    how = site.file.spec.policies[client.policy].logs
    if logs is None or how is None or how.replay is None:
        return 0.0
    return max(size / how.replay.si - float(logs["elapsed"]), 0.0)


def _mounts(result: Result, job: str) -> int:
    return sum(span.activity in MOUNTS for span in result.spans.get(f"jobs.{job}", ()))
