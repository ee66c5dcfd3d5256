"""A scenario: read, laid over what it extends, overridden, completed from datasheets, checked, and frozen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from simbackup import datasheets
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.scenario.agreement import check
from simbackup.scenario.completion import complete
from simbackup.scenario.fleets import Fleets, lay_out, told_once
from simbackup.scenario.idle_keys import idle_keys
from simbackup.scenario.inheritance import override, references
from simbackup.scenario.spec import Spec, read_spec
from simbackup.schema import tree as trees
from simbackup.schema.quantity import Quantity
from simbackup.schema.tree import Node


@dataclass(frozen=True, slots=True)
class Value:
    """One number that a result rests on."""

    address: str
    given: Quantity
    place: Place


@dataclass(frozen=True, slots=True)
class Scenario:
    """A system, its data and what is done with it, complete and checked.

    >>> from simbackup.scenario import load
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
        changed = finished(self.name, self.source, self.overrides | nodes, self.read_log, self.base)
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


def nothing_to_do(scenario: Scenario) -> Problem:
    """What is wrong with a scenario without jobs, if it is to be run."""
    remedy = "say what is to be done under 'jobs:', or extend this file by one that does"
    return Problem(scenario.tree.place, "jobs", "there is nothing to simulate", remedy)


def finished(
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
    tree, unresolved = complete(references(tree), log, problems)
    spec = read_spec(tree, problems, None if baseless else unresolved)
    problems.extend(_unknown_sources(spec, tree))
    problems.extend(check(spec, tree, problems, {part: each for each, parts in fleets.items() for part in parts}))
    if problems:
        told = [problem for problem in problems if not _follows(problem, before)]
        raise InputError(told_once(told, fleets, laid))
    text = json.dumps(tree.plain(), separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    values = tuple(_values(spec, tree))
    warnings = tuple(told_once(idle_keys(spec, tree), fleets, laid))
    return Scenario(name, spec, tree, source, overrides, tuple(log), read_log, values, base, digest, fleets, warnings)


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


def _values(spec: Spec, tree: Node) -> list[Value]:
    """Every quantity with its address, its origin and its place."""
    found: list[Value] = []
    for path, given in spec.quantities():
        node, _ = tree.find(path)
        basis = "document" if "scenarios/published/" in node.place.file else "user"
        found.append(Value(".".join(path), given.on(basis), node.place))
    return found
