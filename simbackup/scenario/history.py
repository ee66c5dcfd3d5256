"""What is wrong with how a history belongs to a scenario."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simbackup.errors import Problem, choices
from simbackup.foreign.histories.finished_job import TEXTS, wrong_formula
from simbackup.schema.fleet import PARTS
from simbackup.schema.tree import Node

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec


def wrong_history(spec: Spec, tree: Node) -> Iterator[Problem]:
    """Report jobs, parts and columns of a history that there are not.

    Values are checked with each row, as a scenario may refuse those of one and not of another.
    """
    for name, job in spec.history.jobs.items() if spec.history is not None else ():
        at = ("history", "jobs", name)
        if name not in spec.jobs:
            place = tree.find(at)[0].key
            yield Problem(place, ".".join(at), f"there is no job '{name}'", choices(name, spec.jobs))
        for column in job.where:
            if column not in TEXTS:
                path = (*at, "where", column)
                message = f"'{column}' is not a column of words"
                yield Problem(tree.find(path)[0].key, ".".join(path), message, choices(column, TEXTS))
        for address, text in job.set.items():
            path = (*at, "set", address)
            section, _, rest = address.partition(".")
            part = rest.partition(".")[0]
            if section not in PARTS or part not in getattr(spec, section):
                message = f"there is no part '{section}.{part}'"
                yield Problem(tree.find(path)[0].key, ".".join(path), message, "write section.part.key")
            wrong = wrong_formula(text)
            if wrong:
                message, _, remedy = wrong.partition("; ")
                yield Problem(tree.find(path)[0].place, ".".join(path), message, remedy)
