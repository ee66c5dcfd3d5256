"""Messages that parts left in the trace, such as "the image is full"."""

from __future__ import annotations

from typing import Any

from simbackup import units
from simbackup.trace.trace import Trace


def note_rows(trace: Trace) -> list[dict[str, Any]]:
    """One mapping for each note: the address of its part, what it says, and seconds from the start.

    >>> trace = Trace()
    >>> trace.note(90.0, "devices.cow", "is invalid, as its copy area is full")
    >>> note_rows(trace)
    [{'address': 'devices.cow', 'what': 'is invalid, as its copy area is full', 'at': 90.0}]
    """
    return [
        {"address": event.address, "what": event.what, "at": event.time}
        for event in trace.events
        if event.data.get("note")
    ]


def note_sentences(trace: Trace) -> list[str]:
    """The notes in words.

    >>> trace = Trace()
    >>> trace.note(90.0, "jobs.again", "has nothing to do")
    >>> note_sentences(trace)
    ['jobs.again has nothing to do, at 1 min 30 s']
    """
    return [f"{row['address']} {row['what']}, at {units.show_short(row['at'], 's')}" for row in note_rows(trace)]


def noted(trace: Trace) -> dict[str, list[dict[str, Any]]]:
    """The notes as a table under its name; nothing without any."""
    rows = note_rows(trace)
    return {"notes": rows} if rows else {}
