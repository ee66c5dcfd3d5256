"""What a file may say about many similar parts, and how a template is filled in from a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from simbackup.errors import Place
from simbackup.schema.quantity import Frozen, Pieces, PositiveDuration, Text
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import plain_scalar

PARTS = ("hosts", "devices", "links", "data", "workloads", "jobs", "failures")
"""The sections whose parts a fleet may repeat."""
NUMBER = "number"
"""The placeholder that counts the rows from 1."""
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")

Template = dict[Text, dict[str, Any]]


class Fleet(Frozen):
    """Parts that are repeated for each row of an inventory, or `count` times.

    `{column}` in names and values stands for the cell of the row, `{number}` for the number of the row.
    """

    inventory: Text | None = None
    """A CSV or Excel file with one row for each repetition; its path is relative to this file."""
    count: Pieces | None = None
    """Number of repetitions, if there is no inventory."""
    hosts: Template | None = None
    """Hosts of each row, by name."""
    devices: Template | None = None
    """Devices of each row, by name."""
    links: Template | None = None
    """Links of each row, by name."""
    data: Template | None = None
    """Data sets of each row, by name."""
    workloads: Template | None = None
    """Users of each row, by name."""
    jobs: Template | None = None
    """Jobs of each row, by name."""
    failures: Template | None = None
    """Failures of each row, by name."""


class SpreadStarts(Frozen):
    """Start times spread evenly, in the order of the rows."""

    first: Text
    """When the first job begins: a time of day, such as `22:00`, or a time after the start, such as `90 s`."""
    over: PositiveDuration
    """The time over which they are spread: with four jobs over 8 h, one begins every 2 h."""


def placeholders(node: Node, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Place, tuple[str, ...]]]:
    """Every placeholder in the keys and values of a template, with its place and the path to it."""
    if isinstance(node.value, dict):
        for name, child in node.value.items():
            yield from ((found, child.key, (*path, name)) for found in PLACEHOLDER.findall(name))
            yield from placeholders(child, (*path, name))
    elif isinstance(node.value, list):
        for i, item in enumerate(node.value):
            yield from placeholders(item, (*path, str(i)))
    elif isinstance(node.value, str):
        yield from ((found, node.place, path) for found in PLACEHOLDER.findall(node.value))


def filled(node: Node, row: Mapping[str, Node]) -> Node:
    """A template with the cells of a row instead of placeholders; what comes from a cell has the cell's place.

    What has no placeholder is the very node of the template.
    """
    if isinstance(node.value, dict):
        inner: dict[str, Node] = {}
        same = True
        for name, child in node.value.items():
            other, text = filled(child, row), name
            if "{" in name:
                text, key = written(name, child.key, row)
                other = replace(other, key=key)
            inner[text] = other
            same = same and other is child
        return node if same else Node(inner, node.place, node.key)
    if isinstance(node.value, list):
        items = [filled(item, row) for item in node.value]
        return node if all(map(is_, items, node.value)) else Node(items, node.place, node.key)
    if not isinstance(node.value, str) or "{" not in node.value:
        return node
    text, place = written(node.value, node.place, row)
    return Node(plain_scalar(text) if PLACEHOLDER.fullmatch(node.value) else text, place, node.key)


def written(text: str, place: Place, row: Mapping[str, Node]) -> tuple[str, Place]:
    """A text with the cells of a row instead of placeholders, and the place of the first such cell."""
    cells = [row[name] for name in PLACEHOLDER.findall(text)]
    places = [cell.place for cell in cells if cell.place.file]
    return PLACEHOLDER.sub(lambda found: str(row[found[1]].value), text), next(iter(places), place)
