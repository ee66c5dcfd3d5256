"""A scenario's tree read: fleets made, values overridden, parts completed from datasheets, and the objects of it all.

Few parts of many change as values are replaced. A part whose node is that of a reading before, which found nothing
wrong, is taken from there.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.errors import Problem
from simbackup.scenario.alternatives import Choice, settled
from simbackup.scenario.completion import Completed, complete
from simbackup.scenario.fleets import Fleets, lay_out
from simbackup.scenario.inheritance import override, references
from simbackup.scenario.library import Holdings, Reader
from simbackup.scenario.spec import Spec, read_spec
from simbackup.schema.fleet import PARTS
from simbackup.schema.inventory import Inventory
from simbackup.schema.part import Part, quantities_of
from simbackup.schema.quantity import Quantity
from simbackup.schema.tree import Node

Address = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A tree whose fleets are made, and whose values are each the stated one of their alternatives."""

    laid: Node
    """The source with its overridden fleets, before their parts were made."""
    tree: Node
    fleets: Fleets
    choices: tuple[Choice, ...]
    log: tuple[str, ...]
    inventories: Mapping[str, Inventory]


@dataclass(frozen=True, slots=True)
class ReadPart:
    """A part: its node before it was completed, what completed it, the choices in it, and the object of it."""

    node: Node
    completed: Completed
    choices: tuple[Choice, ...]
    spec: Part
    cited: Collection[str]
    """The keys of the works that its values cite."""


@dataclass(frozen=True, slots=True)
class Known:
    """What several readings share: parts with the same text, and the layout of the fleets of one source."""

    source: Node
    layout: LaidOut
    parts: Mapping[Address, ReadPart]


@dataclass(frozen=True, slots=True)
class ReadTree:
    """A tree that was overridden and completed, the objects that it describes, and what was wrong on the way."""

    spec: Spec
    tree: Node
    layout: LaidOut
    parts: dict[Address, ReadPart]
    same: Mapping[Address, ReadPart]
    """The parts that are as they were in an earlier reading."""
    choices: tuple[Choice, ...]
    reader: Reader
    log: list[str]
    problems: list[Problem] = field(default_factory=list[Problem])

    @property
    def cited(self) -> set[str]:
        """The keys of the works that its values cite."""
        if self.problems:
            return _cited(self.spec.quantities())
        return {key for part in self.parts.values() for key in part.cited}


def read(
    source: Node,
    overrides: Mapping[str, Node],
    read_log: Sequence[str],
    before: Sequence[Problem] = (),
    library: Holdings | None = None,
    *,
    known: Known | None = None,
) -> ReadTree:
    """A tree, overridden and completed, and its objects; what is wrong with them is in its problems.

    `known` is what an earlier reading found in which nothing was wrong; if it is of this source, it had the same
    overrides of fleets.
    """
    reader, problems = Reader(library or Holdings()), list(before)
    above = {address: node for address, node in overrides.items() if address.split(".")[0] == "fleets"}
    if known is not None and known.source is source:
        layout = known.layout
    else:
        layout = _laid_out(source, above, read_log, reader, problems)
    reader.used.inventories.update(layout.inventories)
    log, tree = list(layout.log), layout.tree
    for address, node in overrides.items():
        if address not in above:
            tree = override(tree, address, node, log, problems)
    same = _unchanged(tree, known.parts) if known is not None else {}
    tree, given = settled(tree, problems, dict.fromkeys(same, ()))
    written = tree
    tree, completed = complete(references(tree), reader, log, problems, {path: p.completed for path, p in same.items()})
    tree, of_sheets = settled(tree, problems, {path: part.choices for path, part in same.items()})
    baseless = any(problem.address == "extends" for problem in before)
    unresolved: Container[str] | None = {f"{s}.{n}" for (s, n), one in completed.items() if one.unresolved}
    spec = read_spec(tree, problems, None if baseless else unresolved, {path: part.spec for path, part in same.items()})
    hidden = tuple(f"{address}." for address in overrides)
    stated = [choice for choice in layout.choices if not f"{choice.address}.".startswith(hidden)]
    parts = {} if problems else _parts(written, tree, completed, of_sheets, spec, same)
    return ReadTree(spec, tree, layout, parts, same, (*stated, *given, *of_sheets), reader, log, problems)


def _laid_out(
    source: Node, above: Mapping[str, Node], read_log: Sequence[str], reader: Reader, problems: list[Problem]
) -> LaidOut:
    """The source with its fleets, some of whose values are overridden."""
    log, laid = list(read_log), source
    for address, node in above.items():
        laid = override(laid, address, node, log, problems)
    tree, fleets = lay_out(laid, reader, problems)
    tree, stated = settled(tree, problems)
    return LaidOut(laid, tree, fleets, tuple(stated), tuple(log), dict(reader.used.inventories))


def alike(tree: Node, other: Node) -> Node:
    """A tree in which each part that is written as in another tree is the very part of that one."""
    sections: dict[str, Node] = dict(tree.mapping)
    for section in (section for section in PARTS if section in sections and section in other.mapping):
        parts, before = sections[section], other.mapping[section].mapping
        found = {name: before[name] if before.get(name) == part else part for name, part in parts.mapping.items()}
        sections[section] = Node(found, parts.place, parts.key) if isinstance(parts.value, dict) else parts
    return Node(sections, tree.place, tree.key)


def _unchanged(tree: Node, parts: Mapping[Address, ReadPart]) -> dict[Address, ReadPart]:
    """The parts of a tree that are as they were."""
    return {
        (section, name): parts[section, name]
        for section in PARTS
        if section in tree.mapping
        for name, node in tree.mapping[section].mapping.items()
        if (section, name) in parts and parts[section, name].node is node
    }


def _parts(
    written: Node,
    tree: Node,
    completed: Mapping[Address, Completed],
    choices: Sequence[Choice],
    spec: Spec,
    same: Mapping[Address, ReadPart],
) -> dict[Address, ReadPart]:
    """All parts of a tree in which nothing was wrong."""
    of: dict[str, list[Choice]] = {}
    for choice in choices:
        of.setdefault(".".join(choice.address.split(".")[:2]), []).append(choice)
    return {
        (section, name): same[section, name]
        if (section, name) in same
        else ReadPart(
            written.mapping[section].mapping[name],
            completed[section, name].settled(tree.mapping[section].mapping[name]),
            tuple(of.get(f"{section}.{name}", ())),
            part := getattr(spec, section)[name],
            _cited(quantities_of(part, (section, name))),
        )
        for section, name in completed
    }


def _cited(quantities: Iterable[tuple[Address, Quantity]]) -> set[str]:
    """The keys of the works that values cite."""
    return {given.source for _, given in quantities if given.source is not None}
