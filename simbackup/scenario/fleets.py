"""Fleets: parts of a scenario that are repeated for each row of an inventory, before anything else is done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from pathlib import Path

from simbackup import shelf, units
from simbackup.errors import InputError, Place, Problem, choices
from simbackup.scenario.files import Reader
from simbackup.schema.fleet import NUMBER, PARTS, Fleet, SpreadStarts, filled, placeholders, written
from simbackup.schema.part import NAME
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate
from simbackup.schema.yaml_file import GREATEST_NODES

Fleets = dict[str, tuple[str, ...]]
"""The parts made from each template: addresses by the address of the template, `fleets.NAME.SECTION.KEY`."""
Row = Mapping[str, Node]
_REFERENCE = re.compile(r"fleets\.([^.]+)\.([^.]+)\Z")
_VARYING = re.compile(r"'[^']*'|[\d.]+(?: [kMGTP]?i?\w+)?")
_WHEN = "write a time of day, '22:00', or a time after the start, '90 s'"


def beside(tree: Node, folder: Path) -> Node:
    """The tree of a file in which each inventory is named from anywhere, not from the file's own folder."""
    fleets = tree.mapping.get("fleets")
    if fleets is None or not isinstance(fleets.value, dict):
        return tree
    inside: dict[str, Node] = {}
    for name, fleet in fleets.value.items():
        named = fleet.mapping.get("inventory")
        inside[name] = fleet
        if named is not None and isinstance(named.value, str) and named.value:
            moved = replace(named, value=str(folder / named.value))
            inside[name] = replace(fleet, value={**fleet.mapping, "inventory": moved})
    return replace(tree, value={**tree.mapping, "fleets": replace(fleets, value=inside)})


def lay_out(tree: Node, reader: Reader, problems: list[Problem]) -> tuple[Node, Fleets]:
    """The tree with all parts of the fleets, and the parts made from each template."""
    fleets = tree.mapping.get("fleets")
    if fleets is None:
        return tree, {}
    sections = {name: node for name, node in tree.mapping.items() if name != "fleets"}
    if fleets.value is not None and not isinstance(fleets.value, dict):
        problems.append(Problem(fleets.place, "fleets", "is not a mapping", "write 'name: {...}' below it"))
    layout = _Layout(reader, problems, {name: dict(node.mapping) for name, node in sections.items() if name in PARTS})
    for name, node in fleets.mapping.items():
        layout.fleet(name, node)
    for name, parts in layout.parts.items():
        place = sections.get(name, fleets)
        if isinstance(place.value, dict) or parts:
            sections[name] = Node(parts, place.place, place.key)
    made = {address: tuple(parts) for address, parts in layout.made.items()}
    known = set(fleets.mapping)
    listed = {name: _listed(node, (name,), known, made, problems) for name, node in sections.items()}
    return Node(listed, tree.place), made


