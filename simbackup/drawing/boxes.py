"""Boxes within boxes: the size and place of each, and those of the parts of a layout."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from simbackup.drawing.layout import Fact, Layout, LayoutNode

NARROW, SLIM, CAPITAL, BROAD = 0.36, 0.47, 0.78, 1.0
PLAIN = 0.64
"""Widths of letters in ems, those of a broad sans-serif face, so that text also fits in a narrower one."""
_WIDTHS = (
    dict.fromkeys("iljI|.,:;'!·", NARROW) | dict.fromkeys('frt()[]{}/\\-" `', SLIM)
    | dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&w", CAPITAL) | dict.fromkeys("mMW@%…→—", BROAD)
)  # fmt: skip
LATIN = 0x250
BOLD = 1.09
"""How much wider bold letters are."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a line of text, in the unit of its size; rather too much than too little.

    >>> width("tape", 10) < width("TAPE", 10) < width("tape library", 10)
    True
    """
    ems = sum(_WIDTHS.get(letter, PLAIN if ord(letter) < LATIN else BROAD) for letter in text)
    return ems * size * (BOLD if bold else 1.0)


def wrapped(text: str, size: float, room: float, *, bold: bool = False) -> list[str]:
    """The lines of a text, none wider than the room unless one letter is; words longer than a line are broken.

    >>> wrapped("a library of two drives", 10, 90)
    ['a library of two', 'drives']
    """
    lines: list[str] = []
    for word in filter(None, re.split("[ \t\r\n]+", text)):  # a no-break space does not break
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, size, bold=bold) <= room:
            lines[-1] = longer
            continue
        rest = word
        while width(rest, size, bold=bold) > room and len(rest) > 1:
            fits = next(i for i in range(len(rest) - 1, 0, -1) if i == 1 or width(rest[:i], size, bold=bold) <= room)
            lines.append(rest[:fits])
            rest = rest[fits:]
        lines.append(rest)
    return lines


PAD, GAP, LEADING = 12.0, 12.0, 1.36
ICON = 24.0
"""Width of the icon before a name."""
TIMES = "\u00d7"
TEXT_ROOM = 230.0
"""Widest text in a box that holds nothing but text."""
STRIP_ROOM = 420.0
"""Width that the text of a strip may take at least, if there is that much space."""
NEARLY = 0.55
"""Share of a width that a row of boxes must take to be stretched to the whole width."""
BADGE, BADGE_GAP = 17.0, 4.0


class Style(NamedTuple):
    """The size and look of a line of text."""

    size: float
    bold: bool = False
    faint: bool = False


NAME, TITLE, FACT = Style(13.0, bold=True), Style(11.5), Style(11.5, faint=True)


class Line(NamedTuple):
    """One line of text in a box, and its baseline from the box's corner."""

    text: str
    style: Style
    x: float
    y: float


class Badge(NamedTuple):
    """The number of a job in the box of what it reads (hollow) or writes (full)."""

    text: str
    full: bool


