"""Scenarios loaded by path, by name, from text or from a mapping."""

from __future__ import annotations

from collections.abc import Mapping

from simbackup.collector import seldom
from simbackup.errors import InputError, Problem
from simbackup.scenario.alternatives import Choice
from simbackup.scenario.files import Source, given
from simbackup.scenario.inheritance import extended, references
from simbackup.scenario.scenario import Scenario, finished, node_of
from simbackup.schema.tree import from_plain


@seldom()
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
    scenario = finished(name, references(tree), nodes, tuple(log), base, before=problems)
    for choice in scenario.choices:
        _check(scenario, choice)
    return scenario


def _check(scenario: Scenario, choice: Choice) -> None:
    """Check that a scenario is right with each alternative of a value; what is wrong is where the choice stands."""
    for option in choice.options[1:]:
        try:
            scenario.with_({choice.address: from_plain(option, choice.place)})
        except InputError as error:
            word = from_plain(option, choice.place).word
            raise InputError([_with(choice, word, problem) for problem in error.problems]) from None


def _with(choice: Choice, word: str, problem: Problem) -> Problem:
    """A problem that a scenario has with an alternative, at the choice."""
    where = "" if problem.address == choice.address else f"{problem.address}: "
    return Problem(
        choice.place, choice.address, f"with the alternative '{word}', {where}{problem.message}", problem.remedy
    )
