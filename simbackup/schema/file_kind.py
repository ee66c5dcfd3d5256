"""What kind of file a tree is, by its sections: a scenario, a study or a site."""

from __future__ import annotations

from typing import Literal

from simbackup.errors import InputError, Problem
from simbackup.schema.tree import Node

FileKind = Literal["scenario", "site", "study"]
SECTIONS: dict[FileKind, frozenset[str]] = {
    "scenario": frozenset({"hosts", "devices", "links", "data", "workloads", "jobs", "fleets", "extends"}),
    "site": frozenset({"machines", "targets", "policies", "systems"}),
    "study": frozenset({"scenarios", "vary", "show", "optimise"}),
}
"""Sections that files of a kind have, and those of the others have not."""
COMMANDS: dict[FileKind, str] = {"scenario": "run", "site": "plan run", "study": "study"}


def refuse_others(tree: Node, wanted: FileKind) -> None:
    r"""Check that a file is not one of another kind.

    Raises
    ------
    InputError
        All sections of the file that are known are those of another kind.

    >>> from simbackup.schema.yaml_file import parse
    >>> refuse_others(parse("systems: {}\npolicies: {}\n", "site.yaml"), "scenario")
    Traceback (most recent call last):
    simbackup.errors.InputError: site.yaml:1:1: is a site, not a scenario; use 'simbackup plan run'
    """
    if SECTIONS[wanted] & tree.mapping.keys():
        return
    for kind, sections in SECTIONS.items():
        if len(sections & tree.mapping.keys()) > 1:
            message = f"is a {kind}, not a {wanted}"
            raise InputError([Problem(tree.place, "", message, f"use 'simbackup {COMMANDS[kind]}'")])
