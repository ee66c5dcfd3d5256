"""Columns of inventories of systems: what they may be called, and which of them are not used."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from simbackup.errors import Problem
from simbackup.schema.inventory import Inventory

HEAD = re.compile(r"\s*(.*?)\s*(?:[(\[]\s*(.*?)\s*[)\]]|(?<=[^\W\d])[ _]([kKMGTP]i?B|[kmgtp]i?b|%))?\s*")
"""A column: what it is called, and a unit in brackets or as the last word."""
COLUMNS = {
    "name": ("name", "system", "host", "hostname", "server", "vm", "machine name"),
    "size": ("size", "capacity", "used", "data", "used space", "in use", "provisioned", "total disk capacity"),
    "files": ("files", "file count", "number of files"),
    "change": ("change", "daily change", "change rate", "daily"),
    "growth": ("growth", "yearly growth", "growth rate"),
    "policy": ("policy",),
    "kind": ("kind", "type", "role"),
    "compression": ("compression",),
    "priority": ("priority", "tier"),
    "machine": ("machine",),
    "host": ("esx host", "hypervisor", "host"),
    "datastore": ("datastore", "path"),
    "filesystem": ("filesystem", "file system"),
}
"""What a column may be called, in any case; a unit may follow. A `host` is a system where no other column is."""
LIKE = 0.7
"""Likeness from which on a column is taken for a misspelt one."""


def columns_of(table: Inventory) -> tuple[dict[str, str], dict[str, str]]:
    """The column of each key, and the units in their heads."""
    columns: dict[str, str] = {}
    heads: dict[str, str] = {}
    means = {column: [key for key, names in COLUMNS.items() if _word_of(column) in names] for column in table.columns}
    for column in sorted(table.columns, key=lambda column: len(means[column])):
        key = next((key for key in means[column] if key not in columns), None)
        if key is not None:
            found = HEAD.fullmatch(column)
            columns[key], heads[key] = column, _unit(found) if found else ""
    return columns, heads


def _unit(found: re.Match[str]) -> str:
    """The unit in a head; as a last word, in any case: `size_gb`, `Used GiB`."""
    word = found[3] or ""
    if word.islower() and word != "%":
        word = f"{word[0] if word[0] == 'k' and 'i' not in word else word[0].upper()}{word[1:-1]}B"
    return found[2] or word


def unused(table: Inventory, columns: Mapping[str, str]) -> Iterator[Problem]:
    """A warning for each column that is not used, with what it may mean."""
    known = {word: key for key, words in COLUMNS.items() for word in words}
    for column, head in zip(table.columns, table.heads, strict=True):
        if column in columns.values():
            continue
        key = known.get(_word_of(column))
        near = difflib.get_close_matches(_word_of(column), known, n=1, cutoff=LIKE)
        remedy = f"did you mean '{near[0]}'?" if near else f"those that are: {', '.join(COLUMNS)}"
        remedy = f"'{columns[key]}' has the same meaning, and comes first" if key is not None else remedy
        yield Problem(head, "", f"the column '{column}' is not used", remedy, "warning")


def _word_of(column: str) -> str:
    """What a column is called, without its unit."""
    found = HEAD.fullmatch(column)
    return (found[1] if found else column).lower().replace("_", " ")
