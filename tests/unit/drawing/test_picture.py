from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import pytest

from simbackup import load, picture
from simbackup.drawing.arrangement import Page, page_of
from simbackup.drawing.boxes import BADGE, NAME, Box, width, wrapped
from simbackup.drawing.layout import Edge, Fact, Layout, LayoutNode, layout_of
from simbackup.drawing.picture import OTHER, look, svg
from simbackup.palette import NIGHT
from simbackup.scenario import names
from simbackup.schema.registry import looks
from tests.cases import for_each
from tests.shared import each_scenario

EVERY = [name for folder in ("published", "planning", "teaching", "base") for name in names(folder)]
WIDTHS = (343.0, 600.0, 960.0, 1400.0)
NASTY = 'a "b" <c> & [d] {e} \\ #1; `x` | y\' -- ünï → 漢字 \x07'
SVG = "{http://www.w3.org/2000/svg}"


class Rectangle(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Rectangle) -> bool:
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)

    def holds(self, other: Rectangle) -> bool:
        return (
            self.left <= other.left + 0.01 and self.top <= other.top + 0.01
            and other.right <= self.right + 0.01 and other.bottom <= self.bottom + 0.01
        )  # fmt: skip


def rectangle(box: Box, x: float = 0.0, y: float = 0.0) -> Rectangle:
    return Rectangle(x + box.x, y + box.y, x + box.x + box.width, y + box.y + box.height)


def lettered(box: Box, at: Rectangle) -> Iterator[Rectangle]:
    """What is written in a box itself."""
    for line in box.lines:
        x, y, wide = at.left + line.x, at.top + line.y, width(line.text, line.style.size, bold=line.style.bold)
        yield Rectangle(x, y - line.style.size, x + wide, y + line.style.size * 0.25)
    if box.mark:
        wide = width(box.mark, NAME.size, bold=True)
        yield Rectangle(at.right - 12 - wide, at.top + 12, at.right - 12, at.top + 12 + NAME.size)
    for _, x, y in box.badge_places():
        yield Rectangle(
            at.left + x - BADGE / 2, at.top + y - BADGE / 2, at.left + x + BADGE / 2, at.top + y + BADGE / 2
        )


def in_order(box: Box, x: float = 0.0, y: float = 0.0) -> None:
    """Assert that all that is in a box lies inside it, and nothing over anything else."""
    own = rectangle(box, x, y)
    inside = [*lettered(box, own), *(rectangle(child, own.left, own.top) for child in box.children)]
    assert all(own.holds(part) for part in inside), box.address
    assert not any(one.meets(other) for one, other in combinations(inside, 2)), box.address
    for child in box.children:
        in_order(child, own.left, own.top)


def tidy(page: Page) -> None:
    """Assert that nothing on a page lies over anything else, and no wire runs through a box that is no network."""
    whole = Rectangle(0.0, 0.0, page.width, page.height)
    tops = [rectangle(box) for box in page.boxes]
    assert all(whole.holds(top) for top in tops)
    assert not any(one.meets(other) for one, other in combinations(tops, 2))
    for box in page.boxes:
        in_order(box)
    for line in page.lines:
        wide = width(line.text, line.style.size, bold=line.style.bold)
        text = Rectangle(line.x, line.y - line.style.size, line.x + wide, line.y)
        assert whole.holds(text)
        assert not any(text.meets(top) for top in tops)
    solid = [rectangle(box) for box in page.boxes if box.kind != "link"]
    for wire in page.wires:
        for (x, y), (to_x, to_y) in pairwise(wire.points):
            run = Rectangle(min(x, to_x) - 0.5, min(y, to_y) + 0.5, max(x, to_x) + 0.5, max(y, to_y) - 0.5)
            assert not any(run.meets(box) for box in solid if run.bottom > run.top), wire


@each_scenario(EVERY)
def test_every_scenario_draws_tidily(name: str) -> None:
    layout = layout_of(load(name))
    for room in WIDTHS:
        page = page_of(layout, room)
        tidy(page)
        assert page.width <= max(room, 300.0) + 0.01
    root = ET.fromstring(svg(layout))  # noqa: S314 (we have just drawn it)
    assert root.findtext(f"{SVG}title") == layout.title


def test_a_drawing_asks_for_nothing_and_runs_nothing() -> None:
    drawn = picture("planning/mysql-under-load").svg()
    assert not re.search(r"<script|<image|href|url\(|@import|on[a-z]+=", drawn)
    root = ET.fromstring(drawn)  # noqa: S314
    assert re.findall(r"<style>(.*)</style>", drawn) == [NIGHT.format(what=f"#{root.get('id')}")]
    assert root.get("role") == "img"
    named = [
        element.get("id") for element in (root.find(f"{SVG}title"), root.find(f"{SVG}desc")) if element is not None
    ]
    assert root.get("aria-labelledby") == " ".join(str(name) for name in named)
    described = root.findtext(f"{SVG}desc") or ""
    assert "host: server" in described
    assert "jobs: " in described


