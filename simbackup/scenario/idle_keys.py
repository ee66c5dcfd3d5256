"""Keys in a file that have no effect: which they are, and where they would act.

Left out are keys that a word in the same file switches on and off (`compress`, `layout`), and keys that only describe
data: as files of a file system, or a database of so much `content`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from simbackup.errors import Problem
from simbackup.scenario.spec import Spec
from simbackup.schema.fleet import PARTS
from simbackup.schema.part import Part
from simbackup.schema.quantity import Frozen
from simbackup.schema.tree import Node


def idle_keys(spec: Spec, tree: Node) -> list[Problem]:
    """A warning for each key without effect that the scenario's own file states, or that replaces a value of it.

    Values in datasheets and extended files may serve other scenarios, and a file without jobs is for others to extend.
    """
    found: list[Problem] = []
    used = set(used_keys(spec))
    for path, where in conditional_keys(spec) if spec.jobs else ():
        node, seen = tree.find(path)
        own = node.key.file == tree.place.file or not node.key.line
        address = ".".join(path)
        if address not in used and own and len(seen) == len(path) and node.value is not None:
            found.append(Problem(node.place, address, "has no effect here", f"it is only used {where}", "warning"))
    return found


def _parts(spec: Spec) -> Iterator[tuple[str, str, Part]]:
    for section in PARTS:
        for name, part in cast("Mapping[str, Part]", getattr(spec, section)).items():
            yield section, name, part


def used_keys(spec: Spec) -> Iterator[str]:
    """The addresses of all keys that some part uses."""
    for _, name, part in _parts(spec):
        yield from part.uses(spec, name)


def conditional_keys(spec: Spec) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths of all keys that act in some places only, with these places."""
    for section, name, part in _parts(spec):
        yield from _inside(part, (section, name))


def _inside(part: Frozen, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    yield from (((*path, key), where) for key, where in part.conditional.items())
    for key in type(part).model_fields:
        inner = getattr(part, key)
        if isinstance(inner, Frozen):
            yield from _inside(inner, (*path, key))
