"""What a datasheet may say."""

from __future__ import annotations

from collections.abc import Sequence

from simbackup.errors import Problem, choices
from simbackup.schema.part import disagreements, quantities_of
from simbackup.schema.quantity import Frozen, Quantity
from simbackup.schema.reflection import holds_parts
from simbackup.schema.registry import sheets
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate

KEYS = ("title", "kind", "description", "sources", "parameters")


def check_datasheet(
    tree: Node, sources: dict[str, Node], rows: frozenset[str] | None = None
) -> tuple[Frozen | None, list[Problem]]:
    """The parameters of a datasheet, or None, and everything that is wrong with it.

    `sources` are the works that may be cited beside its own; `rows` the ids of measured rows that may have been fitted
    to.
    """
    problems: list[Problem] = []
    sources = {**sources, **own_sources(tree, problems)}
    problems += [
        Problem(node.key, name, "is not known here", choices(name, KEYS))
        for name, node in tree.mapping.items()
        if name not in KEYS
    ]
    problems += [
        Problem(tree.place, name, "is missing", "a datasheet has a title, a kind and parameters")
        for name in ("title", "kind", "parameters")
        if name not in tree.mapping
    ]
    kind = tree.mapping.get("kind")
    if kind is None or "parameters" not in tree.mapping:
        return None, problems
    problems += [
        Problem(tree.mapping[name].place, name, "is not text", "write it in words")
        for name in ("title", "description")
        if name in tree.mapping and not isinstance(tree.mapping[name].value, str)
    ]
    if kind.word not in sheets():
        message = f"there are no datasheets of the kind '{kind.word}'"
        return None, [*problems, Problem(kind.place, "kind", message, choices(kind.word, sheets()))]
    parameters = tree.mapping["parameters"]
    part = validate(sheets()[kind.word], parameters, "parameters", problems)
    if part is not None:
        problems.extend(
            Problem(parameters.find(found.paths[0])[0].place, ".".join(("parameters", *found.paths[0])), *found[1:])
            for found in disagreements(part)
        )
    given = dict(quantities_of(part)) if part is not None else {}
    inside = {name for name in sheets()[kind.word].model_fields if holds_parts(sheets()[kind.word], name)}
    paths = [(name,) for name in parameters.mapping if name not in inside]
    for path in [*paths, *(path for path in given if path[0] in inside)]:
        problems.extend(_origin(path, parameters.find(path)[0], given.get(path), sources, rows))
    return part, problems


def own_sources(tree: Node, problems: list[Problem] | None = None) -> dict[str, Node]:
    """The works that only this datasheet cites, by key: those under its `sources`; what is wrong goes to `problems`."""
    listed = tree.mapping.get("sources")
    if listed is None:
        return {}
    for name, node in listed.mapping.items():
        if problems is not None and "title" not in node.mapping:
            problems.append(Problem(node.key, f"sources.{name}", "has no title", "write {title: ...} with what it is"))
    if problems is not None and not listed.mapping:
        problems.append(Problem(listed.place, "sources", "is not a mapping", "write 'key: {title: ...}' below it"))
    return listed.mapping


def _origin(
    path: Sequence[str], node: Node, given: Quantity | None, sources: dict[str, Node], rows: frozenset[str] | None
) -> list[Problem]:
    """What is wrong with the origin of one value of a datasheet."""
    address = ".".join(("parameters", *path))
    if not node.is_quantity or "basis" not in node.mapping:
        remedy = "write {value: ..., basis: datasheet, source: ..., at: ...} or another basis"
        return [Problem(node.place, address, "does not say where it comes from", remedy)]
    problems: list[Problem] = []
    source = node.mapping.get("source")
    if source is not None and source.word not in sources:
        message = f"there is no source '{source.word}'"
        problems.append(Problem(source.place, f"{address}.source", message, choices(source.word, sources)))
    basis = node.mapping["basis"]
    if basis.word in {"user", "document"}:
        remedy = "write datasheet, measured, derived, fitted or assumed"
        problems.append(Problem(basis.place, f"{address}.basis", f"'{basis.value}' is for scenarios", remedy))
    if rows is not None and given is not None:
        problems += [
            Problem(node.place, address, f"there is no measured row '{row}'", choices(row, rows))
            for row in (*given.fitted_to, *given.seen)
            if row not in rows
        ]
    return problems
