"""A scenario's tree read: fleets made, values overridden, parts completed from datasheets, and the objects of it all.

Few parts of many change as values are replaced. A part whose node is that of a reading before, which found nothing
wrong, is taken from there; of one that is written like another, only what differs is read.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.errors import Problem
from simbackup.scenario.alternatives import Choice, settled
from simbackup.scenario.completion import Completed, complete
from simbackup.scenario.files import Holdings, Reader
from simbackup.scenario.fleets import Fleets, lay_out
from simbackup.scenario.forms import Address, ReadPart, examples, form_of, read_like
from simbackup.scenario.inheritance import override, references
from simbackup.scenario.spec import Spec, read_spec
from simbackup.schema.fleet import PARTS
from simbackup.schema.inventory import Inventory
from simbackup.schema.part import quantities_of
from simbackup.schema.quantity import Quantity
from simbackup.schema.tree import Node

MANY = 50
"""Parts that are written like others from which on one of each form is read first."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A tree whose fleets are expanded, with the stated value of each choice."""

    laid: Node
    """The source with its overridden fleets, before these were expanded."""
    tree: Node
    """The tree with the parts of the fleets."""
    fleets: Fleets
    """The parts of fleets: their addresses by that of their template."""
    choices: tuple[Choice, ...]
    """Values that have alternatives."""
    log: tuple[str, ...]
    """What was merged and overridden."""
    inventories: Mapping[str, Inventory]
    """The tables that fleets name, by path."""


@dataclass(frozen=True, slots=True)
class Known:
    """What later readings of the same scenario reuse."""

    source: Node
    """The tree before overrides."""
    layout: LaidOut
    """Its expanded fleets."""
    parts: Mapping[Address, ReadPart]
    """Its parts, which later readings reuse where their text is the same."""


@dataclass(frozen=True, slots=True)
class ReadTree:
    """The outcome of a reading: a tree that was overridden and completed, its objects, and its problems."""

    spec: Spec
    """The scenario that the tree describes."""
    tree: Node
    """The complete tree."""
    layout: LaidOut
    """The tree before overrides, with expanded fleets."""
    parts: dict[Address, ReadPart]
    """All parts, by address; empty if there are problems."""
    same: Mapping[Address, ReadPart]
    """The parts that are as they were in an earlier reading."""
    choices: tuple[Choice, ...]
    """Values that have alternatives."""
    reader: Reader
    """Reads datasheets, works and inventories, and keeps them."""
    log: list[str]
    """What was merged, overridden and completed."""
    problems: list[Problem] = field(default_factory=list[Problem])
    """Everything that is wrong."""

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
    there = {**same, **_like_others(tree, same, known.parts if known is not None else {}, reader.library)}
    tree, given = settled(tree, problems, dict.fromkeys(there, ()))
    written, done = tree, {path: part.completed for path, part in there.items()}
    tree, completed = complete(references(tree, done), reader, log, problems, done)
    tree, of_sheets = settled(tree, problems, {path: part.choices for path, part in there.items()})
    baseless = any(problem.address == "extends" for problem in before)
    unresolved: Container[str] | None = {f"{s}.{n}" for (s, n), one in completed.items() if one.unresolved}
    spec = read_spec(
        tree, problems, None if baseless else unresolved, {path: part.spec for path, part in there.items()}
    )
    hidden = tuple(f"{address}." for address in overrides)
    stated = [choice for choice in layout.choices if not f"{choice.address}.".startswith(hidden)]
    parts = {} if problems else _parts(written, tree, completed, of_sheets, spec, there)
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


def _like_others(
    tree: Node, same: Container[Address], known: Mapping[Address, ReadPart], library: Holdings
) -> dict[Address, ReadPart]:
    """The parts of a tree that are written like others, which were read before, or of which one of each form is now."""
    others = {
        (section, name): node
        for section in PARTS
        if section in tree.mapping
        for name, node in tree.mapping[section].mapping.items()
        if (section, name) not in same
    }
    forms, read_before = {path: form_of(path[0], node) for path, node in others.items()}, dict(known)
    of_form = examples(known) if others else {}
    first = {form: path for path, form in reversed(forms.items()) if form is not None and form not in of_form}
    if sum(form is not None for form in forms.values()) - len(first) >= MANY:
        sections = {name: node for name, node in tree.mapping.items() if name not in PARTS}
        for section, name in reversed(first.values()):
            parts = sections.setdefault(section, Node({}, tree.mapping[section].place, tree.mapping[section].key))
            parts.mapping[name] = others[section, name]
        now = read(Node(sections, tree.place, tree.key), {}, (), (), library).parts
        read_before |= now
        of_form |= {form: path for form, path in first.items() if path in now}
    found: dict[Address, ReadPart] = {}
    for path, node in others.items():
        for example in dict.fromkeys((path, of_form.get(forms[path] or ()))):
            if example in read_before and path not in found:
                one = read_like(read_before[example], example, path, node)
                found |= {path: one} if one is not None else {}
    return found


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
