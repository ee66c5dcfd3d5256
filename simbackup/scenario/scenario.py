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
from simbackup.scenario.agreement import check
from simbackup.scenario.fleets import Fleets, beside, lay_out, told_once
from simbackup.scenario.idle_keys import idle_keys
from simbackup.scenario.spec import SECTIONS, Spec, read_spec
from simbackup.schema import tree as trees
from simbackup.schema.quantity import Quantity
from simbackup.schema.reflection import nested_sheets
from simbackup.schema.registry import device_kinds
from simbackup.schema.tree import Node

GREATEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Value:
    """One number that a result rests on."""

    address: str
    given: Quantity
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
    warnings: tuple[Problem, ...] = ()
    """What is no reason not to run, such as keys that the file states and that have no effect in it."""

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


def _after_seeing(value: Value, before: Mapping[str, Quantity]) -> Value:
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
    legal = names()
    tails = [text for text in legal if text.split("/")[-1] == bare.split("/")[-1]]
    remedy = f"did you mean '{tails[0]}'?" if tails else choices(bare, legal)
    if any(is_file(root / "scenarios" / f"{bare.removesuffix('.study')}.study.yaml") for root in datasheets.roots()):
        remedy = f"it is a study: simbackup study {bare.removesuffix('.study')}"
    raise InputError([Problem(Place(name), "", "there is neither such a file nor such a scenario", remedy)])


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
    tree, chain = _extended(find(str(name)), log)
    base = next((text for text in chain[1:] if text.startswith("published/")), None)
    nodes = {address: _node(value) for address, value in (overrides or {}).items()}
    return _finished(str(name), _references(tree), nodes, tuple(log), base)


def _finished(
    name: str, source: Node, overrides: dict[str, Node], read_log: tuple[str, ...], base: str | None
) -> Scenario:
    """The scenario of a tree that was read, overridden, completed and checked."""
    log, problems, tree = list(read_log), list[Problem](), source
    above = {address: node for address, node in overrides.items() if address.split(".")[0] == "fleets"}
    for address, node in above.items():
        tree = _override(tree, address, node, log, problems)
    laid = tree
    tree, fleets = lay_out(laid, problems)
    whole = not problems
    for address, node in overrides.items():
        if address not in above:
            tree = _override(tree, address, node, log, problems)
    tree, unresolved = _complete(_references(tree), log, problems)
    spec = read_spec(tree, problems, unresolved)
    problems.extend(_unknown_sources(spec, tree))
    if whole and not any(problem.address in SECTIONS[3:] for problem in problems):
        problems.extend(check(spec, tree, problems))
    if problems:
        raise InputError(told_once(problems, fleets, laid))
    text = json.dumps(tree.plain(), separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    values = tuple(_values(spec, tree))
    warnings = tuple(told_once(idle_keys(spec, tree), fleets, laid))
    return Scenario(name, spec, tree, source, overrides, tuple(log), read_log, values, base, digest, fleets, warnings)


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


def _extended(path: Path, log: list[str]) -> tuple[Node, list[str]]:
    """The tree of a file laid over the files it extends, and the names of all of them, itself first."""
    files: list[Node] = []
    chain: list[str] = []
    seen: list[Path] = []
    while True:
        seen.append(path.resolve())
        tree = beside(trees.read(path, datasheets.shown(path)), path.parent)
        files.append(tree)
        chain.append(datasheets.shown(path).removeprefix("scenarios/").removesuffix(".yaml"))
        base = tree.mapping.get("extends")
        if base is None:
            break
        if not isinstance(base.value, str):
            raise InputError([Problem(base.place, "extends", "is no name of a file", "write one, such as base.yaml")])
        below = path.parent / base.value
        if not is_file(below):
            folder = below if is_folder(below) else below.parent
            near = [p.name for p in folder.glob("*.yaml")] if is_folder(folder) else []
            message = f"'{base.value}' is a folder" if folder is below else f"there is no file '{base.value}'"
            raise InputError([Problem(base.place, "extends", message, choices(below.name, near))])
        if below.resolve() in seen or len(seen) > GREATEST_CHAIN:
            message = f"'{base.value}' leads back to this file"
            raise InputError([Problem(base.place, "extends", message, "break the circle")])
        path = below
    merged = files[-1]
    for above in reversed(files[:-1]):
        quiet = Node({k: v for k, v in above.mapping.items() if k not in {"title", "question", "extends"}}, above.place)
        loud = trees.overlay(merged, quiet, "", log)
        merged = trees.overlay(
            loud, Node({k: v for k, v in above.mapping.items() if k not in quiet.mapping}, above.place)
        )
    return merged, chain


def _references(tree: Node) -> Node:
    """The tree in which a datasheet that is named alone, `disk: disk/x`, is written `disk: {model: disk/x}`."""
    sections: dict[str, Node] = dict(tree.mapping)
    for section in ("devices", "data", "jobs"):
        parts = sections.get(section)
        if parts is None or not isinstance(parts.value, dict):
            continue
        sections[section] = Node({k: _reference(part) for k, part in parts.value.items()}, parts.place, parts.key)
    fleets = sections.get("fleets")
    if fleets is not None and isinstance(fleets.value, dict):
        inside = {name: _references(fleet) if fleet.mapping else fleet for name, fleet in fleets.value.items()}
        sections["fleets"] = Node(inside, fleets.place, fleets.key)
    return Node(sections, tree.place, tree.key)


def _reference(part: Node) -> Node:
    if not isinstance(part.value, dict):
        return part
    inner = {
        key: Node({"model": child}, child.place, child.key)
        if key in nested_sheets() and isinstance(child.value, str)
        else child
        for key, child in part.value.items()
    }
    return Node(inner, part.place, part.key)


def _override(tree: Node, address: str, node: Node, log: list[str], problems: list[Problem]) -> Node:
    """The tree with the value at an address replaced."""
    path = tuple(address.split("."))
    if path[0] not in SECTIONS or not all(path) or path[0] == "extends":
        legal = [section for section in SECTIONS if section != "extends"]
        problems.append(Problem(node.place, address, "is no address of a value", choices(path[0], legal)))
        return tree
    if len(path) > 1 and path[0] not in {"title", "question"}:
        section = tree.mapping.get(path[0])
        if section is None or path[1] not in section.mapping:
            remedy = choices(path[1], section.mapping if section else ())
            problems.append(Problem(node.place, address, f"there is no '{path[1]}' under {path[0]}", remedy))
            return tree
    for name in reversed(path):
        node = Node({name: node}, node.place, node.place)
    return trees.overlay(tree, node, "", log)


def _kinds() -> dict[str, tuple[str, ...]]:
    """Kinds of datasheets that the parts of each section may name."""
    devices = tuple(device_kinds())
    return {
        "hosts": ("host",), "devices": devices, "links": ("network",), "data": ("population",),
        "workloads": ("workload",), "jobs": (),
    }  # fmt: skip


def _complete(tree: Node, log: list[str], problems: list[Problem]) -> tuple[Node, set[str]]:
    """The tree in which each part with a `model` stands on its datasheet, and the parts that found none."""
    unresolved: set[str] = set()
    sections: dict[str, Node] = dict(tree.mapping)
    for section, kinds in _kinds().items():
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
    for key, kind in nested_sheets().items():
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
