"""Maps mistakes in a generated scenario back to lines of the site file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simbackup.errors import InputError, Place, Problem
from simbackup.planning.hardware import datastore_of, machine_of
from simbackup.planning.loading import SiteFile
from simbackup.planning.night import LOGS
from simbackup.planning.policy import PROGRAM
from simbackup.planning.spec import SiteSpec
from simbackup.results.causes import spent
from simbackup.scenario import Scenario, load

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons

Path = tuple[str, ...]
SECTIONS = ("hosts", "devices", "links", "data", "jobs")
OF_DATA = frozenset({"size", "files", "filesystem", "change", "compression", "database"})
"""Keys of data that systems state."""
OF_POLICY: Mapping[str, Path] = {
    "to": ("to",), "begin": ("at",), "window": ("window",), "level": ("schedule",), "since": ("schedule",),
    "compressor": ("compressor",), "engine": ("engine",), "program": ("program",), "operation": ("operation",),
    "compress": ("compress",), "target": ("to",),
    "tool": ("tool",), "workers": ("workers",), "retries": ("retries",), "retry_after": ("retry_after",),
    "spool": ("staging",),
}  # fmt: skip
"""What a policy says of a key of a backup."""
OF_LOGS: Mapping[str, Path] = {
    "to": ("logs", "to"), "begin": ("at",), "every": ("logs", "every"), "until": ("window",),
}  # fmt: skip
"""What a policy says of a key of the backups of a log."""
OF_COPY: Mapping[str, Path] = {"to": ("to",), "save_set": (), "begin": ("at",), "deadline": ("by",)}
"""What a copy says of a key of the job that makes it."""
CHOOSE, NO_OTHER = "choose from: ", "the site has no other that could be"
_ADDRESS = re.compile(rf"\b(?:{'|'.join(SECTIONS)})(?:\.[\w-]+)+")
_LATER_NIGHT = re.compile(r"-night\d+(?=-(?:disk|data|log|log-data)\Z)")
_NAME = re.compile(r"(?:\bthe (?:host|link|device) )?'([\w-]+)'")
_VARYING = re.compile(r"'[^']*'|[\d.,]+(?: [kMGTP]?i?\w+)?")


@dataclass(frozen=True, slots=True)
class PartOrigin:
    """What a part of a scenario was made of: an address in the site file, those of some keys, and for which system.

    `words` are what it is called.
    """

    path: Path
    keys: Mapping[str, Path]
    words: str = ""
    system: str = ""


def scenario_of(file: SiteFile, parts: Mapping[str, Any], when: str = "", *, like: Scenario | None = None) -> Scenario:
    """The scenario of parts that a plan has made of a site file, `when` is put before what is wrong.

    `like` is another scenario of the site: what is the same in both is not read and checked again.

    Raises
    ------
    InputError
        Everything that is wrong with it, at the places and the addresses of the site file, and each only once.
    """
    try:
        return load(parts, like=like)
    except InputError as error:
        origins = Origins(file, parts)
        raise InputError(origins.once([*error.problems, *error.notes], when)) from None


class Origins:
    """What the parts of a scenario were made of."""

    def __init__(self, file: SiteFile, parts: Mapping[str, Any]) -> None:
        self.file, self.parts = file, parts
        self.known = dict(_origins(file))

    def origin(self, section: str, name: str) -> PartOrigin:
        """What a part was made of; of one that is not known the whole site."""
        found = self.known.get((section, name)) or self.known.get((section, _plain(name)))
        return found or (self._job(name) if section == "jobs" else PartOrigin((), {}))

    def called(self, address: str) -> str:
        """An address in the scenario as the site file has it; one of a part that is not in there as it is."""
        section, name, *_ = (*address.split("."), "")
        return ".".join(self.path(address)) if self.origin(section, name).path else address

    def explained(self, one: Reasons) -> Reasons:
        """An explanation with the addresses of the site file."""
        causes = spent((cause._replace(address=self.called(cause.address)), each) for cause, each in one.causes.items())
        wait = one.wait and one.wait._replace(address=self.called(one.wait.address))
        bottleneck, later = (part and self.called(part) for part in (one.bottleneck, one.next_bottleneck))
        return replace(one, causes=causes, bottleneck=bottleneck, next_bottleneck=later, wait=wait)

    def written(self, path: Path) -> Path:
        """A path as its user wrote it: of a policy that is divided, and of an entry that stands for several systems."""
        names = {"policies": self.file.written, "systems": self.file.written_system}
        return (path[0], names[path[0]](path[1]), *path[2:]) if path[0:1] and path[0] in names and path[1:] else path

    def path(self, address: str) -> Path:
        """The path in the site file of an address in the scenario, were it written there."""
        section, name, *rest = (*address.split("."), "")
        origin = self.origin(section, name)
        steps = [step for step in rest if step]
        path = origin.path
        if steps:
            path = (*origin.keys[steps[0]], *steps[1:]) if steps[0] in origin.keys else (*origin.path, *steps)
        return self.written(path)

    def known_path(self, address: str) -> Path:
        """The path in the site file of an address in the scenario, as far as its user wrote it."""
        path = self.path(address)
        found, seen = self.file.source.find(path)
        return path if len(seen) == len(path) or isinstance(found.value, dict) else path[: len(seen)]

    def problem(self, one: Problem) -> Problem:
        """A problem of the scenario as one of the site file."""
        if one.address.partition(".")[0] not in SECTIONS:
            return one
        told = self.path if one.message == "is missing" else self.known_path
        listed, _, more = one.address.partition(" and ")
        paths = dict.fromkeys(".".join(told(address)) for address in listed.split(", "))
        path = told(listed.partition(", ")[0])
        node, seen = self.file.source.find(path)
        written = Place("") if not one.place.line else one.place
        own = node.key if one.message == "is not known here" and len(seen) == len(path) else node.place
        return replace(
            one, place=written if written.file else own, address=", ".join(paths) + (" and more" if more else ""),
            message=self.worded(one.message), remedy=self.offered(self.worded(one.remedy, written=False)),
        )  # fmt: skip

    def offered(self, remedy: str) -> str:
        """A remedy that names only such choices as stand in the site file."""
        opening, _, names = remedy.partition(CHOOSE)
        left = [name for name in names.split(", ") if name not in self.words]
        return remedy if opening or not names else f"{CHOOSE}{', '.join(left)}" if left else NO_OTHER

    def worded(self, text: str, *, written: bool = True) -> str:
        """A message in which parts that the plan has made are called what they are; addresses as far as written."""
        path = self.known_path if written else self.path
        text = _ADDRESS.sub(lambda found: ".".join(path(found.group())), text)
        words = self.words
        return _NAME.sub(lambda found: words.get(found[1]) or words.get(_plain(found[1])) or found.group(), text)

    @property
    def words(self) -> dict[str, str]:
        """What parts are called, by their names."""
        return {name: origin.words for (_, name), origin in self.known.items() if origin.words}

    def once(self, problems: list[Problem], when: str) -> list[Problem]:
        """The problems in the words of the site; of those that are alike the first, with the number of the others."""
        alike: dict[tuple[Place, str, str], dict[str, Problem]] = {}
        for one in problems:
            shown = self.problem(one)
            shown = replace(shown, message=f"{when}: {shown.message}") if when and not one.closing else shown
            key = shown.place, shown.address, _VARYING.sub("", shown.message)
            section, _, name = one.address.partition(".")
            alike.setdefault(key, {}).setdefault(self.origin(section, name.partition(".")[0]).system, shown)
        return [self._first(each) for each in alike.values()]

    def _first(self, alike: Mapping[str, Problem]) -> Problem:
        """The first of problems that are alike; where they are not those of all systems, with its own."""
        (system, first), *others = alike.items()
        everywhere = len({one.message for one in alike.values()}) == 1 and self._sharing(first.address) <= alike.keys()
        if not system or everywhere or first.closing or first.address.startswith(f"systems.{system}"):
            return first
        more = f", and {len(others)} more like it" if others else ""
        return replace(first, message=f"{first.message} ('{system}'{more})")

    def _sharing(self, address: str) -> set[str]:
        """The systems that have what is at an address, such as those of a policy."""
        section, _, rest = address.partition(".")
        name, systems = rest.partition(".")[0], self.file.spec.systems
        if section == "machines":
            return {system for system in systems if machine_of(self.file, system) == name}
        if section == "datastores":
            return {
                system for system in systems if systems[system].host and datastore_of(self.file.spec, system) == name
            }
        every = {system: self.written(("policies", spec.policy))[1] for system, spec in systems.items()}
        return {system for system, policy in every.items() if section != "policies" or policy == name}

    def _job(self, name: str) -> PartOrigin:
        """What a job was made of: the policy of its system, or a copy."""
        spec = self.file.spec
        plain = name if name.partition("-")[0] in spec.systems else re.sub(r"\A(back|logs)-", "", name)
        system, steps = plain, list[str]()
        while system not in spec.systems and "-" in system:
            system, _, last = system.rpartition("-")
            steps.insert(0, last)
        if system not in spec.systems:
            return PartOrigin((), {})
        policy = spec.systems[system].policy
        above, ending = ("policies", policy), "-".join(steps)
        for copy, part in spec.policies[policy].copies.items():
            if f"-{ending}-".find(f"-{copy}-") >= 0:
                here = (*above, "copies", copy)
                keys = {key: (*here, *path) for key, path in OF_COPY.items()}
                at = ("targets", part.to)
                keys |= {
                    "pool": (*at, "pool"),
                    "new_chunks": (*at, "deduplication"),
                    "new_since": (*at, "deduplication"),
                }
                return PartOrigin(here, keys, "", system)
        logs = steps[-1:] == [LOGS] and spec.policies[policy].logs is not None
        keys = {key: (*above, *path) for key, path in (OF_LOGS if logs else OF_POLICY).items()}
        above_method = above if spec.policies[policy].method is not None else ("systems", system)
        own = {"method": (*above_method, "method"), "priority": ("systems", system, "priority")}
        at = ("targets", spec.policies[policy].target)
        keys = {**keys, **own, "pool": (*at, "pool"), "deduplication": (*at, "deduplication")}
        if self.file.method_of(system) == PROGRAM:
            keys |= {key: (*at, key) for key in ("filesystem", "share")}
        return PartOrigin(("systems", system), keys, "", system)


def _plain(name: str) -> str:
    """The name of a part of a system as that of the first night has it.

    >>> _plain("sql-night3-log-data"), _plain("sql-disk")
    ('sql-log-data', 'sql-disk')
    """
    return _LATER_NIGHT.sub("", name)


def _shared(spec: SiteSpec) -> Iterator[tuple[tuple[str, str], PartOrigin]]:
    """The hosts, datastores and uplinks that systems share."""
    for name in spec.hosts:
        here = ("hosts", name)
        yield ("hosts", name), PartOrigin((*here, "host"), {"within": (*here, "within")})
        yield ("devices", f"{name}-queue"), PartOrigin((*here, "slots"), {"at_once": (*here, "slots")})
        yield ("links", f"{name}-network"), PartOrigin((*here, "network"), {}, f"the network of '{name}'")
    for name in spec.datastores:
        here = ("datastores", name)
        yield ("devices", name), PartOrigin((*here, "device"), {})
        yield ("links", f"{name}-link"), PartOrigin((*here, "link"), {}, f"the link to '{name}'")
    for name in spec.uplinks:
        yield ("links", name), PartOrigin(("uplinks", name), {})
        yield ("links", f"{name}-switch"), PartOrigin(("network",), {}, f"the switch of '{name}'")


def _origins(file: SiteFile) -> Iterator[tuple[tuple[str, str], PartOrigin]]:
    """The parts of the scenarios of a site, but for jobs, and what each was made of."""
    spec = file.spec
    yield ("links", "network"), PartOrigin(("network",), {}, "the network")
    yield ("devices", "server-queue"), PartOrigin(("limit",), {})
    for name, target in spec.targets.items():
        here = ("targets", name)
        yield ("devices", name), PartOrigin((*here, "device"), {})
        yield ("devices", f"{name}-queue"), PartOrigin((*here, "limit"), {})
        if not target.beside and spec.hosts_of(name) == (f"{name}-host",):
            yield ("hosts", f"{name}-host"), PartOrigin((*here, "host"), {}, f"the host of '{name}'")
        yield ("links", f"{name}-link"), PartOrigin((*here, "link"), {}, f"the link to '{name}'")
        yield ("links", f"{name}-network"), PartOrigin((*here, "network"), {}, f"the network of '{name}'")
        yield ("data", f"{name}-older"), PartOrigin(here, {}, f"what '{name}' holds")
    for name in spec.machines:
        yield ("devices", f"{name}-queue"), PartOrigin(("machines", name, "limit"), {})
    yield from _shared(spec)
    for name, system in spec.systems.items():
        here = ("systems", name)
        if system.host is None:
            machine = ("machines", system.machine or next(iter(spec.machines)))
            yield ("hosts", name), PartOrigin((*machine, "host"), {}, f"the host of '{name}'", name)
            storage, sized = (*machine, "storage"), {"capacity": (*here, "size")}
        else:
            storage, sized = ("datastores", datastore_of(spec, name)), {"size": (*here, "size")}
        yield ("devices", f"{name}-disk"), PartOrigin(storage, sized, f"the storage of '{name}'", name)
        yield ("devices", f"{name}-log"), PartOrigin(storage, sized, f"the storage of '{name}'", name)
        yield ("devices", f"{name}-turn"), PartOrigin(here, {"at_once": here}, "", name)
        keys = {key: (*here, key) for key in OF_DATA} | {"on": storage}
        yield ("data", f"{name}-data"), PartOrigin(here, keys, f"the data of '{name}'", name)
        logs = {"size": (*here, "log"), "on": storage}
        yield ("data", f"{name}-log-data"), PartOrigin(here, logs, f"the logs of '{name}'", name)
