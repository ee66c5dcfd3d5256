"""The boxes of a layout's parts, with their texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simbackup.drawing.boxes import FACT, NAME, TITLE, Badge, Box, Style
from simbackup.drawing.layout import Fact, Layout, LayoutNode

OF_JOBS = ("restores", "indexes", "copies")
READ, NOT_TOUCHED = ("reads", "observes"), ("follows", *OF_JOBS, "replays", "uses", "crosses")
APART = ("job", "workload")
"""Kinds of parts that are drawn below the system."""
NO_BREAK = "\u00a0"
DOT = f"{NO_BREAK}· "


def job_numbers(layout: Layout) -> dict[str, int]:
    """The number of each job by its address, from 1 on."""
    jobs = (node.address for node in layout.nodes if node.kind == "job")
    return {address: number for number, address in enumerate(jobs, start=1)}


def box_of(layout: Layout, node: LayoutNode, links: Mapping[str, Sequence[str]]) -> Box:
    """The box of a part with everything in it; `links` are those that join only parts inside it."""
    within = [layout.node[address] for address in links.get(node.address, ())]
    inner = [part for part in layout.inner(node.address) if part.kind != "link"]
    children = [link_box(layout, link) for link in within]
    children += [box_of(layout, part, links) for part in inner]
    texts = [(node.name, NAME), *_paragraph([node.title], TITLE), *_paragraph(_not_in_title(node), FACT)]
    texts += _paragraph(_relations(layout, node), TITLE)
    return Box(node.address, node.kind, texts, children, _badges(layout, node), _count(layout, node))


def link_box(layout: Layout, node: LayoutNode) -> Box:
    """The box of a network or bus."""
    joined = [layout.node[end].name for end in layout.ends(node.address, "joins") if end in layout.node]
    texts = [(node.name, NAME), *_paragraph([node.title, *_not_in_title(node)], FACT)]
    texts += _paragraph([f"joins {', '.join(joined)}"] if joined else [], TITLE)
    return Box(node.address, "link", texts, [], _badges(layout, node), node.count, strip=True)


def workload_box(layout: Layout, node: LayoutNode) -> Box:
    """The box of users."""
    data = ", ".join(layout.node[end].name for end in layout.ends(node.address, "works on"))
    texts = [(node.name, NAME), *_paragraph([f"active on {data}"], TITLE)]
    texts += [*_paragraph([node.title], FACT), *_paragraph(_not_in_title(node), FACT)]
    return Box(node.address, "workload", texts, [], _badges(layout, node), node.count)


def job_box(layout: Layout, node: LayoutNode) -> Box:
    """The box of a job: its method, from where to where it goes, and when it runs."""
    lines = [(text, TITLE) for text in what(layout, node)]
    texts = [(node.name, NAME), *lines]
    texts += [*_paragraph(node.facts, FACT), *_paragraph(_order(layout, node), FACT)]
    return Box(node.address, "job", texts, [], [], node.count)


def _named(layout: Layout, node: LayoutNode, *kinds: str) -> str:
    return ", ".join(layout.node[end].name for end in layout.ends(node.address, *kinds))


def method(layout: Layout, node: LayoutNode) -> str:
    """The method of a job, and of the job that it refers to."""
    of = _named(layout, node, *OF_JOBS)
    return f"{node.title} of {of}" if of else node.title


def way(layout: Layout, node: LayoutNode) -> str:
    """From where to where a job goes; empty if it moves no data."""
    reads, writes = _named(layout, node, "reads"), _named(layout, node, "writes")
    if not reads and not writes:
        return ""
    ends = f"{reads} → {writes}" if reads and writes else reads or f"→ {writes}"
    through, on = _named(layout, node, "changes"), _named(layout, node, "acts on", "observes")
    return ends + (f", through {through}" if through else "") + (f", on {on}" if on else "")


def what(layout: Layout, node: LayoutNode) -> list[str]:
    """What a job does, in one or two short lines."""
    moves = way(layout, node)
    if moves:
        return [method(layout, node), moves]
    return [f"{method(layout, node)} {_named(layout, node, 'changes', 'acts on', 'observes')}".strip()]


def _order(layout: Layout, node: LayoutNode) -> list[str]:
    words = (("over", "crosses"), ("copied by", "uses"), ("replays", "replays"), ("after", "follows"))
    named = ((word, _named(layout, node, kind)) for word, kind in words)
    return [f"{word} {names}" for word, names in named if names]


def _relations(layout: Layout, node: LayoutNode) -> list[str]:
    """How a part belongs to parts that are not around it."""
    around = layout.around(node.address)
    owners = [edge.start for edge in layout.edges if (edge.end, edge.kind) == (node.address, "owns")]
    apart = [layout.node[owner].name for owner in owners if owner not in around]
    frozen = _named(layout, node, "freezes")
    return [f"belongs to {name}" for name in apart] + ([f"freezes {frozen}"] if frozen else [])


def _badges(layout: Layout, node: LayoutNode) -> list[Badge]:
    """The jobs that read, and those that write or change a part."""
    numbers = job_numbers(layout)
    touching = [
        (numbers[e.start], e.kind) for e in layout.edges
        if e.end == node.address and e.start in numbers and e.kind not in NOT_TOUCHED
    ]  # fmt: skip
    full = {(number, kind not in READ) for number, kind in touching}
    return [Badge(str(number), writes) for number, writes in sorted(full)]


def _count(layout: Layout, node: LayoutNode) -> int:
    """How many there are of a part in each of its outer parts, where these are equal numbers."""
    outer = layout.outer.get(node.address)
    around = layout.node[outer].count if outer is not None else 1
    return node.count // around if node.count % around == 0 else node.count


def _paragraph(parts: Sequence[str | Fact], style: Style) -> list[tuple[str, Style]]:
    texts = [_unbroken(part) for part in parts if str(part)]
    return [(DOT.join(texts), style)] if texts else []


def _unbroken(part: str | Fact) -> str:
    """The text of a part of a paragraph; no line breaks between a number and its unit."""
    if isinstance(part, str):
        return part
    return f"{part.amount.replace(' ', NO_BREAK)} {part.text}".strip()


def _not_in_title(node: LayoutNode) -> list[Fact]:
    """The facts of a part that its title does not state already."""
    return [fact for fact in node.facts if not re.search(rf"(?<!\w){re.escape(str(fact))}(?!\w)", node.title)]
