"""Restores of a site on a date: from which copies, in which order, how long, and what is lost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from simbackup.engine.activity import Activity
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.ledger import Ledger, StoredCopies
from simbackup.planning.loading import Source
from simbackup.planning.night import LevelRun, Night
from simbackup.planning.playing import GOOD
from simbackup.planning.scenarios import jobs_of, site_parts, straight
from simbackup.planning.site import Client, PlannedSite, load_site
from simbackup.policies.clock import elapsed, moment
from simbackup.policies.levels import RestorePoint
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import load

WHAT = ("site", "client", "one-file")
SHARES = (0.5, 0.9, 1.0)
"""Shares of the systems for which the time until they are back is reported."""
AT_ONCE = 4
MOUNTS = frozenset({Activity.MOUNT})
NOON = time(12)


class Restored(NamedTuple):
    """A system that comes back: from where, how many save sets, cartridges mounted; seconds from the loss; data lost.

    A reason says why one does not.
    """

    system: str
    priority: float
    source: str
    point: datetime | None
    chain: int
    bytes: float
    mounts: int
    starts: float
    back: float
    lost: float
    reason: str = ""


@dataclass(frozen=True)
class Recovery:
    """What a restore takes: each system in the order of the list, in seconds from the loss."""

    what: str
    at: date
    lost: str
    systems: tuple[Restored, ...]

    @property
    def complete(self) -> bool:
        """Whether every system comes back."""
        return not any(system.reason for system in self.systems)

    def until(self, share: float) -> float:
        """Seconds from the loss until a share of the systems is back; without end if one of them never is."""
        backs = sorted(math.inf if system.reason else system.back for system in self.systems)
        return backs[max(math.ceil(share * len(backs)), 1) - 1]

    @property
    def data_lost(self) -> float:
        """Seconds between the oldest restore point that is used and the loss."""
        return max((system.lost for system in self.systems), default=0.0)

    def as_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "what": self.what, "at": self.at, "after_loss_of": self.lost, "complete": self.complete,
            "data_lost": self.data_lost, "back": {f"{share:.0%}": self.until(share) for share in SHARES},
            "systems": [{**system._asdict(), "point": system.point and str(system.point)} for system in self.systems],
        }  # fmt: skip


class RestoreSource(NamedTuple):
    """Where a system comes back from: the save sets of its policy on a target, and the chain of the newest point."""

    copies: StoredCopies
    chain: tuple[RestorePoint, ...]


def restore(
    what: Source | PlannedSite, scope: str = "site", at: date | None = None, lost: str = "", at_once: int = AT_ONCE
) -> Recovery:
    """What a restore takes at noon of a day.

    Parameters
    ----------
    what
        A site, or the path of its file, YAML text or a mapping.
    scope
        `site`, `client NAME`, or `one-file NAME`; the largest system with files unless one is named.
    at
        The day; a year after the start unless given.
    lost
        A target or a place whose copies are lost.
    at_once
        Restores from disk that run at the same time.

    Raises
    ------
    InputError
        Something is wrong with the file, the scope, or the name of what is lost.
    """
    site = what if isinstance(what, PlannedSite) else load_site(what)
    day = at or site.start + relativedelta(years=1)
    clients, one_file = _scope(site, scope)
    ledger = Ledger(site)
    for _ in ledger.days(max(day - timedelta(days=1), site.start)):
        pass
    gone = _lost(site, lost)
    now = moment(day, NOON, site.zone)
    sources = {policy: _source(ledger, policy, gone) for policy in dict.fromkeys(client.policy for client in clients)}
    ordered = sorted(clients, key=lambda client: (client.priority, client.size_at(site.seconds(now)), client.name))
    begin = site.file.spec.recovery.si if site.file.spec.recovery is not None and lost else 0.0
    rows: dict[str, Restored] = {}
    there = {policy: source for policy, source in sources.items() if source is not None}
    group = [client for client in ordered if client.policy in there]
    if group:
        rows = {row.system: row for row in _simulated(site, there, group, (now, begin, one_file, at_once))}
    nothing = f"no copy is left after the loss of '{lost}'" if lost else "nothing has been saved yet"
    systems = [
        rows.get(client.name)
        or Restored(client.name, client.priority, "", None, 0, 0.0, 0, 0.0, math.inf, math.inf, nothing)
        for client in ordered
    ]
    return Recovery(scope, day, lost, tuple(systems))


def _scope(site: PlannedSite, scope: str) -> tuple[Sequence[Client], bool]:
    """The systems that come back, and whether one file of them is wanted."""
    word, _, name = scope.partition(" ")
    if word not in WHAT or (word == "site" and name):
        remedy = "write 'site', 'client NAME', or 'one-file NAME'"
        raise InputError([Problem(Place("--what"), "", f"'{scope}' says not what is restored", remedy)])
    if word == "site":
        return site.systems, False
    if not name and word == "one-file":
        found = max(site.systems, key=lambda client: (client.by_file, client.size))
        return (found,), True
    known = {client.name: client for client in site.systems}
    if name not in known:
        raise InputError([Problem(Place("--what"), "", f"there is no system '{name}'", choices(name, known))])
    return (known[name],), word == "one-file"


def _lost(site: PlannedSite, lost: str) -> set[str]:
    """The targets that are lost with a target, its host, or a place."""
    gone = {name for name, target in site.targets.items() if lost and lost in {name, f"{name}-host", target.place}}
    if lost and not gone:
        legal = {*site.targets, *(target.place for target in site.targets.values())}
        message = f"there is no target and no place '{lost}'"
        raise InputError([Problem(Place("--after-loss-of"), "", message, choices(lost, legal))])
    return gone


def _source(ledger: Ledger, policy: str, gone: set[str]) -> RestoreSource | None:
    """The newest point of a policy that a place that is left holds with its chain; of equal ones, that on disk."""
    found: list[tuple[int, bool, RestoreSource]] = []
    for (name, _), copies in ledger.places.items():
        if name != policy or copies.target.name in gone:
            continue
        for number in sorted(copies.series.kept, reverse=True):
            try:
                chain = tuple(copies.series.chain(number))
            except KeyError:  # its base lies elsewhere
                continue
            found.append((number, not copies.target.tape, RestoreSource(copies, chain)))
            break
    return max(found, key=lambda each: each[:2], default=(0, False, None))[2]


def _simulated(
    site: PlannedSite,
    sources: Mapping[str, RestoreSource],
    clients: Sequence[Client],
    when: tuple[datetime, float, bool, int],
) -> Iterator[Restored]:
    """The restores by the simulator, which writes the chains before."""
    now, begin, one_file, at_once = when
    result = simulate(load(restore_scenario(site, sources, clients, now, (one_file, at_once))))
    rows = {str(row["job"]): row for row in result.job_rows}
    since = min(float(rows[f"back-{client.name}"]["start"]) for client in clients)
    for client in clients:
        row, source = rows[f"back-{client.name}"], sources[client.policy]
        target, point = source.copies.target, source.chain[-1]
        ready = begin + target.fetch - since
        yield Restored(
            client.name, client.priority, target.name, point.time, len(source.chain), float(row["bytes"]),
            _mounts(result, f"back-{client.name}"), ready + float(row["start"]) + float(row["waits"]),
            ready + float(row["end"]),
            elapsed(point.time, now), "" if row["status"] in GOOD else str(row["reason"]),
        )  # fmt: skip


def _mounts(result: Result, job: str) -> int:
    return sum(span.job == f"jobs.{job}" and span.activity in MOUNTS for span in result.trace.spans)


def restore_scenario(
    site: PlannedSite,
    sources: Mapping[str, RestoreSource],
    clients: Sequence[Client],
    now: datetime,
    how: tuple[bool, int],
) -> dict[str, Any]:
    """The scenario of a restore: the save sets of the chains are written one after the other, and then read back."""
    one_file, at_once = how
    factors = {client.name: client.size_at(site.seconds(now)) / client.size for client in site.systems}
    parts = site_parts(site.file, Night(now.date(), (), factors))
    written = [name for source in sources.values() for name in _written(site, source, clients, parts["jobs"])]
    lane: list[str] = []
    for client in clients:
        source = sources[client.policy]
        back: dict[str, Any] = {"restore": f"{client.name}-0", "after": written}
        tape, last = source.copies.target.tape, len(source.chain) - 1
        if not tape:
            if len(lane) >= at_once:
                back["after"] = lane[-at_once]
            lane.append(f"back-{client.name}")
        if one_file and (client.by_file or tape):
            size = client.size_at(site.seconds(now)) / max(client.files, 1.0)
            back["select"] = {"files": 1, "size": f"{size:.0f} B", "at": 0.5}
        elif last:
            back["replay"] = [f"{client.name}-{j}" for j in range(1, last + 1)]
        parts["jobs"][f"back-{client.name}"] = back
    return parts


def _written(
    site: PlannedSite, source: RestoreSource, clients: Sequence[Client], jobs: dict[str, Any]
) -> Iterator[str]:
    """Add the jobs that write a chain; the names of the last ones.

    On tape all systems of the policy are written, among whose save sets those that are wanted lie.
    """
    target, policy = source.copies.target, source.copies.policy
    pool = site.file.spec.targets[target.name].pool
    names = [client.name for client in (site.of_policy(policy) if target.tape else clients) if client.policy == policy]
    for i, point in enumerate(source.chain):
        age = elapsed(source.chain[i - 1].time, point.time) if i else 0.0
        for name in names:
            job = straight(jobs_of(site.file, name, LevelRun(policy, point.level, age), f"-{i}")[f"{name}-{i}"])
            job |= {"to": target.name} | ({"pool": pool} if pool is not None else {})
            jobs[f"{name}-{i}"] = job | ({"after": f"{name}-{i - 1}"} if i else {})
    yield from (f"{name}-{len(source.chain) - 1}" for name in names)
