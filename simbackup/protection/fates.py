"""Where each copy of a system's data lies and how it can be reached, and so which losses it survives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, Self

from simbackup.planning.hardware import datastore_of, machine_of
from simbackup.planning.loading import image_kind
from simbackup.planning.site import Client, PlannedSite
from simbackup.protection.losses import Loss, Thing
from simbackup.schema.capability import SplitMirror
from simbackup.schema.quantity import si_or
from simbackup.units import show_short

DATA, SNAPSHOTS, BACKUPS = "data", "snapshots", ""
"""The data themselves, and copies that are not second copies; these have the names that the policy gives them."""
WORDS = {
    "data": "it is a part of the data", "disks": "it needs the same disks", "array": "it is in the same array",
    "target": "it is on '{}'", "place": "it is in '{}'", "account": "it belongs to the account '{}'",
    "key": "it cannot be read without the key '{}'", "network": "it can be changed over the network",
}  # fmt: skip
"""Why a copy is lost with each thing that a loss strikes."""
SHARED = {
    "disks": "need the same disks", "array": "are in one array", "place": "are in one place, '{}'",
    "account": "belong to one account, '{}'", "key": "need one key, '{}'", "network": "can be changed over the network",
    "target": "are on one target, '{}'",
}  # fmt: skip
"""What copies have in common that lie or can be reached alike."""
STORAGE = frozenset({"disks", "array"})
"""What systems have in common that lie on one datastore."""


class Copy(NamedTuple):
    """A copy of the data of some systems, or the data themselves.

    `needs` is all without which nothing of it is left. What is `immutable` for so many seconds is not changed over the
    network meanwhile.
    """

    name: str
    target: str
    needs: frozenset[Thing]
    immutable: float = 0.0

    @property
    def called(self) -> str:
        """What it is called in tables."""
        return self.name if self.name in {DATA, SNAPSHOTS} else self.target

    def lost_with(self, loss: Loss) -> Thing | None:
        """What it needs that a loss strikes; None if it survives, or as far as it is locked."""
        struck = loss.hits(self.needs)
        return None if struck is None or (struck[0] == "network" and self.locked(loss)) else struck

    def locked(self, loss: Loss) -> bool:
        """Whether it survives a loss only as long as it is locked."""
        others = self.needs - {("network", "")}
        return self.immutable > 0.0 and loss.hits(self.needs) == ("network", "") and loss.hits(others) is None

    def why(self, loss: Loss, noticed: float | None = None) -> str:
        """Why it does not help after a loss, noticed so many seconds later if given, in words; empty if it may."""
        struck = self.lost_with(loss)
        if struck is not None:
            return WORDS[struck[0]].format(struck[1])
        if self.locked(loss) and self.immutable <= (loss.noticed if noticed is None else noticed):
            return f"it is locked for {show_short(self.immutable, 's', 3)} only"
        return ""


@dataclass(frozen=True, slots=True)
class Group:
    """Systems of one policy on one kind of machine, or on one datastore: the data and copies of all of them fare alike.

    `machine` is what tables call that kind of machine or datastore. `service` is what it needs to be in service besides
    its data.
    """

    policy: str
    machine: str
    systems: tuple[Client, ...]
    data: Copy
    copies: tuple[Copy, ...]
    service: frozenset[Thing]
    shares: bool = False
    """Whether its systems share the disks on which they lie."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its systems."""
        return tuple(system.name for system in self.systems)

    def coming_back(self, groups: Iterable[Group], loss: Loss) -> tuple[list[Group], bool]:
        """The groups that come back together after a loss that strikes this one; whether all of their systems do.

        The loss of a shared device strikes all systems on it, and none on other devices. The disks of machines that
        share nothing are lost one by one, unless the loss is one of the whole site.
        """
        struck = {thing for thing in self.data.needs if loss.hits(frozenset({thing}))}
        whole = loss.spec.what == "site"
        if self.shares and all(word in STORAGE for word, _ in struck):
            return [one for one in groups if struck & one.data.needs], True
        return ([one for one in groups if one.data.lost_with(loss) is not None] if whole else [self]), whole

    def weakest(self, losses: Iterable[Loss]) -> str:
        """In one sentence, what all copies have in common, or else the loss that leaves fewest of them."""
        if not self.copies:
            return "there is no copy"
        common = frozenset[Thing].intersection(*(_bare(copy) for copy in self.copies))
        if common:
            thing, number = min(common, key=lambda each: list(SHARED).index(each[0])), len(self.copies)
            words = SHARED[thing[0]].format(thing[1])
            like = ", like the data" if thing in self.data.needs else ""
            every = "both" if number == 2 else f"all {number}"  # noqa: PLR2004
            return f"{every} copies {words}{like}" if number > 1 else f"the only copy {_singular(words)}{like}"
        striking = [loss for loss in losses if self.data.lost_with(loss) is not None]
        worst = min(striking, key=lambda loss: (len(self.left(loss)), -si_or(loss.spec.yearly, 0.0)), default=None)
        if worst is None:
            return "none of these losses strikes the data"
        names = self.left(worst)
        if len(names) > 1:
            return f"at least {len(names)} copies survive each loss"
        return f"{f'only {names[0]!r}' if names else 'nothing'} survives the loss '{worst.title}'"

    def left(self, loss: Loss) -> list[str]:
        """The copies that may help after a loss."""
        return [copy.called for copy in self.copies if not copy.why(loss)]


