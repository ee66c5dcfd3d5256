"""A picture of a system as SVG."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simbackup.drawing.arrangement import Page, page_of
from simbackup.drawing.boxes import APART, BADGE, NAME, PAD, Box, Line, what
from simbackup.drawing.layout import Layout, layout_of
from simbackup.output.target import SYSTEM, check_file
from simbackup.output.whole import write_whole
from simbackup.palette import NIGHT
from simbackup.scenario import Scenario, Source, load
from simbackup.schema.registry import Look, looks
from simbackup.text import for_xml

WIDTH = 960.0
INK, FAINT, WIRE, PAPER = "#1e293b", "#526077", "#64748b", "#ffffff"
FACES = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
OTHER = Look("M2 4l6-2.5L14 4v8l-6 2.5L2 12zM2 4l6 2.5L14 4M8 6.5v8", "#f1f5f9", "#64748b")
"""The look of a kind that has none of its own."""


def look(kind: str) -> Look:
    """The look of a kind of part."""
    return looks().get(kind, OTHER)


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture of a system; notebooks display it."""

    layout: Layout

    def svg(self, width: float = WIDTH) -> str:
        """The picture as SVG, at most as wide as given in pixels, unless its boxes need more room."""
        return svg(self.layout, width)

    def save(self, path: str | Path) -> Path:
        """Write the picture, completely or not at all, and return its path.

        Raises
        ------
        ResultError
            The name does not end with `.svg`, there is no such folder, or it cannot be written.
        """
        check_file(path, SYSTEM)
        return write_whole(path, self.svg())

    def __repr__(self) -> str:
        """The text where no picture can be shown."""
        return f"<picture of {self.layout.title!r}>"

    def _repr_svg_(self) -> str:
        return self.svg()


def picture(scenario: Scenario | Source) -> Picture:
    """The picture of a scenario's system, before anything is run.

    Parameters
    ----------
    scenario
        A scenario, or anything that `load` accepts.

    >>> picture("teaching/snapshot-slows-writes").svg().startswith("<svg")
    True
    """
    return Picture(layout_of(scenario if isinstance(scenario, Scenario) else load(scenario)))


def svg(layout: Layout, width: float = WIDTH) -> str:
    """The drawing of a layout as self-contained SVG: no script, no request; dark on a dark page.

    It states its size in pixels, so a page may scroll or scale it. Equal parts are drawn once with their number.
    """
    page = page_of(layout, width)
    body = "\n".join(_drawn(page))
    name = f"p{hashlib.sha256(body.encode()).hexdigest()[:10]}"
    wide, high = (f"{round(size + 0.5)}" for size in (page.width, page.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" role="img" aria-labelledby="{name}-title {name}-desc" font-family="{FACES}">\n'
        f'<title id="{name}-title">{for_xml(layout.title)}</title>\n'
        f'<desc id="{name}-desc">{for_xml(described(page.layout))}</desc>\n'
        f"<style>{NIGHT.format(what=f'#{name}')}</style>\n"
        f'<rect width="{wide}" height="{high}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def described(layout: Layout) -> str:
    """A layout in words, for screen readers."""
    system = [node for node in layout.nodes if node.kind not in APART]
    kinds = dict.fromkeys(node.kind for node in system)
    named = {kind: ", ".join(_counted(node.name, node.count) for node in system if node.kind == kind) for kind in kinds}
    reported = [names if names == kind else f"{kind}: {names}" for kind, names in named.items()]
    jobs = [f"{node.name} ({', '.join(what(layout, node))})" for node in layout.nodes if node.kind == "job"]
    return ". ".join([*reported, *([f"jobs: {'; '.join(jobs)}"] if jobs else [])]) + "."


def _counted(name: str, count: int) -> str:
    return f"{name} ({count:,})" if count > 1 else name


def _drawn(page: Page) -> Iterator[str]:
    for line in page.lines:
        yield _text(line)
    for wire in page.wires:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in wire.points)
        yield f'<polyline points="{points}" fill="none" stroke="{WIRE}" stroke-width="1.6" stroke-linejoin="round"/>'
    for box in page.boxes:
        yield from _box(box, page)
    for wire in page.wires:
        for x, y in (wire.points[0], wire.points[-1]):
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{WIRE}"/>'


def _box(box: Box, page: Page) -> Iterator[str]:
    seen = look(box.kind)
    shape = f'width="{box.width:.1f}" height="{box.height:.1f}" rx="7" fill="{seen.fill}" stroke="{seen.border}"'
    yield f'<g transform="translate({box.x:.1f} {box.y:.1f})">'
    yield f"<title>{for_xml(box.address)}</title>"
    if box.count > 1:
        yield f'<rect x="4" y="4" {shape}/>'
    yield f"<rect {shape}/>"
    yield from _sign(box, page)
    for line in box.lines:
        yield _text(line)
    if box.mark:
        yield (
            f'<text x="{box.width - PAD:.1f}" y="{box.lines[0].y:.1f}" text-anchor="end" font-size="{NAME.size}" '
            f'font-weight="700" fill="{seen.border}">{for_xml(box.mark)}</text>'
        )
    for badge, x, y in box.badge_places():
        yield _badge(badge.text, x, y, full=badge.full)
    for child in box.children:
        yield from _box(child, page)
    yield "</g>"


def _sign(box: Box, page: Page) -> Iterator[str]:
    """The sign of the kind before the name; for a job, its number."""
    seen = look(box.kind)
    if box.kind == "job":
        yield _badge(str(page.numbers[box.address]), PAD + BADGE / 2, box.lines[0].y - 4.5, full=True)
        return
    yield (
        f'<path transform="translate({PAD} {box.lines[0].y - 12.5:.1f})" d="{seen.path}" fill="none" '
        f'stroke="{seen.border}" stroke-width="1.3" stroke-linejoin="round" stroke-linecap="round"/>'
    )


def _badge(text: str, x: float, y: float, *, full: bool) -> str:
    colour = look("job").border
    fill, ink = (colour, PAPER) if full else (PAPER, colour)
    size = 10.5 if len(text) < 3 else 8.0  # noqa: PLR2004 (of three digits)
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{BADGE / 2}" fill="{fill}" stroke="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + size * 0.36:.1f}" text-anchor="middle" font-size="{size}" font-weight="700" '
        f'fill="{ink}">{for_xml(text)}</text>'
    )


def _text(line: Line) -> str:
    weight = ' font-weight="700"' if line.style.bold else ""
    colour = FAINT if line.style.faint else INK
    return (
        f'<text x="{line.x:.1f}" y="{line.y:.1f}" font-size="{line.style.size}"{weight} fill="{colour}">'
        f"{for_xml(line.text)}</text>"
    )
