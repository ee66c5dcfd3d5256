"""The parts of a system and how they belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from simbackup.schema.part import Fact

CONTAINS = {"within": True, "on": True, "owns": False}
"""Kinds of edges that place one part inside another, nearest first; whether they lead from the inner to the outer."""


@dataclass(frozen=True, slots=True)
class LayoutNode:
    """One part: its address, its kind, its name, its make and model, facts, and how many of it there are."""

    address: str
    kind: str
    name: str
    title: str = ""
    facts: tuple[Fact, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True)
class Edge:
    """How one part belongs to another: `start` does or is `kind` to `end`, both addresses."""

    start: str
    end: str
    kind: str


@dataclass(frozen=True)
class Layout:
    """All parts of a system, and how they belong together."""

    title: str
    question: str
    nodes: tuple[LayoutNode, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def node(self) -> Mapping[str, LayoutNode]:
        """The parts by address."""
        return {node.address: node for node in self.nodes}

    @cached_property
    def outer(self) -> Mapping[str, str]:
        """The address of the part around each part, for those inside another one; never in a circle."""
        found: dict[str, str] = {}
        for kind, inwards in CONTAINS.items():
            for edge in self.edges:
                inner, outer = (edge.start, edge.end) if inwards else (edge.end, edge.start)
                if edge.kind == kind and inner not in found and inner not in _above(outer, found):
                    found[inner] = outer
        return found

    def around(self, address: str) -> tuple[str, ...]:
        """The addresses of the part itself and of all parts around it, from the inside out."""
        return _above(address, self.outer)

    def inner(self, address: str | None) -> list[LayoutNode]:
        """The parts directly inside a part, or in none."""
        return [node for node in self.nodes if self.outer.get(node.address) == address]

    def ends(self, start: str, *kinds: str) -> list[str]:
        """The addresses to which edges of some kinds lead from a part."""
        return list(dict.fromkeys(edge.end for edge in self._starting.get(start, ()) if edge.kind in kinds))

    @cached_property
    def _starting(self) -> Mapping[str, list[Edge]]:
        """The edges by where they begin: there are as many as parts."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.start, []).append(edge)
        return found

    def as_dict(self) -> dict[str, Any]:
        """The layout as plain data."""
        return {
            "title": self.title, "question": self.question,
            "nodes": [
                {
                    "address": n.address, "kind": n.kind, "name": n.name, "title": n.title, "count": n.count,
                    "facts": [[f.text, f.low, f.high, f.unit] for f in n.facts],
                }
                for n in self.nodes
            ],
            "edges": [[edge.start, edge.end, edge.kind] for edge in self.edges],
        }  # fmt: skip

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The layout whose `as_dict` gave these data."""
        nodes = (
            LayoutNode(
                node["address"], node["kind"], node["name"], node["title"],
                tuple(Fact(*fact) for fact in node["facts"]), node["count"],
            )
            for node in data["nodes"]
        )  # fmt: skip
        return cls(data["title"], data["question"], tuple(nodes), tuple(Edge(*edge) for edge in data["edges"]))


def _above(address: str, outer: Mapping[str, str]) -> tuple[str, ...]:
    found = [address]
    while found[-1] in outer:
        found.append(outer[found[-1]])
    return tuple(found)
