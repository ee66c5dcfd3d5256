"""Equal siblings: parts that differ only in their names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from simbackup.drawing.layout import Edge, Fact, Layout, LayoutNode

LARGE = 60
"""Parts beyond which those that differ only in their amounts are drawn as one."""


def merged(layout: Layout) -> Layout:
    """The layout in which equal siblings are one part with a count.

    Equal are parts of the same kind with the same facts that belong in the same way to equal parts. If more than
    `LARGE` parts are left, those are equal too whose amounts alone differ; their facts then show a range.
    """
    found = _merged(layout, alike=False)
    return found if len(found.nodes) <= LARGE else _merged(layout, alike=True)


def _merged(layout: Layout, *, alike: bool) -> Layout:
    classes = _classes(layout, alike=alike)
    members: dict[int, list[LayoutNode]] = {}
    for node in layout.nodes:
        members.setdefault(classes[node.address], []).append(node)
    first = {number: nodes[0].address for number, nodes in members.items()}
    moved = (Edge(first[classes[e.start]], first[classes[e.end]], e.kind) for e in layout.edges)
    edges = tuple(dict.fromkeys(edge for edge in moved if edge.start != edge.end))
    return Layout(layout.title, layout.question, tuple(_one(nodes) for nodes in members.values()), edges)


def _classes(layout: Layout, *, alike: bool) -> dict[str, int]:
    """The number of each part's class: refined until all parts of a class belong to parts of the same classes."""
    classes = _numbered({node.address: _looks(node, alike=alike) for node in layout.nodes})
    while True:
        sides: dict[str, list[tuple[str, str, int]]] = {node.address: [] for node in layout.nodes}
        for edge in layout.edges:
            sides[edge.start].append((edge.kind, "to", classes[edge.end]))
            sides[edge.end].append((edge.kind, "from", classes[edge.start]))
        finer = _numbered(
            {
                address: (classes[address], tuple(sorted(set(side) if alike else side)))
                for address, side in sides.items()
            }
        )
        if len(set(finer.values())) == len(set(classes.values())):
            return classes
        classes = finer


def _looks(node: LayoutNode, *, alike: bool) -> Hashable:
    facts = tuple((fact.text, fact.unit) for fact in node.facts) if alike else node.facts
    return node.kind, node.title, facts, node.count


def _numbered(looks: Mapping[str, Hashable]) -> dict[str, int]:
    """Numbers of equal looks, in the order in which they first come."""
    numbers: dict[Hashable, int] = {}
    return {address: numbers.setdefault(look, len(numbers)) for address, look in looks.items()}


def _one(nodes: list[LayoutNode]) -> LayoutNode:
    """One part in the place of equal ones."""
    node = nodes[0]
    if len(nodes) == 1:
        return node
    name = ", ".join(n.name for n in nodes) if len(nodes) == 2 else f"{node.name} … {nodes[-1].name}"  # noqa: PLR2004
    facts = tuple(_range([n.facts[i] for n in nodes]) for i in range(len(node.facts)))
    return LayoutNode(node.address, node.kind, name, node.title, facts, sum(n.count for n in nodes))


def _range(facts: list[Fact]) -> Fact:
    lows = [fact.low for fact in facts if fact.low is not None]
    highs = [fact.high for fact in facts if fact.high is not None]
    return Fact(facts[0].text, min(lows, default=None), max(highs, default=None), facts[0].unit)