@dataclass(slots=True)
class _Layout:
    """Makes the parts of one fleet after the other, and collects problems."""

    reader: Reader
    problems: list[Problem]
    parts: dict[str, dict[str, Node]]
    made: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    nodes: int = 0

    def fleet(self, name: str, node: Node) -> None:
        """Make the parts of all templates of a fleet for all its rows."""
        address = f"fleets.{name}"
        if not NAME.match(name):
            remedy = "begin with a letter, then letters, digits, '-' and '_'"
            self.problems.append(Problem(node.key, address, f"'{name}' is not a valid name", remedy))
            return
        form = validate(Fleet, node, address, self.problems) if isinstance(node.value, dict) else None
        if form is None:
            if not isinstance(node.value, dict):
                self.problems.append(
                    Problem(node.place, address, "is not a mapping", "write its keys below it, indented")
                )
            return
        rows = self.rows(form, node, address)
        templates = {
            (section, key): template
            for section in PARTS
            if section in node.mapping
            for key, template in node.mapping[section].mapping.items()
        }
        if not templates:
            remedy = f"write what each has, under {', '.join(PARTS)}"
            self.problems.append(Problem(node.place, address, "defines no parts", remedy))
        if rows is None or not self.sound(templates, rows, address):
            return
        self.nodes += len(rows) * sum(_size(template) for template in templates.values())
        if self.nodes > GREATEST_NODES:
            self.problems.append(Problem(node.place, address, "makes too many parts", "use fewer rows or templates"))
            return
        rows = self.named_apart(templates, self.without_gaps(templates, rows, address), address)
        for (section, key), template in templates.items():
            self.template(f"{address}.{section}.{key}", (section, key), template, rows)

    def rows(self, form: Fleet, node: Node, address: str) -> list[Row] | None:
        """The rows of a fleet: of its inventory, or as many as it counts; None if they are unknown."""
        if (form.inventory is None) == (form.count is None):
            both = "has an inventory and a count" if form.count else "has neither an inventory nor a count"
            self.problems.append(Problem(node.place, address, both, "write 'inventory: FILE.csv' or 'count: 200'"))
            return None
        if form.count is not None:
            return [{NUMBER: Node(i + 1, Place(""))} for i in range(int(form.count.si))]
        path, named = Path(form.inventory or ""), node.mapping["inventory"]
        if not self.reader.library.has_inventory(str(path)):
            folder = path.parent
            tables = (
                (p.name for p in folder.iterdir() if p.suffix in {".csv", ".xlsx"}) if shelf.is_folder(folder) else ()
            )
            message = f"there is no file '{path.name}'"
            self.problems.append(Problem(named.place, f"{address}.inventory", message, choices(path.name, tables)))
            return None
        try:
            found = self.reader.inventory(str(path))
        except InputError as error:
            self.problems.extend(replace(p, address=p.address or f"{address}.inventory") for p in error.problems)
            return None
        return [{NUMBER: Node(i, Place("")), **row} for i, row in enumerate(found.rows, 1)]

    def sound(self, templates: Mapping[tuple[str, str], Node], rows: Sequence[Row], address: str) -> bool:
        """Whether the placeholders of all templates are known; reports the unknown ones."""
        before = len(self.problems)
        for (section, key), template in templates.items():
            whole = Node({key: template}, template.place)
            for name, place, path in placeholders(whole):
                if name not in rows[0]:
                    at = ".".join((address, section, *path))
                    message = f"'{{{name}}}' is not defined"
                    self.problems.append(Problem(place, at, message, choices(name, rows[0])))
            if len(rows) > 1 and written(key, template.key, _Same())[0] == key:
                message = f"is created {len(rows)} times with the same name"
                remedy = f"put {{{[*rows[0]][:2][-1]}}} into the name"
                if section == "links":
                    remedy += f", or describe one link for all outside the fleet: 'joins: [{address}.hosts, ...]'"
                self.problems.append(Problem(template.key, f"{address}.{section}.{key}", message, remedy))
        return len(self.problems) == before

    def without_gaps(self, templates: Mapping[tuple[str, str], Node], rows: list[Row], address: str) -> list[Row]:
        """The rows in which all cells that templates need are filled; reports the empty ones."""
        whole = Node({f"{section}.{key}": template for (section, key), template in templates.items()}, Place(""))
        used = sorted({name for name, _, _ in placeholders(whole)})
        good: list[Row] = []
        for row in rows:
            empty = [name for name in used if row[name].value == ""]
            self.problems.extend(
                Problem(row[name].place, f"{address}.{name}", "is empty", "write it here") for name in empty
            )
            if not empty:
                good.append(row)
        return good

    def named_apart(self, templates: Mapping[tuple[str, str], Node], rows: list[Row], address: str) -> list[Row]:
        """The rows whose parts have valid and unique names; reports each other row once."""
        good: list[Row] = []
        seen: dict[tuple[str, str], Place] = {}
        reported: set[Place] = set()
        for row in rows:
            named = ((section, written(key, one.key, row)) for (section, key), one in templates.items())
            names = {(section, name): place for section, (name, place) in named}
            wrong = next(filter(None, (self._wrong_name(part, place, seen) for part, place in names.items())), None)
            if wrong is None and len(names) < len(templates):
                twice = "appears twice in a section of the fleet"
                wrong = Problem(next(iter(names.values())), address, twice, "give each template a name of its own")
            if wrong is None:
                seen.update(names)
                good.append(row)
            elif wrong.place not in reported:
                reported.add(wrong.place)
                self.problems.append(wrong)
        return good

    def _wrong_name(self, part: tuple[str, str], place: Place, seen: Mapping[tuple[str, str], Place]) -> Problem | None:
        """What is wrong with the name of one part, if anything."""
        section, name = part
        if not NAME.match(name):
            remedy = "begin with a letter, then letters, digits, '-' and '_'"
            return Problem(place, f"{section}.{name}", f"'{name}' is not a valid name", remedy)
        other = self.parts.get(section, {}).get(name)
        first = seen.get(part) or (other.key if other else None)
        if first is None:
            return None
        return Problem(place, f"{section}.{name}", f"appears twice (first at {first})", "give one of them another name")

    def template(self, address: str, named: tuple[str, str], template: Node, rows: Sequence[Row]) -> None:
        """Make the parts of one template for all rows."""
        section, key = named
        starts = self.starts(address, template, len(rows)) if section == "jobs" else []
        made = self.made[address] = list[str]()
        for i, row in enumerate(rows):
            name, place = written(key, template.key, row)
            part = replace(filled(template, row), key=place)
            if starts:
                begin = template.mapping["begin"]
                part = replace(part, value={**part.mapping, "begin": Node(starts[i], begin.place, begin.key)})
            self.parts.setdefault(section, {})[name] = part
            made.append(f"{section}.{name}")

    def starts(self, address: str, template: Node, count: int) -> list[str]:
        """When each of so many jobs begins, if the template spreads them; else nothing."""
        begin = template.mapping.get("begin")
        if begin is None or not isinstance(begin.value, dict):
            return []
        form = validate(SpreadStarts, begin, f"{address}.begin", self.problems)
        if form is None:
            return ["0 s"] * count
        try:
            first = units.parse_moment(form.first)
        except units.UnitError as error:
            what = str(error).split(";", maxsplit=1)[0]
            self.problems.append(Problem(begin.mapping["first"].place, f"{address}.begin.first", what, _WHEN))
            first = 0.0
        after = (first + i * form.over.si / count for i in range(count))
        return [units.show_moment(time) if ":" in form.first else units.show(time, "s") for time in after]


