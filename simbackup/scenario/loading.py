"""Scenarios loaded by path, by name, from text or from a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simbackup.collector import seldom
from simbackup.errors import InputError, Problem
from simbackup.scenario.alternatives import Choice
from simbackup.scenario.files import Source, given
from simbackup.scenario.inheritance import extended, references
from simbackup.scenario.reading import alike
from simbackup.scenario.scenario import Scenario, finished, node_of
from simbackup.schema.tree import from_plain


@seldom(kept=True)
def load(what: Source, overrides: Mapping[str, object] | None = None, *, like: Scenario | None = None) -> Scenario:
    """The scenario of a file, of YAML text or of a mapping, with the values at some addresses replaced.

    Parameters
    ----------
    what
        Path or name of a file; text of several lines, as it would stand in a file; or its sections as a mapping. If
        text or a mapping extends a file, that file is named from the working directory.
    overrides
        Values by address, such as `{"devices.cow.chunk": "16 KiB"}`.
    like
        A scenario that was loaded before; what is written in the same way in both is read and checked only once.

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
    named = given(what, []) is None
    own = chain[1:] if named else chain
    base = next((text for text in own if text.startswith("published/")), None)
    nodes = {address: node_of(value) for address, value in (overrides or {}).items()}
    name = str(what) if named else str(tree.mapping["title"].value) if "title" in tree.mapping else ""
    tree, known = references(tree), None
    if like is not None:
        tree, known = alike(tree, like.source), like.known
    scenario = finished(name, tree, nodes, tuple(log), base, before=problems, known=known)
    for together in _together(scenario.choices):
        _check(scenario, together)
    return scenario


def _together(choices: Sequence[Choice]) -> list[list[Choice]]:
    """Choices in groups: what stands at one place of a file, or is shared, is one unknown in however many parts."""
    found: dict[tuple[str, int], list[Choice]] = {}
    for choice in choices:
        one = choice.shared or (f"{choice.place}" if choice.place.line else choice.address)
        found.setdefault((one, len(choice.options)), []).append(choice)
    return list(found.values())


def _check(scenario: Scenario, together: Sequence[Choice]) -> None:
    """Check that a scenario is right with each alternative of an unknown; what is wrong is where the choice stands."""
    for which in range(1, len(together[0].options)):
        problems = _wrong(scenario, together, which)
        if problems and len(together) > 1:  # name one part, not all of them
            alone = (_wrong(scenario, [choice], which) for choice in together)
            problems = next(filter(None, alone), problems)
        if problems:
            raise InputError(problems)


def _wrong(scenario: Scenario, together: Sequence[Choice], which: int) -> list[Problem]:
    """What is wrong with a scenario in which some choices are each one of their alternatives."""
    options = [from_plain(choice.options[which], choice.place) for choice in together]
    try:
        scenario.with_({choice.address: option for choice, option in zip(together, options, strict=True)})
    except InputError as error:
        return [_with(together[0], options[0].word, problem) for problem in error.problems]
    return []


def _with(choice: Choice, word: str, problem: Problem) -> Problem:
    """A problem that a scenario has with an alternative, at the choice."""
    where = "" if problem.address == choice.address else f"{problem.address}: "
    return Problem(
        choice.place, choice.address, f"with the alternative '{word}', {where}{problem.message}", problem.remedy
    )