def test_two_drawings_on_one_page_do_not_share_names() -> None:
    ids = [re.findall(r'id="([^"]+)"', picture(name).svg()) for name in ("teaching/mount-queue", "base/small-site")]
    assert not set(ids[0]) & set(ids[1])


def nasty() -> Layout:
    nodes = (
        LayoutNode("hosts.h", "host", NASTY, NASTY, (Fact(NASTY),)),
        LayoutNode("devices.d", "disk", "W" * 200, NASTY),
        LayoutNode("devices.v", "vault", "v"),
        LayoutNode("links.l", "link", NASTY),
        LayoutNode("data.x", "data", NASTY, NASTY, (Fact.of(1e9, "B", NASTY),), 3),
        LayoutNode("jobs.j", "job", NASTY, NASTY, (Fact(NASTY),)),
    )
    edges = (
        Edge("hosts.h", "devices.d", "owns"), Edge("data.x", "devices.d", "on"), Edge("links.l", "hosts.h", "joins"),
        Edge("links.l", "devices.v", "joins"), Edge("jobs.j", "data.x", "reads"), Edge("jobs.j", "devices.v", "writes"),
    )  # fmt: skip
    return Layout(NASTY, NASTY, nodes, edges)


def test_any_text_can_be_drawn() -> None:
    layout = nasty()
    for room in WIDTHS:
        tidy(page_of(layout, room))
        root = ET.fromstring(svg(layout, room))  # noqa: S314
        assert root.findtext(f"{SVG}title") == NASTY.replace("\x07", "\\x07")


@pytest.mark.slow
def test_every_kind_has_a_look_and_a_strange_one_the_common_look() -> None:
    kinds = {node.kind for name in EVERY for node in layout_of(load(name)).nodes}
    assert kinds - looks().keys() <= {"nul"}
    assert look("vault") == OTHER


def test_jobs_are_numbered_where_they_read_and_where_they_write() -> None:
    page = page_of(layout_of(load("planning/tape-drives-lto9")), 960.0)

    def found(boxes: list[Box], address: str) -> Box:
        inside = [box for outer in boxes for box in all_in(outer)]
        return next(box for box in inside if box.address == address)

    assert [tuple(badge) for badge in found(page.boxes, "data.db").badges] == [("1", False), ("2", True)]
    assert [tuple(badge) for badge in found(page.boxes, "devices.library").badges] == [("1", True), ("2", False)]


def all_in(box: Box) -> Iterator[Box]:
    yield box
    for child in box.children:
        yield from all_in(child)


def sites(hosts: int, links: int) -> Layout:
    """Hosts that a reader can tell apart, and networks that join all of them and a library."""
    nodes = [LayoutNode(f"hosts.h{i}", "host", f"h{i}", f"Server {i}") for i in range(hosts)]
    nodes += [LayoutNode(f"devices.t{i}", "library", f"t{i}", f"Library {i}") for i in range(3)]
    nodes += [LayoutNode(f"links.l{i}", "link", f"l{i}", f"Network {i}") for i in range(links)]
    ends = [node.address for node in nodes if node.kind != "link"]
    edges = [Edge(f"links.l{i}", end, "joins") for i in range(links) for end in ends]
    edges += [Edge("links.l1", "links.l0", "joins")] if links > 1 else []
    return Layout("Sites", "", tuple(nodes), tuple(edges))


@for_each("links", [1, 2, 3])
@for_each("hosts", [1, 4, 12])
def test_wires_lead_round_what_stands_between(hosts: int, links: int) -> None:
    for room in WIDTHS:
        page = page_of(sites(hosts, links), room)
        tidy(page)
        assert len(page.wires) == links * (hosts + 3) + (links > 1)
        for wire in page.wires:
            bar = next(rectangle(box) for box in page.boxes if box.address == wire.link)
            x, y = wire.points[-1]
            assert bar.left - 0.01 <= x <= bar.right + 0.01
            assert bar.top - 0.01 <= y <= bar.bottom + 0.01


def test_lines_break_between_words_and_inside_words_that_are_too_long() -> None:
    assert wrapped("", 10, 50) == []
    assert " ".join(wrapped("the quick brown fox", 10, 60)) == "the quick brown fox"
    assert "".join(wrapped("x" * 50, 10, 60)) == "x" * 50
    for text in ("the quick brown fox jumps", "x" * 50, "漢字" * 20):
        assert all(width(line, 10) <= 60 for line in wrapped(text, 10, 60))


def test_the_picture_of_a_copy_says_of_what_and_that_of_a_restore_which_copy() -> None:
    text = picture("planning/disk-then-tape").svg()
    assert "copy save set of night" in text
    assert "copied by to_tape" in text
