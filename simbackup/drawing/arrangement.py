"""The page of a layout's drawing: hosts, the networks below them, other devices, users, jobs; and the wires."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from simbackup.drawing.boxes import (
    APART,
    FACT,
    GAP,
    PAD,
    Box,
    Line,
    Style,
    box_of,
    flow,
    job_box,
    job_numbers,
    link_box,
    rows,
    width,
    workload_box,
    wrapped,
)
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


MARGIN, LANE = 16.0, 9.0
ROW_GAP, BAR_GAP = 30.0, 20.0
LEAST = 300.0
"""Narrowest page."""
HEADING, QUESTION, CAPTION = Style(18.0, bold=True), Style(13.0, faint=True), Style(12.5, bold=True)
LEGEND = "A number in a box is a job: hollow where it reads, filled where it writes."
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Wire:
    """A line that joins a part to a network, with a dot at each end."""

    link: str
    points: tuple[Point, ...]


@dataclass(slots=True)
class Page:
    """Everything that is drawn, in pixels."""

    layout: Layout
    """The system."""
    numbers: Mapping[str, int]
    """The number of each job, by its address."""
    width: float = 0.0
    """Width so far."""
    height: float = 0.0
    """Height so far."""
    boxes: list[Box] = field(default_factory=list[Box])
    """Boxes, placed on the page."""
    wires: list[Wire] = field(default_factory=list[Wire])
    """Lines between boxes, behind these."""
    lines: list[Line] = field(default_factory=list[Line])
    """Lines of text between boxes."""

    def write(self, text: str, style: Style, room: float) -> None:
        """Add a paragraph below everything so far."""
        for part in wrapped(text, style.size, room, bold=style.bold):
            self.height += style.size * 1.36
            self.lines.append(Line(part, style, MARGIN, self.height - style.size * 0.36))
            self.width = max(self.width, MARGIN + width(part, style.size, bold=style.bold))

    def place(self, boxes: Sequence[Box], room: float, x: float = MARGIN, *, columns: bool = False) -> None:
        """Add boxes in rows below everything so far."""
        if boxes:
            taken, self.height = flow(boxes, room, x, self.height, columns=columns)
            self.width = max(self.width, x + taken)
            self.boxes += boxes


def page_of(layout: Layout, room: float) -> Page:
    """The page of a layout, no wider than the room unless that is less than `LEAST`."""
    layout = merged(layout)
    room = max(room, LEAST) - 2 * MARGIN
    page = Page(layout, job_numbers(layout), height=MARGIN)
    page.write(layout.title, HEADING, room)
    if layout.question:
        page.height += 2
        page.write(layout.question, QUESTION, room)
    page.height += 14
    _system(page, layout, room)
    users = [workload_box(layout, node) for node in layout.nodes if node.kind == "workload"]
    jobs = [job_box(layout, node) for node in layout.nodes if node.kind == "job"]
    for caption, boxes in (("Users", users), ("Jobs", jobs)):
        if boxes:
            page.height += 22
            page.write(caption, CAPTION, room)
            if caption == "Jobs":
                page.write(LEGEND, FACT, room)
            page.height += 8
            page.place(boxes, room, columns=True)
    page.width, page.height = page.width + MARGIN, page.height + MARGIN
    return page


def home_of_links(layout: Layout) -> dict[str, str | None]:
    """By link, the outermost part that contains everything the link joins; None for a link between such parts."""
    joined = {node.address: set(layout.ends(node.address, "joins")) for node in layout.nodes if node.kind == "link"}
    for link, ends in list(joined.items()):
        for end in ends & joined.keys():
            joined[end] = joined[end] | {link}
    roots = {link: {layout.around(end)[-1] for end in ends - joined.keys()} for link, ends in joined.items()}
    for _ in joined:  # what joins a link also joins everything that this link joins
        roots = {link: own.union(*(roots[end] for end in joined[link] & joined.keys())) for link, own in roots.items()}
    return {link: next(iter(own)) if len(own) == 1 else None for link, own in roots.items()}


def _system(page: Page, layout: Layout, room: float) -> None:
    """Hosts, networks between them, and devices of no host."""
    homes = home_of_links(layout)
    inside: dict[str, list[str]] = {}
    for link, home in homes.items():
        if home is not None:
            inside.setdefault(home, []).append(link)
    outermost = [node for node in layout.inner(None) if node.kind not in {"link", *APART}]
    bars = [link_box(layout, layout.node[link]) for link, home in homes.items() if home is None]
    above = [box_of(layout, node, inside) for node in outermost if node.kind == "host"]
    below = [box_of(layout, node, inside) for node in outermost if node.kind != "host"]
    several = len(_rows(above, room)) > 1 or len(_rows(below, room)) > 1
    wiring = _Wiring(page, layout, bars, round_the_left=several)
    room, left = room - wiring.gutter, MARGIN + wiring.gutter
    for number, row in enumerate(_rows(above, room)):
        page.height += ROW_GAP + wiring.channel if number and bars else GAP * bool(number)
        page.place(row, room, left)
        wiring.above.append(row)
    if bars and above:
        page.height += ROW_GAP
    _bars(page, bars, room, left, max((_across(boxes, room) for boxes in (above, below)), default=0.0))
    if below and (bars or above):
        page.height += ROW_GAP if bars else GAP
    for number, row in enumerate(_rows(below, room)):
        page.height += ROW_GAP + wiring.channel if number and bars else GAP * bool(number)
        page.place(row, room, left)
        wiring.below.append(row)
    wiring.lay()


def _rows(boxes: Sequence[Box], room: float) -> list[list[Box]]:
    """The boxes in their rows."""
    for box in boxes:
        box.fit(room)
    return rows(boxes, room)


def _across(boxes: Sequence[Box], room: float) -> float:
    """Width of the widest row of boxes."""
    return max((sum(box.width + GAP for box in row) - GAP for row in _rows(boxes, room)), default=0.0)


def _bars(page: Page, bars: Sequence[Box], room: float, left: float, across: float) -> None:
    """Networks as bars, one below the other, as wide as what is above and below them."""
    for box in bars:
        box.text_room = room
        box.fit(room)
    for number, bar in enumerate(bars):
        page.height += BAR_GAP if number else 0.0
        bar.x, bar.y, bar.width = left, page.height, max(across, *(box.width for box in bars))
        page.height += bar.height
        page.width = max(page.width, left + bar.width)
        page.boxes.append(bar)


class _Wiring:
    """The wires between parts and the bars of networks: straight where nothing is between, else round the left."""

    def __init__(self, page: Page, layout: Layout, bars: Sequence[Box], *, round_the_left: bool) -> None:
        self.page, self.layout, self.bars = page, layout, bars
        self.above: list[list[Box]] = []
        self.below: list[list[Box]] = []
        self.taken: list[float] = []
        self.channel = LANE * len(bars) if round_the_left else 0.0
        self.gutter = self.channel + 6 if self.channel else 0.0

    def lay(self) -> None:
        """Add all wires."""
        for upward, side in ((False, self.above), (True, self.below)):
            for number, row in enumerate(side):
                near = number == (0 if upward else len(side) - 1)
                for box in row:
                    self._box(box, near=near, upward=upward)
        self._between_bars()

    def _box(self, box: Box, *, near: bool, upward: bool) -> None:
        joined = [(i, bar) for i, bar in enumerate(self.bars) if self._joins(bar, box)]
        for number, (lane, bar) in enumerate(joined):
            x = box.x + box.width * (number + 1) / (len(joined) + 1)
            x = self._free(x, box) if near else x
            start = (x, box.y if upward else box.y + box.height)
            if near:
                points = (start, (x, bar.y + bar.height if upward else bar.y))
            else:
                off = 10 + LANE * lane
                channel = start[1] - off if upward else start[1] + off
                side = MARGIN + LANE * lane + 2
                middle = bar.y + bar.height / 2
                points = (start, (x, channel), (side, channel), (side, middle), (bar.x, middle))
            self.page.wires.append(Wire(bar.address, points))

    def _joins(self, bar: Box, box: Box) -> bool:
        ends = self.layout.ends(bar.address, "joins")
        return any(self.layout.around(end)[-1] == box.address for end in ends)

    def _free(self, x: float, box: Box) -> float:
        """The nearest free place for a wire on the edge of a box, to one that is wanted."""
        steps = range(int(box.width / LANE) + 1)
        places = (x + sign * step * LANE for step in steps for sign in (1, -1))
        inside = [place for place in places if box.x + PAD <= place <= box.x + box.width - PAD]
        free = (place for place in inside if all(abs(place - other) >= LANE - 1 for other in self.taken))
        found = next(free, x)
        self.taken.append(found)
        return found

    def _between_bars(self) -> None:
        order, number = {bar.address: bar for bar in self.bars}, 0
        for bar in self.bars:
            for end in self.layout.ends(bar.address, "joins"):
                if end in order:
                    upper, lower = sorted((bar, order[end]), key=lambda box: box.y)
                    number += 1
                    x = upper.x + upper.width - LANE * number
                    self.page.wires.append(Wire(bar.address, ((x, upper.y + upper.height), (x, lower.y))))
