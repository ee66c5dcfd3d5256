"""mtx 1.2 and 1.3: `mtx -f /dev/sgN status`, the elements of a tape library.

Its count of slots includes those for import and export. See mtx(1).
"""

from __future__ import annotations

import re

from simbackup.errors import Place, Problem
from simbackup.foreign.measurements.finding import Finding, Output, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable

_HEAD = re.compile(
    r"\s*Storage Changer \S+?:(?P<drives>\d{1,6}) Drives, (?P<slots>\d{1,6}) Slots "
    r"\( (?P<mail>\d{1,6}) Import/Export \)\s*"
)


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the first line of a status."""
    return "Storage Changer" in source.text and any(_HEAD.fullmatch(line) for line in source.lines)


def read(source: ForeignFile) -> Output:
    """The slots of a library, without those for import and export."""
    findings: list[Finding] = []
    notes: list[Problem] = []
    for number, line in enumerate(source.lines, 1):
        found = _HEAD.fullmatch(line)
        if found is None:
            continue
        place = Place(source.shown, number, 1)
        slots = float(int(found["slots"]) - int(found["mail"]))
        if slots > 0:
            findings.append(Finding(Measurable.SLOTS, slots, place, f"line {number}"))
        drives = int(found["drives"])
        why = "the drives of a library are those of a scenario or a site, not of its datasheet"
        notes.append(unused(place, f"{drives} Drives", why, f"write 'drives: {drives}' there"))
    return Output("mtx", "", tuple(findings), tuple(notes))


READER = FormatReader("mtx 1.2, 1.3", "mtx status", recognises, read)
