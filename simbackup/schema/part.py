"""What all parts of a scenario have in common: checks, facts, and parameters from a datasheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from simbackup.schema.facts import Facts, amount
from simbackup.schema.quantity import Frozen, Quantity

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.scenario.spec import Spec

Path = tuple[str | int, ...]
"""Where something stands in a scenario, such as `("devices", "cow", "size")`."""
Rules = Iterator[tuple[tuple[str, ...], str, str]]
"""Values of one part that do not go together: their keys, what is wrong, what would be right."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")
"""Names of parts."""
AMOUNTS = ("capacity", "size", "rate")


class Part(Frozen):
    """A part of a scenario: a device, a data set, a workload or a job, or what one of them holds."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report everything in which the part disagrees with other parts of its scenario; nothing unless overridden."""

    def uses(self, spec: Spec, name: str) -> Iterator[str]:
        """Addresses of the conditional keys, own ones and those of other parts, that the part makes act."""
        del spec, name
        yield from ()

    def facts(self) -> Facts:
        """What a reader wants to know of the part, most telling first: its size and rate unless overridden."""
        for name in AMOUNTS:
            given = getattr(self, name, None)
            if isinstance(given, Quantity):
                yield from amount(given)


class Modelled(Frozen):
    """Anything that stands in a scenario and may take its parameters from a datasheet."""

    sheet: ClassVar[str | None] = None
    """The kind of datasheet that it takes parameters from, where its class does not say so."""
    model: str | None = None
    """The datasheet for its parameters, `kind/name`; values written here win over it."""


class Disagreement(NamedTuple):
    """Values of one part that do not go together: where they stand in it, what is wrong, what would be right."""

    paths: tuple[tuple[str, ...], ...]
    message: str
    remedy: str


def disagreements(part: Frozen, path: tuple[str, ...] = ()) -> Iterator[Disagreement]:
    """Everything in which the values of a part, and of the parts inside it, disagree."""
    for names, message, remedy in part.rules():
        yield Disagreement(tuple((*path, name) for name in names), message, remedy)
    for name in type(part).model_fields:
        inner = getattr(part, name)
        if isinstance(inner, Frozen):
            yield from disagreements(inner, (*path, name))
