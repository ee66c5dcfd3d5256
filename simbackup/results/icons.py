"""Small signs of the kinds of parts, drawn in a square of 16 by 16, and their colours."""

from __future__ import annotations

from typing import NamedTuple


class Look(NamedTuple):
    """The sign of a kind of part as an SVG path, and the colours of its box: fill, border."""

    path: str
    fill: str
    border: str


_DISK = "M2 4c0-3 12-3 12 0v8c0 3-12 3-12 0zM2 4c0 3 12 3 12 0"
_ARRAY = "M2 3.5c0-2.5 12-2.5 12 0v9c0 2.5-12 2.5-12 0zM2 3.5c0 2.5 12 2.5 12 0M2 8c0 2.5 12 2.5 12 0"
_COPIES = "M2 5h9v9H2zM5 5V2h9v9h-3"

LOOKS: dict[str, Look] = {
    "host": Look("M2 2.5h12v8H2zM6 10.5v3M10 10.5v3M4 13.5h8", "#f8fafc", "#64748b"),
    "disk": Look(_DISK, "#e8f0fb", "#4a7ab5"),
    "ssd": Look("M3 2h10v12H3zM6 5h4v4H6zM5 12h6", "#e8f0fb", "#4a7ab5"),
    "array": Look(_ARRAY, "#e8f0fb", "#4a7ab5"),
    "volume": Look("M2 3h12v10H2zM2 7h12", "#f5f9ff", "#7ba2d4"),
    "snapshot": Look(_COPIES, "#e6f6f6", "#2b8a8f"),
    "checkpoint": Look(_COPIES, "#e6f6f6", "#2b8a8f"),
    "clone": Look(_COPIES, "#e6f6f6", "#2b8a8f"),
    "mirror": Look("M8 1.5v13M6 4L2 8l4 4zM10 4l4 4-4 4z", "#e6f6f6", "#2b8a8f"),
    "library": Look("M2 2h12v12H2zM2 6h12M2 10h12M6 2v12M10 2v12", "#fdf3e1", "#b7791f"),
    "drive": Look("M1.5 4h13v8h-13zM5 6.2a1.8 1.8 0 1 0 .01 0M11 6.2a1.8 1.8 0 1 0 .01 0", "#fffaf0", "#cf9a3e"),
    "link": Look("M8 2v5M3 13V9h10v4M6.5 2h3M1.5 13h3M11.5 13h3", "#eef0f3", "#475569"),
    "data": Look("M3 1.5h7l3 3v10H3zM10 1.5v3h3M5.5 8h5M5.5 11h5", "#ecf8ec", "#4b9150"),
    "workload": Look("M8 7.5a3 3 0 1 0-.01 0M2.5 14.5c0-6.5 11-6.5 11 0", "#fdeef3", "#c0527b"),
    "job": Look("M4 2.5l9 5.5-9 5.5z", "#f3effc", "#6d4fc2"),
}  # fmt: skip
OTHER = Look("M2 4l6-2.5L14 4v8l-6 2.5L2 12zM2 4l6 2.5L14 4M8 6.5v8", "#f1f5f9", "#64748b")
"""The look of a kind that has none of its own."""


def look(kind: str) -> Look:
    """The look of a kind of part."""
    return LOOKS.get(kind, OTHER)
