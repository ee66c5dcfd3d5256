"""A scenario: read, merged over what it extends, overridden, completed from datasheets, checked, and frozen."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.scenario.agreement import check
from simbackup.scenario.alternatives import Choice
from simbackup.scenario.chance import check_ends, wrong_chance
from simbackup.scenario.files import Holdings
from simbackup.scenario.fleets import Fleets, reported_once
from simbackup.scenario.reading import Known, read
from simbackup.scenario.spec import Spec
from simbackup.scenario.typical import with_typical_range
from simbackup.schema import tree as trees
from simbackup.schema.fleet import PARTS
from simbackup.schema.quantity import Quantity
from simbackup.schema.tree import Node
from simbackup.text import html_table

DOCUMENTS = ("scenarios/published/", "scenarios/validation/")
"""Folders with scenarios of documents: a plain number in them is one that the document states."""


@dataclass(frozen=True, slots=True)
class Value:
    """One number that a result depends on."""

    address: str
    given: Quantity
    place: Place


@dataclass(frozen=True, repr=False)  # without slots: what few runs ask for is found once it is asked for
class Scenario:
    """A system, its data and its jobs, complete and checked.

    >>> from simbackup.scenario import load
    >>> scenario = load("teaching/snapshot-slows-writes")
    >>> scenario.with_({"devices.cow.chunk": "64 KiB"}).spec.devices["cow"].chunk.si
    65536.0
    """

    name: str
    """The path or name by which it was loaded."""
    spec: Spec
    """The system, its data and its jobs, as objects."""
    tree: Node
    """The complete tree, from which `spec` was read."""
    source: Node
    """The tree of its file, merged over what it extends."""
    overrides: dict[str, Node]
    """Values that replaced those of the file, by address."""
    log: tuple[str, ...]
    """What was merged, overridden and completed."""
    read_log: tuple[str, ...]
    """What was merged when its file was read."""
    base: str | None
    """The published scenario that it extends; None without one."""
    known: Known
    """What a copy with other values can reuse."""
    library: Holdings = field(default_factory=Holdings)
    """The datasheets, works and inventories that it uses."""
    replaced: Mapping[str, Quantity] = field(default_factory=dict[str, Quantity])
    """The values that its last overrides replaced, by address."""
    factors: tuple[Mapping[str, float], ...] = ()
    """Factors by which values were multiplied, by address, in order."""
    choices: tuple[Choice, ...] = ()
    """Its values that have alternatives."""

    @property
    def fleets(self) -> Fleets:
        """The parts of fleets: their addresses by that of their template."""
        return self.known.layout.fleets

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Every number that a result depends on, with its origin."""
        return tuple(_after_seeing(value, self.replaced) for value in _values(self.spec, self.tree, self.overrides))

    @cached_property
    def hash(self) -> str:
        """A hash of sixteen hexadecimal digits; it changes with anything that the simulation depends on."""
        digest = _digest(self.tree.plain())
        for own in self.factors:
            digest = _digest([digest, own])
        return digest

    def __repr__(self) -> str:
        return f"Scenario({self.name!r}, {self.title!r}, {len(self.values)} values, hash {self.hash})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the parts of each section, and the bases of its values."""
        rows = [(section, len(parts), ", ".join(_some(parts))) for section in PARTS if (parts := self._parts(section))]
        bases = Counter(value.given.basis or "" for value in self.values)
        rows.append(("values", len(self.values), ", ".join(f"{n} {basis}" for basis, n in bases.most_common())))
        return html_table(("section", "number", "names"), rows, self.title, self.spec.question)

    def _parts(self, section: str) -> list[str]:
        return list(getattr(self.spec, section))

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self.spec.title

    def with_(self, overrides: Mapping[str, object]) -> Scenario:
        """A copy of the scenario with the values at some addresses replaced.

        Raises
        ------
        InputError
            An address does not exist or a value does not fit it.
        """
        nodes = {address: node_of(value) for address, value in overrides.items()}
        changed = finished(
            self.name, self.source, self.overrides | nodes, self.read_log, self.base, library=self.library,
            known=self.known_with(nodes),
        )  # fmt: skip
        before = {value.address: value.given for value in self.values if value.address in nodes}
        changed = replace(changed, replaced=before)
        for factors in self.factors:  # an override states a value as it is to be
            changed = changed.scaled({address: each for address, each in factors.items() if address not in nodes})
        return changed

    def known_with(self, overrides: Iterable[str]) -> Known | None:
        """What a copy with values replaced at some addresses can reuse; None if these create parts."""
        return None if any(address.split(".")[0] == "fleets" for address in overrides) else self.known

    def scaled(self, factors: Mapping[str, float]) -> Scenario:
        """A copy of the scenario with the values at some addresses multiplied by factors, unchecked.

        Its log lists the factors, and it has another hash.

        >>> from simbackup.scenario import load
        >>> scenario = load("teaching/snapshot-slows-writes")
        >>> twice = scenario.scaled({"data.file.size": 2.0})
        >>> twice.log[-1], twice.hash == scenario.hash
        ('data.file.size: 2 GiB -> 4 GiB (2 times)', False)
        """
        own = {value.address: factors[value.address] for value in self.values if value.address in factors}
        if not own:
            return self
        values = tuple(
            replace(value, given=value.given.scaled(own[value.address])) if value.address in own else value
            for value in self.values
        )
        log = [
            f"{old.address}: {old.given.text} -> {new.given.text} ({own[old.address]:.6g} times)"
            for old, new in zip(self.values, values, strict=True)
            if old.address in own
        ]
        return replace(self, spec=self.spec.scaled(own), log=(*self.log, *log), factors=(*self.factors, own))


