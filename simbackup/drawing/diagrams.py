"""Layouts as text for Mermaid and Graphviz."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from simbackup.drawing.arrangement import merged
from simbackup.drawing.boxes import TIMES
from simbackup.drawing.layout import CONTAINS, Layout, LayoutNode
from simbackup.drawing.part_boxes import job_numbers, method
from simbackup.schema.registry import Look, Shape, looks
from simbackup.text import for_dot, for_mermaid

OTHER = Look("M2 4l6-2.5L14 4v8l-6 2.5L2 12zM2 4l6 2.5L14 4M8 6.5v8", "#f1f5f9", "#64748b")
"""The look of a kind that has none of its own."""


def look(kind: str) -> Look:
    """The look of a kind of part."""
    return looks().get(kind, OTHER)


SHAPES: Mapping[Shape, tuple[str, str]] = {
    "box": ('["', '"]'), "cylinder": ('[("', '")]'), "slanted": ('[/"', '"/]'), "hexagon": ('{{"', '"}}'),
    "rounded": ('(["', '"])'),
}  # fmt: skip
"""How Mermaid draws parts that hold no others, by the shape of their look."""
INWARDS = frozenset({"reads", "restores", "observes", "copies", "uses"})
"""Edges whose arrow leads towards the one that acts."""
Wires = list[tuple[str, str, str]]


def mermaid(layout: Layout) -> str:
    """A Mermaid flowchart of a layout; equal parts are drawn once with their number."""
    layout = merged(layout)
    names = _short_names(layout)
    lines = ["flowchart TB", f"  accTitle: {for_mermaid(layout.title).replace(':', '#58;')}"]
    lines += _nested(layout, None, 1, lambda node, depth: _mermaid_part(layout, node, names, depth), "end")
    for start, end, kind in _wires(layout):
        link = "---" if kind == "joins" else f"-. {kind} .->" if kind in {"follows", "freezes"} else f"-->|{kind}|"
        lines.append(f"  {names[start]} {link} {names[end]}")
    for kind in dict.fromkeys(node.kind for node in layout.nodes):
        lines.append(f"  classDef {_word(kind)} fill:{look(kind).fill},stroke:{look(kind).border},color:#1e293b")
        lines.append(f"  class {','.join(names[n.address] for n in layout.nodes if n.kind == kind)} {_word(kind)}")
    return "\n".join(lines) + "\n"


def dot(layout: Layout) -> str:
    """A layout in Graphviz's language; equal parts are drawn once with their number."""
    layout = merged(layout)
    names = _short_names(layout)
    lines = [
        "digraph system {", f"  label={for_dot(layout.title)}; labelloc=t; fontsize=18; rankdir=TB;",
        '  graph [fontname="Helvetica"]; node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled"];',
        '  edge [fontname="Helvetica", fontsize=10, color="#64748b"];',
    ]  # fmt: skip
    lines += _nested(layout, None, 1, lambda node, depth: _dot_part(layout, node, names, depth), "}")
    for start, end, kind in _wires(layout):
        look_of = "dir=none" if kind == "joins" else f"label={for_dot(kind)}"
        style = ", style=dashed" if kind in {"follows", "freezes"} else ""
        lines.append(f"  {names[start]} -> {names[end]} [{look_of}{style}];")
    return "\n".join([*lines, "}"]) + "\n"


def _short_names(layout: Layout) -> dict[str, str]:
    return {node.address: f"n{number}" for number, node in enumerate(layout.nodes)}


def _nested(
    layout: Layout, outer: str | None, depth: int, part: Callable[[LayoutNode, int], list[str]], end: str
) -> Iterator[str]:
    """The lines of all parts; inner parts are between the first and last line of the outer one."""
    for node in layout.inner(outer):
        yield from part(node, depth)
        if layout.inner(node.address):
            yield from _nested(layout, node.address, depth + 1, part, end)
            yield f"{'  ' * depth}{end}"


def _mermaid_part(layout: Layout, node: LayoutNode, names: dict[str, str], depth: int) -> list[str]:
    label, indent = "<br/>".join(for_mermaid(text) for text in _label(layout, node)), "  " * depth
    if layout.inner(node.address):
        return [f'{indent}subgraph {names[node.address]}["{label}"]']
    begin, end = SHAPES[look(node.kind).shape]
    return [f"{indent}{names[node.address]}{begin}{label}{end}"]


def _dot_part(layout: Layout, node: LayoutNode, names: dict[str, str], depth: int) -> list[str]:
    indent, name, seen = "  " * depth, names[node.address], look(node.kind)
    label = for_dot("\n".join(_label(layout, node)))
    colours = f'fillcolor="{seen.fill}", color="{seen.border}"'
    if not layout.inner(node.address):
        return [f"{indent}{name} [label={label}, {colours}];"]
    return [
        f'{indent}subgraph cluster_{name} {{ style="rounded,filled"; fillcolor="{seen.fill}"; color="{seen.border}";',
        f"{indent}  {name} [label={label}, {colours}, penwidth=0];",
    ]


def _label(layout: Layout, node: LayoutNode) -> list[str]:
    """The lines of a part's label."""
    number = job_numbers(layout).get(node.address)
    name = f"{number}. {node.name}" if number else node.name
    name = f"{name} {TIMES} {node.count:,}" if node.count > 1 else name
    title = method(layout, node) if number else node.title
    return [name, *([title] if title else []), *([", ".join(map(str, node.facts))] if node.facts else [])]


def _wires(layout: Layout) -> Wires:
    """The edges that are drawn as lines: none between a part and its outer part, which no program can draw."""
    found: Wires = []
    for edge in layout.edges:
        near = edge.end in layout.around(edge.start) or edge.start in layout.around(edge.end)
        if edge.kind in CONTAINS and (layout.outer.get(edge.start) == edge.end or near):
            continue
        if not near and edge.start in layout.node and edge.end in layout.node:
            ends = (edge.end, edge.start) if edge.kind in INWARDS or edge.kind == "follows" else (edge.start, edge.end)
            found.append((*ends, edge.kind))
    return found


def _word(kind: str) -> str:
    return f"kind_{re.sub(r'[^a-z]', '_', kind)}"