@dataclass(slots=True)
class Box:
    """A box that shows a part, with the boxes in it. `fit` sets its size; lengths are in pixels."""

    address: str
    """The address of the part."""
    kind: str
    """The kind of the part, which selects its colour and icon."""
    texts: list[tuple[str, Style]]
    """Its paragraphs."""
    children: list[Box] = field(default_factory=list["Box"])
    """The boxes in it."""
    badges: list[Badge] = field(default_factory=list[Badge])
    """Numbers of jobs that read or write the part."""
    count: int = 1
    """Number of equal parts that it stands for."""
    text_room: float = TEXT_ROOM
    """Greatest width of its text."""
    strip: bool = False
    """Whether it spans the box around it, as a bus does."""
    lines: list[Line] = field(default_factory=list[Line])
    """Its lines of text, placed."""
    badge_y: float = 0.0
    """Upper edge of its badges, from its own corner."""
    x: float = 0.0
    """Left edge, from the corner of the box around it."""
    y: float = 0.0
    """Upper edge, from the corner of the box around it."""
    width: float = 0.0
    """Width."""
    height: float = 0.0
    """Height."""

    @property
    def mark(self) -> str:
        """The number of equal parts, if there are several; otherwise empty."""
        return f"{TIMES} {self.count:,}" if self.count > 1 else ""

    def fit(self, room: float) -> None:
        """Fit the box and everything in it into a width, with places relative to their own corners."""
        inner = room - 2 * PAD
        strips = [child for child in self.children if child.strip]
        boxes = [child for child in self.children if not child.strip]
        widest = flow(boxes, inner, PAD, 0.0)[0] if boxes else 0.0
        for strip in strips:
            strip.text_room = max(widest, min(STRIP_ROOM, inner)) - 2 * PAD
            strip.fit(inner)
            widest = max(widest, strip.width)
        widest, y = self._write(inner, max(widest, min(self.text_room, inner)), widest)
        for strip in strips:
            strip.x, strip.y = PAD, y + GAP
            y = strip.y + strip.height
        if boxes:
            _, y = flow(boxes, inner, PAD, y + GAP)
        self.width, self.height = widest + 2 * PAD, y + PAD
        self._fill(strips, boxes)

    def _write(self, inner: float, text_room: float, widest: float) -> tuple[float, float]:
        """Place texts and badges within a width; return the width used, and where the last line ends."""
        self.lines.clear()
        mark = width(self.mark, NAME.size, bold=True) + GAP if self.mark else 0.0
        y = PAD
        for text, style in self.texts:
            first = y == PAD
            indent, beside = (ICON, mark) if first else (0.0, 0.0)
            space = min(text_room, inner - beside) - indent
            for part in wrapped(text, style.size, space, bold=style.bold):
                y += style.size * LEADING
                self.lines.append(Line(part, style, PAD + indent, y - style.size * (LEADING - 1)))
                widest = max(widest, indent + beside + width(part, style.size, bold=style.bold))
        if self.badges:
            across = max(1, int((min(inner, TEXT_ROOM) + BADGE_GAP) // (BADGE + BADGE_GAP)))
            self.badge_y = y + 6
            y = self.badge_y + -(-len(self.badges) // across) * (BADGE + BADGE_GAP) - BADGE_GAP
            widest = max(widest, min(across, len(self.badges)) * (BADGE + BADGE_GAP) - BADGE_GAP)
        return widest, y

    def _fill(self, strips: Sequence[Box], boxes: Sequence[Box]) -> None:
        """Stretch strips to the width, and rows of boxes that nearly fill it."""
        inner = self.width - 2 * PAD
        for strip in strips:
            strip.width = inner
        for row in (list(group) for _, group in groupby(boxes, lambda box: box.y)):
            taken = sum(box.width for box in row) + GAP * (len(row) - 1)
            if NEARLY * inner <= taken < inner:
                for i, box in enumerate(row):
                    box.width += (inner - taken) / len(row)
                    box.x += i * (inner - taken) / len(row)
                    inner_boxes = [child for child in box.children if not child.strip]
                    box._fill([child for child in box.children if child.strip], inner_boxes)  # noqa: SLF001

    def badge_places(self) -> list[tuple[Badge, float, float]]:
        """Each badge with the middle of its place, from the box's corner."""
        across = max(1, int((self.width - 2 * PAD + BADGE_GAP + 0.01) // (BADGE + BADGE_GAP)))
        step = BADGE + BADGE_GAP
        return [
            (badge, PAD + BADGE / 2 + (i % across) * step, self.badge_y + BADGE / 2 + (i // across) * step)
            for i, badge in enumerate(self.badges)
        ]


def flow(boxes: Sequence[Box], room: float, x: float, y: float, *, columns: bool = False) -> tuple[float, float]:
    """Place boxes in rows within a width, from a corner on; return the width used, and their lower end.

    Boxes of a row are as tall as the tallest of them; in columns all are as wide as the widest.
    """
    for box in boxes:
        box.fit(room)
    if columns:
        for box in boxes:
            box.width = max(other.width for other in boxes)
    widest = 0.0
    for row in rows(boxes, room):
        height, at = max(box.height for box in row), x
        for box in row:
            box.x, box.y, box.height = at, y, height
            at += box.width + GAP
        widest, y = max(widest, at - GAP - x), y + height + GAP
    return widest, y - GAP


def rows(boxes: Sequence[Box], room: float) -> list[list[Box]]:
    """The boxes in rows, as many in each as fit into a width."""
    found: list[list[Box]] = []
    taken = 0.0
    for box in boxes:
        if found and taken + GAP + box.width <= room:
            found[-1].append(box)
            taken += GAP + box.width
        else:
            found.append([box])
            taken = box.width
    return found


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