def _some(names: list[str], most: int = 8) -> list[str]:
    """The first names of many."""
    return names if len(names) <= most else [*names[:most], f"and {len(names) - most} more"]


def _digest(plain: object) -> str:
    """Sixteen hexadecimal digits that change with plain data."""
    return hashlib.sha256(json.dumps(plain, separators=(",", ":")).encode()).hexdigest()[:16]


def _after_seeing(value: Value, before: Mapping[str, Quantity]) -> Value:
    """The value, which was chosen after seeing the rows that the one it replaces was fitted to or chosen after."""
    old = before.get(value.address)
    if old is None:
        return value
    seen = tuple(dict.fromkeys((*value.given.seen, *old.fitted_to, *old.seen)))
    return replace(value, given=replace(value.given, seen=seen))


def nothing_to_do(scenario: Scenario) -> Problem:
    """The problem of running a scenario without jobs."""
    remedy = "add jobs under 'jobs:', or run a file that extends this one"
    return Problem(scenario.tree.place, "jobs", "there is nothing to simulate", remedy)


def finished(  # noqa: PLR0913
    name: str,
    source: Node,
    overrides: dict[str, Node],
    read_log: tuple[str, ...],
    base: str | None,
    *,
    before: Sequence[Problem] = (),
    library: Holdings | None = None,
    known: Known | None = None,
) -> Scenario:
    """The scenario of a tree that was read (`before` is what was wrong then), overridden, completed and checked.

    `known` is what an earlier scenario knows; one of the same source had the same overrides of fleets.

    Raises
    ------
    InputError
        Everything that is wrong with it.
    """
    found = read(source, overrides, read_log, before, library, known=known)
    spec, tree, fleets, problems = found.spec, found.tree, found.layout.fleets, found.problems
    works, cited = found.reader.every_work(), found.cited
    problems.extend(_unknown_sources(spec, tree, works) if cited - works.keys() else ())
    if spec.history is not None:
        from simbackup.scenario.history import wrong_history  # noqa: PLC0415 (few scenarios belong to a history)

        problems.extend(wrong_history(spec, tree))
    problems.extend(wrong_chance(spec, tree, fleets))
    templates = {part: each for each, parts in fleets.items() for part in parts}
    problems.extend(check(spec, tree, problems, templates, found.same))
    if problems:
        reported = [problem for problem in problems if not _follows(problem, before)]
        raise InputError(reported_once(reported, fleets, found.layout.laid))
    if spec.chance:
        check_ends(
            spec, tree, fleets, lambda more: finished(name, source, overrides | more, read_log, base, library=library)
        )
    made = Known(source, found.layout, found.parts)
    return Scenario(
        name, spec, tree, source, overrides, tuple(found.log), read_log, base, made, found.reader.cited(works, cited),
        choices=found.choices,
    )  # fmt: skip


def misread(scenario: Scenario, overrides: Mapping[str, object]) -> list[Problem]:
    """What is wrong with values in themselves, whatever the others are: an unknown address, or no such value there.

    >>> from simbackup.scenario import load
    >>> [problem] = misread(load("teaching/snapshot-slows-writes"), {"devices.cow.chunk": "1 parsec"})
    >>> problem.address
    'devices.cow.chunk'
    """
    nodes = {address: node_of(value) for address, value in overrides.items()}
    known = scenario.known_with(nodes)
    found = read(scenario.source, scenario.overrides | nodes, scenario.read_log, (), scenario.library, known=known)
    return reported_once(found.problems, found.layout.fleets, found.layout.laid)


def _follows(problem: Problem, before: Sequence[Problem]) -> bool:
    """Whether a problem only follows from one that was reported at the same place."""
    inside = (f"{other.address}." for other in before if other.address != "extends")
    return not problem.closing and problem not in before and f"{problem.address}.".startswith(tuple(inside))


def _unknown_sources(spec: Spec, tree: Node, works: Mapping[str, Node]) -> list[Problem]:
    """Report sources that values cite and no list of sources has."""
    return [
        Problem(
            tree.find((*path, "source"))[0].place, ".".join((*path, "source")),
            f"there is no source '{given.source}'", choices(given.source, works),
        )
        for path, given in spec.quantities()
        if given.source is not None and given.source not in works
    ]  # fmt: skip


def node_of(value: object) -> Node:
    """A value as part of a tree."""
    return value if isinstance(value, Node) else trees.from_plain(value, Place("overrides"))


def _values(spec: Spec, tree: Node, overrides: Collection[str]) -> list[Value]:
    """Every quantity with its address, its origin and its place; what is overridden is as exact as it was asked for."""
    found: list[Value] = []
    for path, quantity in spec.quantities():
        node, _ = tree.find(path)
        basis = quantity.basis or ("document" if any(folder in node.place.file for folder in DOCUMENTS) else "user")
        address = ".".join(path)
        stated = basis != "user" or address in overrides
        given = quantity if stated else with_typical_range(address, quantity)
        found.append(Value(address, given.on(basis), node.place))
    return found
