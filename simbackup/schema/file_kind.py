"""What kind of file a tree is, by its sections: a scenario, a study or a site."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from simbackup.errors import InputError, Problem
from simbackup.schema.tree import Node

FileKind = Literal["scenario", "site", "study"]
SECTIONS: dict[FileKind, tuple[str, ...]] = {
    "scenario": ("extends", "hosts", "devices", "links", "data", "workloads", "jobs", "fleets"),
    "site": ("machines", "hosts", "datastores", "uplinks", "targets", "policies", "systems"),
    "study": ("scenarios", "vary", "show", "optimise"),
}
"""Sections that files of a kind have, in their order in a file; of those that several kinds have, the first counts."""
COMMANDS: dict[FileKind, str] = {"scenario": "run", "site": "plan run", "study": "study"}


def kind_of(sections: Iterable[str]) -> FileKind | None:
    """The kind of a file by its sections: the one that most of them belong to, None if none belongs to any.

    >>> kind_of(["title", "systems", "policies"]), kind_of(["title"])
    ('site', None)
    """
    present = frozenset(sections)
    shares = {kind: len(present.intersection(own)) for kind, own in SECTIONS.items()}
    likeliest = max(SECTIONS, key=shares.__getitem__)
    return likeliest if shares[likeliest] else None


def refuse_others(tree: Node, wanted: FileKind) -> None:
    r"""Check that a file is not one of another kind.

    Raises
    ------
    InputError
        The file has sections of another kind, and none of its own.

    >>> from simbackup.schema.yaml_file import parse
    >>> refuse_others(parse("systems: {}\npolicies: {}\n", "site.yaml"), "scenario")
    Traceback (most recent call last):
    simbackup.errors.InputError: site.yaml:1:1: is a site, not a scenario; use 'simbackup plan run'
    """
    kind = kind_of(tree.mapping)
    others = {section for each, own in SECTIONS.items() if each != wanted for section in own}
    if kind is None or kind == wanted or not tree.mapping.keys().isdisjoint(set(SECTIONS[wanted]) - others):
        return
    message = f"is a {kind}, not a {wanted}"
    raise InputError([Problem(tree.place, "", message, f"use 'simbackup {COMMANDS[kind]}'")])
