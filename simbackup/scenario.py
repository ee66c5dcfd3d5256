"""A scenario: read, laid over what it extends, overridden, completed from datasheets, checked, and frozen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from simbackup import datasheets
from simbackup.datasheets import Datasheet, is_file, is_folder
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.fleets import Fleets, lay_out, told_once
from simbackup.inheritance import NESTED, extended, override, references
from simbackup.schema import tree as trees
from simbackup.schema.checks import check
from simbackup.schema.kinds import DEVICES
from simbackup.schema.quantity import Given
from simbackup.schema.scenario import Spec, read_spec
from simbackup.schema.tree import Node

KINDS = {
    "hosts": ("host",), "devices": tuple(DEVICES), "links": ("network",), "data": ("population",),
    "workloads": ("workload",), "jobs": (),
}  # fmt: skip
"""Kinds of datasheets that the parts of a section may name."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number that a result rests on."""

    address: str
    given: Given
    place: Place


@dataclass(frozen=True, slots=True)
class Scenario:
    """A system, its data and what is done with it, complete and checked.

    >>> scenario = load("teaching/snapshot-slows-writes")
    >>> scenario.with_({"devices.cow.chunk": "64 KiB"}).spec.devices["cow"].chunk.si
    65536.0
    """

    name: str
    spec: Spec
    tree: Node
    source: Node
    overrides: dict[str, Node]
    log: tuple[str, ...]
    read_log: tuple[str, ...]
    values: tuple[Value, ...]
    base: str | None
    hash: str
    """Sixteen hexadecimal digits that change with anything the simulation depends on."""
    fleets: Fleets = field(default_factory=Fleets)
    """The parts that were laid out: their addresses by that of their template."""

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self.spec.title

    def with_(self, overrides: Mapping[str, object]) -> Scenario:
        """The scenario in which the values at some addresses are replaced.

        Raises
        ------
        InputError
            An address does not exist or a value does not fit it.
        """
        place = Place("with_")
        nodes = {address: trees.from_plain(value, place) for address, value in overrides.items()}
        changed = _finished(self.name, self.source, self.overrides | nodes, self.read_log, self.base)
        before = {value.address: value.given for value in self.values if value.address in nodes}
        return replace(changed, values=tuple(_after_seeing(value, before) for value in changed.values))

    def scaled(self, factors: Mapping[str, float]) -> Scenario:
        """The scenario in which the values at some addresses are so many times as large, unchecked."""
        return replace(self, spec=self.spec.scaled(factors))


def _after_seeing(value: Value, before: Mapping[str, Given]) -> Value:
    """The value, which was chosen after seeing the rows that the one it replaces was fitted to or chosen after."""
    old = before.get(value.address)
    if old is None:
        return value
    seen = tuple(dict.fromkeys((*value.given.seen, *old.fitted_to, *old.seen)))
    return replace(value, given=replace(value.given, seen=seen))


def names(folder: str = "") -> list[str]:
    """The names of all scenarios that are found, such as `published/003-lvm-snapshots/same-disk`."""
    found = {
        path.relative_to(root / "scenarios").with_suffix("").as_posix()
        for root in datasheets.roots()
        for path in (root / "scenarios" / folder).rglob("*.yaml")
        if path.stem not in {"measured", "calibration"} and "." not in path.stem
    }
    return sorted(found)


def find(name: str) -> Path:
    """The file of a scenario, by path or by name.

    Raises
    ------
    InputError
        There is neither such a file nor such a name.
    """
    path = Path(name)
    bare = name.removesuffix(".yaml").removeprefix("scenarios/")
    if path.name.endswith(".study.yaml") and is_file(path):
        raise InputError([Problem(Place(name), "", "is a study and no scenario", f"simbackup study {name}")])
    for file in (path, *(root / "scenarios" / f"{bare}.yaml" for root in datasheets.roots())):
        if is_file(file) and not file.name.endswith(".study.yaml"):
            return file
    _no_folder(name, path, bare)
    legal = names()
    tails = [text for text in legal if text.split("/")[-1] == bare.split("/")[-1]]
    remedy = f"did you mean '{tails[0]}'?" if tails else choices(bare, legal)
    if any(is_file(root / "scenarios" / f"{bare.removesuffix('.study')}.study.yaml") for root in datasheets.roots()):
        remedy = f"it is a study: simbackup study {bare.removesuffix('.study')}"
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a scenario", remedy)])


def _no_folder(name: str, path: Path, bare: str) -> None:
    """Tell that a name is one of a folder, and what there is in it."""
    if is_folder(path):
        raise InputError([trees.a_folder(path, name)])
    if bare and any(is_folder(root / "scenarios" / bare) for root in datasheets.roots()):
        raise InputError([Problem(Place(name), "", "is a folder of scenarios", choices("", names(bare)))])


def load(name: str | Path, overrides: Mapping[str, object] | None = None) -> Scenario:
    """The scenario of a path or a name, with the values at some addresses replaced.

    Raises
    ------
    InputError
        Everything that is wrong with the file, at once, each with its place.

    >>> load("published/003-lvm-snapshots/same-disk").title
    'dd of 2 GiB over a file, snapshot on the same disk'
    """
    log: list[str] = []
    problems: list[Problem] = []
    tree, chain = extended(find(str(name)), log, problems)
    base = next((text for text in chain[1:] if text.startswith("published/")), None)
    nodes = {address: _node(value) for address, value in (overrides or {}).items()}
    return _finished(str(name), references(tree), nodes, tuple(log), base, before=problems)


