"""lsblk of util-linux 2.2x to 2.4x: the table of block devices, and its JSON (`-J`), with sizes in bytes (`-b`) or not.

Without `-b`, sizes have one decimal, with the mark of the machine's language, and units are powers of 1024: `10,9T`.
See lsblk(8).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from simbackup.errors import Place, Problem
from simbackup.foreign.json_text import document
from simbackup.foreign.measurements.finding import Finding, Output, unused
from simbackup.foreign.reader import ForeignFile, FormatReader
from simbackup.schema.measurable import Measurable

_HEAD = re.compile(r"^NAME\b.*\bSIZE\b", re.MULTILINE)
_SIZE = re.compile(r"(\d{1,18})(?:[.,](\d{1,3}))?([BKMGTPE]?)")
SCALES = {unit: 1024.0**i for i, unit in enumerate(["B", "K", "M", "G", "T", "P", "E"])} | {"": 1.0}
Disk = tuple[str, str, Place, str]
"""A disk: its name, its size as written, and the place of that, also in words."""


def recognises(source: ForeignFile) -> bool:
    """Whether a text is a table or JSON of block devices."""
    return '"blockdevices"' in source.text or _HEAD.search(source.text) is not None


def read(source: ForeignFile) -> Output:
    """The capacity of the disks, if all have the same.

    Raises
    ------
    InputError
        It is JSON that is not complete.
    """
    disks = list(_json(source) if '"blockdevices"' in source.text else _table(source))
    findings: list[Finding] = []
    left: list[Problem] = []
    for name, text, place, where in disks:
        size = _SIZE.fullmatch(text)
        value = _bytes(size) if size else 0.0
        if not size or value <= 0.0:
            left.append(unused(place, name, f"'{text}' is not a size", "write them with 'lsblk -b'"))
            continue
        half = 0.5 * 10.0 ** -len(size[2] or "") * SCALES[size[3]] if size[3] not in {"", "B"} else 0.0
        findings.append(Finding(Measurable.CAPACITY, value, place, where, half))
    if len({finding.value for finding in findings}) > 1:
        why = "the disks are not of one size, and a datasheet is for one kind of disk"
        left += [unused(each.place, each.where, why, "keep the line of one kind") for each in findings]
        findings = []
    if not disks:
        left.append(unused(Place(source.shown, 1, 1), "", "no line has the type 'disk'", "write it with 'lsblk -b'"))
    return Output("lsblk", "", tuple(findings), tuple(left))


def _bytes(size: re.Match[str]) -> float:
    """The bytes of a size."""
    return float(f"{size[1]}.{size[2] or 0}") * SCALES[size[3]]


def _json(source: ForeignFile) -> Iterator[Disk]:
    """The disks of JSON; partitions and volumes on them are not listed."""
    devices = document(source.text, source.shown).get("blockdevices")
    for device in devices.items() if devices is not None else ():
        if device.text("type") == "disk":
            yield device.text("name"), device.text("size").strip(), device.place, f"{device.address}.size"


def _table(source: ForeignFile) -> Iterator[Disk]:
    """The disks of a table."""
    heads: list[str] = []
    for number, line in enumerate(source.lines, 1):
        cells = line.split()
        if cells[:1] == ["NAME"] and "SIZE" in cells:
            heads = cells
        elif {"TYPE", "SIZE"} <= set(heads) and len(cells) > max(heads.index("SIZE"), heads.index("TYPE")):
            name, kind, size = (cells[heads.index(head)] for head in ("NAME", "TYPE", "SIZE"))
            if kind == "disk":
                yield name, size, Place(source.shown, number, 1), f"line {number}"


READER = FormatReader("lsblk of util-linux 2.2x to 2.4x", "lsblk -b, lsblk -J", recognises, read)
