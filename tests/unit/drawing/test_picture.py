"""Layouts of scenarios, and pictures in which nothing lies over anything else."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from simbackup import load, picture
from simbackup.drawing.arrangement import LARGE, Page, merged, page_of
from simbackup.drawing.boxes import BADGE, NAME, Box, width, wrapped
from simbackup.drawing.layout import Edge, Fact, Layout, LayoutNode, layout_of
from simbackup.drawing.picture import OTHER, look, svg
from simbackup.errors import ResultError
from simbackup.palette import NIGHT
from simbackup.results.record import Record
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import names
from simbackup.schema.capability import Device
from simbackup.schema.quantity import Rate, Size
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


# Layouts
def layout(name: str) -> Layout:
    return layout_of(load(name))


@each_scenario(EVERY)
def test_every_scenario_has_a_layout_that_survives_json(name: str) -> None:
    scenario = load(name)
    found = layout_of(scenario)
    assert Layout.from_dict(json.loads(json.dumps(found.as_dict()))) == found
    spec = scenario.spec
    for section in ("hosts", "devices", "links", "data", "workloads", "jobs"):
        for part in getattr(spec, section):
            assert f"{section}.{part}" in found.node
    for edge in found.edges:
        assert {edge.start, edge.end} <= found.node.keys()
    without = {"job", "nul", "snapshot"}  # parts that need no values of their own
    assert all(node.facts or node.title or node.kind in without for node in found.nodes)


def test_edges_tell_how_parts_belong_together() -> None:
    found = layout("published/000-netbackup-frozen-images/mirror")
    kinds = {(e.start.split(".")[1], e.end.split(".")[1], e.kind) for e in found.edges}
    assert {
        ("server", "disks", "owns"), ("mirror", "third", "on"), ("mirror", "datavol", "freezes"),
        ("loops", "server", "joins"), ("db", "datavol", "on"),
    } <= kinds  # fmt: skip
    assert found.around("data.db") == ("data.db", "devices.datavol", "devices.disks", "hosts.server")


def test_a_checkpoint_lies_in_its_volume_and_a_guest_in_its_host() -> None:
    frozen = layout("published/000-netbackup-frozen-images/checkpoint")
    checkpoint = next(node for node in frozen.nodes if node.kind == "checkpoint")
    assert frozen.outer[checkpoint.address] == "devices.datavol"
    guest = layout("published/001-networker-small-files/guest-all-old")
    assert guest.outer["hosts.guest"] == "hosts.server"
    assert guest.outer["devices.vdi"] == "devices.disk"  # where it lies comes before who owns it
    assert Edge("hosts.guest", "devices.vdi", "owns") in guest.edges


def test_a_restore_reads_from_where_its_backup_wrote_and_writes_where_it_read() -> None:
    found = layout("planning/tape-drives-lto9")
    assert {(e.end, e.kind) for e in found.edges if e.start == "jobs.back"} == {
        ("devices.library", "reads"), ("data.db", "writes"), ("jobs.backup", "restores"), ("jobs.backup", "follows"),
    }  # fmt: skip


def test_a_writer_writes_its_data_and_users_work_on_theirs() -> None:
    assert Edge("jobs.dd", "data.file", "writes") in layout("published/003-lvm-snapshots/same-disk").edges
    assert Edge("workloads.users", "data.db", "works on") in layout("planning/mysql-under-load").edges


class Vault(Device):
    """A kind of device that the pictures know nothing of."""

    kind: str = "vault"
    capacity: Size
    rate: Rate


def test_a_kind_that_is_not_known_tells_its_size_and_rate() -> None:
    vault = Vault.model_validate({"capacity": "5 TB", "rate": "80 MB/s"})
    assert [str(fact) for fact in vault.facts()] == ["5 TB", "80 MB/s"]


@for_each(
    "fact, text",
    [
        (Fact.of(1, "count", "disk"), "1 disk"),
        (Fact.of(2**31, "B"), "2 GiB"),
        (Fact.of(310e9, "B"), "310 GB"),
        (Fact.of(2**30 * 1.5, "B", "memory"), "1,536 MiB memory"),
        (Fact("", 1e9, 3e9, "B"), "1 GB to 3 GB"),
        (Fact("RAID 5"), "RAID 5"),
    ],
)
def test_facts_read_well(fact: Fact, text: str) -> None:
    assert str(fact) == text


def fleet(clients: int, *, sizes: bool = False) -> Layout:
    nodes, edges = [LayoutNode("devices.tape", "library", "tape")], list[Edge]()
    for i in range(clients):
        nodes += [
            LayoutNode(f"hosts.c{i}", "host", f"c{i}", "Server"), LayoutNode(f"devices.d{i}", "disk", f"d{i}", "Disk"),
            LayoutNode(f"data.x{i}", "data", f"x{i}", "", (Fact.of(1e9 * (1 + i * sizes), "B"),)),
            LayoutNode(f"jobs.j{i}", "job", f"j{i}", "image"),
        ]  # fmt: skip
        edges += [
            Edge(f"hosts.c{i}", f"devices.d{i}", "owns"), Edge(f"data.x{i}", f"devices.d{i}", "on"),
            Edge(f"jobs.j{i}", f"data.x{i}", "reads"), Edge(f"jobs.j{i}", "devices.tape", "writes"),
        ]  # fmt: skip
    return Layout("Fleet", "", tuple(nodes), tuple(edges))


def test_equal_siblings_become_one_with_a_count() -> None:
    one = merged(fleet(200))
    assert {(node.kind, node.count) for node in one.nodes} == {
        ("library", 1), ("host", 200), ("disk", 200), ("data", 200), ("job", 200),
    }  # fmt: skip
    assert one.node["hosts.c0"].name == "c0 … c199"
    assert len(one.edges) == 4


def test_parts_that_a_reader_can_tell_apart_stay_apart() -> None:
    few = fleet(5, sizes=True)
    assert merged(few) == few  # each holds data of another size
    apart = Layout(
        "t", "", few.nodes[:1] + fleet(3).nodes[1:], (*fleet(3).edges, Edge("jobs.j0", "jobs.j1", "follows"))
    )
    assert len([node for node in merged(apart).nodes if node.kind == "host"]) == 3


def test_of_many_parts_those_are_one_that_differ_in_amounts_alone() -> None:
    many = fleet(LARGE, sizes=True)
    data = next(node for node in merged(many).nodes if node.kind == "data")
    assert data.count == LARGE
    assert str(data.facts[0]) == "1 GB to 60 GB"


def test_a_saved_result_keeps_the_layout(tmp_path: Path) -> None:
    result = simulate("published/003-lvm-snapshots/same-disk")
    assert result.layout == layout("published/003-lvm-snapshots/same-disk")
    again = Result.load(result.save(tmp_path / "run"))
    assert again.layout == result.layout
    assert again.picture.svg() == result.picture.svg()


def test_a_result_that_kept_no_layout_says_so(tmp_path: Path) -> None:
    result = simulate("published/003-lvm-snapshots/same-disk")
    folder = Result(result.record, result.values, result.trace).save(tmp_path / "old")
    old = Result.load(folder)
    assert old.layout is None
    with pytest.raises(ResultError, match="holds no layout"):
        _ = old.picture
    assert isinstance(old.record, Record)
    run = folder / "run.json"
    run.write_text(json.dumps(json.loads(run.read_text()) | {"layout": {"nodes": 3}}))
    with pytest.raises(ResultError, match="is damaged"):
        Result.load(folder)