def nothing_to_do(scenario: Scenario) -> Problem:
    """What is wrong with a scenario without jobs, if it is to be run."""
    remedy = "say what is to be done under 'jobs:', or extend this file by one that does"
    return Problem(scenario.tree.place, "jobs", "there is nothing to simulate", remedy)


def _finished(
    name: str,
    source: Node,
    overrides: dict[str, Node],
    read_log: tuple[str, ...],
    base: str | None,
    *,
    before: Sequence[Problem] = (),
) -> Scenario:
    """The scenario of a tree that was read (`before` is what was wrong then), overridden, completed and checked."""
    log, problems, tree = list(read_log), list(before), source
    baseless = any(problem.address == "extends" for problem in before)
    above = {address: node for address, node in overrides.items() if address.split(".")[0] == "fleets"}
    for address, node in above.items():
        tree = override(tree, address, node, log, problems)
    laid = tree
    tree, fleets = lay_out(laid, problems)
    for address, node in overrides.items():
        if address not in above:
            tree = override(tree, address, node, log, problems)
    tree, unresolved = _complete(references(tree), log, problems)
    spec = read_spec(tree, problems, None if baseless else unresolved)
    problems.extend(_unknown_sources(spec, tree))
    problems.extend(check(spec, tree, problems, {part: each for each, parts in fleets.items() for part in parts}))
    if problems:
        told = [problem for problem in problems if not _follows(problem, before)]
        raise InputError(told_once(told, fleets, laid))
    text = json.dumps(tree.plain(), separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    values = tuple(_values(spec, tree))
    return Scenario(name, spec, tree, source, overrides, tuple(log), read_log, values, base, digest, fleets)


def _follows(problem: Problem, before: Sequence[Problem]) -> bool:
    """Whether a problem is only that of something whose place in the file was wrong already."""
    inside = (f"{other.address}." for other in before if other.address != "extends")
    return not problem.closing and problem not in before and f"{problem.address}.".startswith(tuple(inside))


def _unknown_sources(spec: Spec, tree: Node) -> list[Problem]:
    """The works that values of the scenario cite and nobody lists."""
    works = datasheets.sources()
    return [
        Problem(
            tree.find((*path, "source"))[0].place, ".".join((*path, "source")),
            f"there is no source '{given.source}'", choices(given.source, works),
        )
        for path, given in spec.quantities()
        if given.source is not None and given.source not in works
    ]  # fmt: skip


def _node(value: object) -> Node:
    return value if isinstance(value, Node) else trees.from_plain(value, Place("with_"))


def _complete(tree: Node, log: list[str], problems: list[Problem]) -> tuple[Node, set[str]]:
    """The tree in which each part with a `model` stands on its datasheet, and the parts that found none."""
    unresolved: set[str] = set()
    sections: dict[str, Node] = dict(tree.mapping)
    for section, kinds in KINDS.items():
        parts = sections.get(section)
        if parts is None or not isinstance(parts.value, dict):
            continue
        done: dict[str, Node] = {}
        for name, part in parts.value.items():
            before, address = len(problems), f"{section}.{name}"
            done[name] = _on_datasheet(part, address, kinds, log, problems)
            if len(problems) > before:
                unresolved.add(address)
        sections[section] = Node(done, parts.place, parts.key)
    return Node(sections, tree.place, tree.key), unresolved


def _on_datasheet(part: Node, address: str, kinds: Sequence[str], log: list[str], problems: list[Problem]) -> Node:
    """A part laid over its datasheet, and its nested parts likewise."""
    if not isinstance(part.value, dict):
        return part
    inner = dict(part.value)
    for key, kind in NESTED.items():
        if key in inner:
            inner[key] = _on_datasheet(inner[key], f"{address}.{key}", (kind,), log, problems)
    part = Node(inner, part.place, part.key)
    named = inner.get("model")
    if named is None or not kinds:
        return part
    sheet = _sheet(named, f"{address}.model", kinds, problems)
    below = dict(sheet.tree.mapping["parameters"].mapping) if sheet else {}
    if len(kinds) > 1:
        told = Node(named.word.split("/", maxsplit=1)[0], named.place, named.key)
        own = inner.get("kind", told)
        if sheet and own.value != told.value:
            message = f"'{named.value}' is no {own.word}"
            problems.append(Problem(own.place, f"{address}.kind", message, "leave 'kind' out: the model tells it"))
            return part
        if told.value in kinds:
            below["kind"] = told
    return trees.overlay(Node(below, part.place, part.key), part, address, log)


def _sheet(named: Node, address: str, kinds: Sequence[str], problems: list[Problem]) -> Datasheet | None:
    """The datasheet that a part names, or None after what is wrong was added to `problems`."""
    name = named.word
    if not isinstance(named.value, str):
        message = "is no name of a datasheet"
    elif name.split("/", maxsplit=1)[0] not in kinds and datasheets.exists(name):
        message = f"'{name}' is no {kinds[0] if len(kinds) == 1 else 'device'}"
    elif not datasheets.exists(name):
        message = f"there is no datasheet '{name}'"
    else:
        try:
            return datasheets.load_datasheet(name)
        except InputError as error:
            problems.extend(error.problems)
            return None
    near = [legal for legal in datasheets.names() if legal.split("/", maxsplit=1)[0] in kinds]
    problems.append(Problem(named.place, address, message, choices(name, near)))
    return None


def _values(spec: Spec, tree: Node) -> list[Value]:
    """Every quantity with its address, its origin and its place."""
    found: list[Value] = []
    for path, given in spec.quantities():
        node, _ = tree.find(path)
        basis = "document" if "scenarios/published/" in node.place.file else "user"
        found.append(Value(".".join(path), given.on(basis), node.place))
    return found
