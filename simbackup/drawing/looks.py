"""How pictures draw the parts of each kind."""

from __future__ import annotations

from simbackup.schema.registry import Look, looks

OTHER = Look("M2 4l6-2.5L14 4v8l-6 2.5L2 12zM2 4l6 2.5L14 4M8 6.5v8", "#f1f5f9", "#64748b")
"""The look of a kind that has none of its own."""


def look(kind: str) -> Look:
    """The look of a kind of part."""
    return looks().get(kind, OTHER)