def _bare(copy: Copy) -> frozenset[Thing]:
    """What a copy needs, of which a lock takes away that networks reach it."""
    return copy.needs - {("network", "")} if copy.immutable else copy.needs


def _singular(words: str) -> str:
    """What several copies do, of one."""
    verb, _, rest = words.partition(" ")
    return f"{ {'need': 'needs', 'are': 'is', 'belong': 'belongs', 'can': 'can'}[verb] } {rest}"


def groups_of(site: PlannedSite, last: date) -> list[Group]:
    """The systems of a site in groups that fare alike until a day, in the order of the file."""
    alike: dict[tuple[str, Home], list[Client]] = {}
    for client in site.systems:
        alike.setdefault((client.policy, Home.of(site, client.name)), []).append(client)
    several = {home.storage for _, home in alike if len({one.host for _, one in alike if one.like(home)}) > 1}
    return [
        Group(
            policy, f"{home.storage} from {home.host}" if home.storage in several else home.storage, tuple(clients),
            home.data(), tuple(_copies(site, policy, home, last)), home.service(), home.shared,
        )
        for (policy, home), clients in alike.items()
    ]  # fmt: skip


class Home(NamedTuple):
    """Where systems are: their kind of machine or their datastore, with its place, and the place of their hosts."""

    storage: str
    place: str
    host: str
    shared: bool

    @classmethod
    def of(cls, site: PlannedSite, system: str) -> Self:
        """That of a system."""
        spec, machine = site.file.spec, machine_of(site.file, system)
        host = spec.systems[system].host
        if machine or host is None:
            place = spec.machines[machine].place
            return cls(machine, place, place, shared=False)
        storage = datastore_of(spec, system)
        return cls(storage, spec.place_of(storage), spec.place_of(host), shared=True)

    def like(self, other: Home) -> bool:
        """Whether others lie on the same storage."""
        return (self.storage, self.shared) == (other.storage, other.shared)

    def data(self) -> Copy:
        """The data of systems there."""
        on = {(word, self.storage) for word in STORAGE}
        return Copy(DATA, DATA, frozenset({("data", ""), ("network", ""), ("place", self.place), *on}))

    def service(self) -> frozenset[Thing]:
        """What systems there need to be in service, besides their data."""
        return frozenset({("host", self.storage), ("place", self.host)})


def _copies(site: PlannedSite, policy: str, home: Home, last: date) -> list[Copy]:
    """Snapshots of the data, the backups, and the second copies, if any are made until a day."""
    given, found = site.file.spec.policies[policy], list[Copy]()
    if given.snapshots is not None:
        kind = image_kind(given.snapshots)
        needs = home.data().needs - {("data", "")}
        apart = kind is not None and issubclass(kind.spec, SplitMirror)
        needs -= {("disks", home.storage)} if apart else frozenset[Thing]()
        found.append(Copy(SNAPSHOTS, SNAPSHOTS, needs, given.snapshots.immutable.si))
    if next(site.calendar(policy).runs(site.start, last, site.zone), None) is None:
        return found
    found += [_stored(site, copy, site.target_of(policy, copy)) for copy in (BACKUPS, *given.copies)]
    return found


def _stored(site: PlannedSite, name: str, to: str) -> Copy:
    """What a policy keeps on a target: cartridges that are taken away need neither the library nor a network."""
    spec, target = site.file.spec.targets[to], site.targets[to]
    away = target.tape and target.offsite
    needs: set[Thing] = {("place", target.place)}
    needs |= set() if away else {("target", to), ("network", "")}
    needs |= {(word, named) for word, named in (("account", spec.account), ("key", spec.key)) if named is not None}
    return Copy(name, to, frozenset(needs), spec.immutable.si)
