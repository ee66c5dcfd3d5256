"""The parts of a system and how they belong together; the layout of a scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, cast

from simbackup import shelf
from simbackup.errors import SimbackupError
from simbackup.scenario import Scenario
from simbackup.scenario.spec import Spec
from simbackup.schema import registry
from simbackup.schema.job import JobSpec, Restoring
from simbackup.schema.part import ONTO_DATA, Fact, Part, Refers
from simbackup.schema.quantity import Frozen
from simbackup.schema.reflection import mark_of

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


JOINS = Refers("joins", "hosts", "devices", "links")


def layout_of(scenario: Scenario) -> Layout:
    """The parts of a scenario's system, its data, its users and its jobs, and how they belong together.

    >>> from simbackup.scenario import load
    >>> layout = layout_of(load("teaching/snapshot-slows-writes"))
    >>> [str(fact) for fact in layout.node["devices.cow"].facts]
    ['3 GiB copy area', '8 KiB chunks']
    """
    spec = scenario.spec
    edges = [*_belonging(spec), *_placed(spec), *_done(spec)]
    return Layout(scenario.title, spec.question, tuple(_nodes(spec)), tuple(dict.fromkeys(edges)))


def _nodes(spec: Spec) -> Iterator[LayoutNode]:
    for name, host in spec.hosts.items():
        yield _node(f"hosts.{name}", "host", name, host)
    for name, device in spec.devices.items():
        kind = device.drawn_as or registry.kind_of(device).name
        yield _node(f"devices.{name}", kind, name, device)
        for piece, (title, part, count) in device.inner().items():
            yield replace(_node(f"devices.{name}.{piece}", piece, title, part), count=count)
    sections: tuple[tuple[str, str, Mapping[str, Part]], ...] = (
        ("links", "link", spec.links), ("data", "data", spec.data), ("workloads", "workload", spec.workloads)
    )  # fmt: skip
    for section, kind, parts in sections:
        for name, part in parts.items():
            yield _node(f"{section}.{name}", kind, name, part)
    for name, job in spec.jobs.items():
        method = str(getattr(job, "method", registry.kind_of(job).names[0]))
        yield LayoutNode(f"jobs.{name}", "job", name, method.replace("_", " "), tuple(_facts(job)))


def _node(address: str, kind: str, name: str, part: Part) -> LayoutNode:
    return LayoutNode(address, kind, name, title_of(part), tuple(_facts(part)))


def _facts(part: Part) -> Iterator[Fact]:
    """The facts of a part, with the titles of datasheets in them."""
    for fact in part.facts():
        if isinstance(fact, Fact):
            yield fact
        elif title := title_of(fact.part):
            yield Fact(f"{fact.before}{title}")


def title_of(part: Frozen) -> str:
    """The make and model of a part, empty if it has no datasheet."""
    named = getattr(part, "model", None)
    if named is None:
        return ""
    try:
        return shelf.load_datasheet(named).title
    except SimbackupError:  # a saved scenario may outlive its datasheets
        return str(named)


def _belonging(spec: Spec) -> Iterator[Edge]:
    """Who owns what, and what links join."""
    for name, host in spec.hosts.items():
        if host.within is not None:
            yield Edge(f"hosts.{name}", f"hosts.{host.within}", "within")
        for device in host.owns:
            yield Edge(f"hosts.{name}", f"devices.{device}", "owns")
    for name, link in spec.links.items():
        for end in link.joins:
            yield from _edge(spec, f"links.{name}", end, JOINS)


def _placed(spec: Spec) -> Iterator[Edge]:
    """What is where, what freezes what, and who works on which data."""
    for name, device in spec.devices.items():
        for other, word in device.ties():
            yield Edge(f"devices.{name}", f"devices.{other}", word)
        for piece in device.inner():
            yield Edge(f"devices.{name}.{piece}", f"devices.{name}", "within")
    for name, data in spec.data.items():
        yield Edge(f"data.{name}", f"devices.{data.on}", "on")
    for name, workload in spec.workloads.items():
        yield from _referred(spec, f"workloads.{name}", workload)


def _done(spec: Spec) -> Iterator[Edge]:
    """What each job does, to what."""
    for name, job in spec.jobs.items():
        yield from _referred(spec, f"jobs.{name}", job)
        if isinstance(job, Restoring):
            yield from _restored(spec, name, job)


def _referred(spec: Spec, address: str, part: Part) -> Iterator[Edge]:
    """What a part does to those that its keys name; keys that all parts of a section have come last."""
    fields = [*type(part).model_fields]
    shared = [*JobSpec.model_fields]
    for field in sorted(fields, key=lambda field: field in shared):
        refers = mark_of(type(part), field, Refers)
        if refers is not None:
            for text in _names(getattr(part, field)):
                yield from _edge(spec, address, text, refers)


def _restored(spec: Spec, name: str, job: Restoring) -> Iterator[Edge]:
    """Source and target of a restore, which its backup determines."""
    backup: JobSpec | None = spec.jobs.get(job.restore)
    for text in _names(getattr(spec.jobs.get(job.copied_by or job.restore), "to", None)):
        yield from _edge(spec, f"jobs.{name}", text, Refers("reads", "devices"))
    if job.to is None:
        for text in _names(getattr(backup, "data", None)):
            yield from _edge(spec, f"jobs.{name}", text, ONTO_DATA)


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    named = cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()
    return tuple(text for text in named if isinstance(text, str))


def _edge(spec: Spec, start: str, end: str, refers: Refers) -> Iterator[Edge]:
    """The edge to the part of a name in the first section that has it."""
    end = end.partition(".")[0]  # a port is drawn with its link
    section = next((section for section in refers.sections if end in getattr(spec, section)), None)
    if section is not None:
        yield Edge(start, f"{section}.{end}", refers.does)
