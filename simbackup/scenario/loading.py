"""Scenarios loaded by path, by name, from text or from a mapping."""

from __future__ import annotations

from collections.abc import Mapping

from simbackup.errors import Problem
from simbackup.scenario.files import Source, given
from simbackup.scenario.inheritance import extended, references
from simbackup.scenario.scenario import Scenario, finished, node_of


def load(what: Source, overrides: Mapping[str, object] | None = None) -> Scenario:
    """The scenario of a file, of YAML text or of a mapping, with the values at some addresses replaced.

    Parameters
    ----------
    what
        Path or name of a file; text of several lines, as it would stand in a file; or its sections as a mapping. What
        text and mappings extend is named from the working directory.
    overrides
        Values by address, such as `{"devices.cow.chunk": "16 KiB"}`.

    Raises
    ------
    InputError
        All problems, each with its place.

    >>> load("published/003-lvm-snapshots/same-disk").title
    'dd of 2 GiB over a file, snapshot on the same disk'
    >>> load({"title": "One disk", "devices": {"sda": {"model": "disk/sata-7200-1tb-2008"}}}).spec.devices["sda"].kind
    'disk'
    """
    log: list[str] = []
    problems: list[Problem] = []
    tree, chain = extended(what, log, problems)
    own = chain if given(what) is not None else chain[1:]
    base = next((text for text in own if text.startswith("published/")), None)
    nodes = {address: node_of(value) for address, value in (overrides or {}).items()}
    name = str(what) if given(what) is None else str(tree.mapping["title"].value) if "title" in tree.mapping else ""
    return finished(name, references(tree), nodes, tuple(log), base, before=problems)
