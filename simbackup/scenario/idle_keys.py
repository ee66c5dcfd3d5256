"""Keys in a file that have no effect: those that no part of a simulation has read.

Copies of the parts note what is read of them for the first time. A copy has no values of keys that a file states.
Python asks it for each by `Frozen.__getattr__`, which notes the address and keeps the value in the copy, so that all
later reads take no more time than those of any other part. What is not noted was never read, and has had no effect. The
reverse need not hold: a value may be read and then count for nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from simbackup.errors import Problem
from simbackup.scenario.fleets import reported_once
from simbackup.schema.fleet import PARTS
from simbackup.schema.part import Part, held
from simbackup.schema.quantity import NOTED, Frozen
from simbackup.schema.reflection import text_of

if TYPE_CHECKING:
    from simbackup.scenario.scenario import Scenario
    from simbackup.scenario.spec import Spec
    from simbackup.schema.tree import Node

Noted = TypeVar("Noted", bound=Frozen)


class Noting(NamedTuple):
    """What notes the reads of a part: the part, its address, and the addresses that have been read so far."""

    part: Frozen
    address: str
    reads: set[str]

    def __call__(self, name: str) -> Any:
        """The value of a key, noted; that of a part inside it notes its own reads. None raises KeyError."""
        return self.read(vars(self.part)[name], f"{self.address}.{name}")

    def read(self, value: Any, here: str) -> Any:
        """A value at an address, which is read; parts inside it note their own reads."""
        self.reads.add(here)
        if isinstance(value, Frozen):
            return noting(value, here, self.reads)
        if isinstance(value, dict):  # who looks at one of its names may look at all
            named = cast("Mapping[str, Any]", value)
            return {each: self.read(child, f"{here}.{each}") for each, child in named.items()}
        return value


def noting(part: Noted, address: str, reads: set[str]) -> Noted:
    """A copy of a part that notes which of the keys are read that a file states."""
    stated, copy = part.model_fields_set, object.__new__(type(part))
    here = {name: value for name, value in vars(part).items() if name not in stated}
    object.__setattr__(copy, "__dict__", {**here, NOTED: Noting(part, address, reads)})
    return copy


Path = tuple[str, ...]
NAMING = frozenset({"kind", "model", "method"})
"""Keys that say what a part is: they have been read before there is a part."""


def noted(spec: Spec, reads: set[str] | None) -> Spec:
    """The spec of a scenario whose parts note the addresses of what is read of them; as it is where nobody asks."""
    if reads is None:
        return spec
    sections = {
        section: {name: noting(part, f"{section}.{name}", reads) for name, part in _parts(spec, section).items()}
        for section in PARTS
    }
    return replace(spec, **sections)


def idle_keys(scenario: Scenario, reads: Collection[str]) -> list[Problem]:
    """A warning for each key that the scenario's own file states, or that replaces a value of it, and nobody has read.

    Values in datasheets and extended files may serve other scenarios.
    """
    found, idle = list[Problem](), set[Path]()
    for path, node, part in stated(scenario):
        address = ".".join(path)
        if address in reads:
            continue
        idle.add(path)
        if path[:-1] not in idle:  # else all is that it is in, which is reported
            found.append(Problem(node.place, address, "has no effect here", meaning(part, path[-1]), "warning"))
    return reported_once(found, scenario.fleets, scenario.known.layout.laid)


def meaning(part: type[Frozen], key: str) -> str:
    """What a key is for, in the words of the reference."""
    text = text_of(part, key)
    return f"it is for: {' '.join(text.split())}" if text else "leave it out"


def stated(scenario: Scenario, file: str | None = None) -> Iterator[tuple[Path, Node, type[Frozen]]]:
    """The keys of parts that a file states, the scenario's own unless another is named.

    Of each the path, the value, and the class that it is a key of.
    """
    file = scenario.tree.place.file if file is None else file
    for section in PARTS:
        for name, part in _parts(scenario.spec, section).items():
            path = (section, name)
            yield from _inside(part, path, scenario.tree.find(path)[0], file)


def _inside(part: Frozen, path: Path, node: Node, file: str) -> Iterator[tuple[Path, Node, type[Frozen]]]:
    for key, child in node.mapping.items():
        own, field = child.key.file == file or not child.key.line, type(part).model_fields.get(key)
        if key in NAMING or child.value is None or field is None:
            continue
        if own and not (field.is_required() and "model" not in node.mapping):  # else it cannot be left out
            yield (*path, key), child, type(part)
        for where, inner in held(getattr(part, key), (*path, key)):
            if isinstance(inner, Frozen):
                yield from _inside(inner, where, child.find(where[len(path) + 1 :])[0], file)


def _parts(spec: Spec, section: str) -> Mapping[str, Part]:
    return cast("Mapping[str, Part]", getattr(spec, section))