class _Same(dict[str, Node]):
    """A row in which every placeholder is empty."""

    def __missing__(self, name: str) -> Node:
        return Node("", Place(""))


def _size(node: Node) -> int:
    """The values of a template."""
    if isinstance(node.value, dict):
        return 1 + sum(map(_size, node.value.values()))
    return 1 + sum(map(_size, node.value)) if isinstance(node.value, list) else 1


def _listed(node: Node, path: tuple[str, ...], fleets: set[str], made: Fleets, problems: list[Problem]) -> Node:
    """A tree in which `fleets.servers.hosts` is the list of the hosts of that fleet."""
    if isinstance(node.value, dict):
        inner = {k: _listed(child, (*path, k), fleets, made, problems) for k, child in node.value.items()}
        return node if all(map(is_, inner.values(), node.value.values())) else replace(node, value=inner)
    if isinstance(node.value, list):
        items: list[Node] = []
        for i, item in enumerate(node.value):
            found = _listed(item, (*path, str(i)), fleets, made, problems)
            items += found.value if isinstance(found.value, list) and isinstance(item.value, str) else [found]
        return replace(node, value=items)
    if not isinstance(node.value, str) or not node.value.startswith("fleets.") or len(path) == 1:
        return node
    meant = _REFERENCE.match(node.value)
    if meant is None:
        return node
    fleet, section = meant.groups()
    if fleet not in fleets or section not in PARTS:
        legal = choices(fleet, fleets) if fleet not in fleets else choices(section, PARTS)
        missing = f"fleet '{fleet}'" if fleet not in fleets else f"section '{section}' in a fleet"
        problems.append(Problem(node.place, ".".join(path), f"there is no {missing}", legal))
    prefix = f"fleets.{fleet}.{section}."
    parts = [part for address, each in made.items() if address.startswith(prefix) for part in each]
    return replace(node, value=[Node(part.partition(".")[2], node.place, node.key) for part in parts])


def reported_once(problems: Sequence[Problem], fleets: Fleets, source: Node) -> list[Problem]:
    """The problems; one that occurs in several parts of a template is reported once, at the template's address.

    A problem of some rows stays with their cells; a problem of all rows is one of the template.
    """
    template = {part: address for address, parts in fleets.items() for part in parts}
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in sorted(set(problems)):
        part = ".".join(problem.address.split(".")[:2])
        address = template.get(part, part) + problem.address[len(part) :]
        alike.setdefault((address, _VARYING.sub("", problem.message)), []).append(problem)
    return [problem for (address, _), each in alike.items() for problem in _once(address, each, fleets, source)]


def _once(address: str, alike: Sequence[Problem], fleets: Fleets, source: Node) -> Iterator[Problem]:
    """Of similar problems at a template's address the first of each place, with the number of the others."""
    steps = address.split(".")
    found, path = source.find(tuple(steps))
    rows = len(fleets.get(".".join(steps[:4]), ()))
    if not rows:
        yield from alike
        return
    everywhere = len({problem.place for problem in alike}) > 1 and rows <= len(alike) and len(path) == len(steps)
    by_place: dict[Place, list[Problem]] = {}
    for problem in alike:
        by_place.setdefault(found.place if everywhere else problem.place, []).append(problem)
    for place, (first, *others) in by_place.items():
        more = f" ('{first.address.split('.')[1]}', and {len(others)} more like it)"
        yield replace(first, place=place, address=address, message=first.message + more) if others else first
