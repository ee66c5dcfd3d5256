"""Deduplicating targets of a site: the ratio of each save set, and the keys of its jobs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup import shelf
from simbackup.equations.change import Change, differs
from simbackup.equations.reduction import touched_chunks
from simbackup.errors import InputError, Problem, choices
from simbackup.methods.reduction.spec import DeduplicationSpec
from simbackup.schema import tree as trees
from simbackup.schema.quantity import si_or
from simbackup.schema.tree import Node
from simbackup.schema.validate import validate

if TYPE_CHECKING:
    from simbackup.planning.loading import SiteFile
    from simbackup.planning.spec import SiteSpec

FOLLOWING = ("ratio", "last", "generations")
"""Keys of a job that a plan finds by itself."""


class Chunking(NamedTuple):
    """How a target deduplicates: mean bytes of a chunk, and bytes of a first backup for each that it keeps."""

    chunk: float
    within: float

    def first(self) -> float:
        """Bytes that are new in each byte of a first backup."""
        return 1.0 / self.within

    def since(self, change: Change, run: float, seconds: float) -> float:
        """Bytes that are new in each byte of the data when the last save set is so many seconds old."""
        return touched_chunks(differs(change, seconds), run, self.chunk) / self.within


def stated(spec: SiteSpec, target: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """The keys that a site states of a target though they follow from its calendar, with a message and a remedy."""
    given = spec.targets[target].deduplication
    for key in (key for key in FOLLOWING if isinstance(given, Mapping) and key in given):
        yield ("targets", target, "deduplication", key), "follows from the calendar of the plan", "leave it out"


def replicated(spec: SiteSpec, sources: Iterable[str], to: str) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """A target of copies that deduplicates, though one of those from which it gets them does not."""
    known = [name for name in sources if name in spec.targets]
    plain = next((name for name in known if spec.targets[name].deduplication is None), None)
    if plain is not None and to in spec.targets and spec.targets[to].deduplication is not None:
        message = f"'{to}' deduplicates, but '{plain}', which it gets copies from, does not"
        remedy = f"write 'deduplication:' under targets.{plain}, too, or write 'reduction:' here instead"
        yield ("targets", to, "deduplication"), message, remedy


def chunking_of(file: SiteFile, target: str) -> Chunking | None:
    """How a target deduplicates; None if it does not.

    Raises
    ------
    InputError
        Everything that is wrong with what the site says of it.
    """
    part, address = file.part("targets", target, "deduplication"), f"targets.{target}.deduplication"
    if part is None:
        return None
    problems: list[Problem] = []
    said = validate(DeduplicationSpec, _with_datasheet(part, address, problems), address, problems)
    if problems or said is None:
        raise InputError(problems)
    return Chunking(said.chunk.si if said.chunk is not None else 0.0, si_or(said.within, 1.0))


def _with_datasheet(part: Node, address: str, problems: list[Problem]) -> Node:
    """What a site says, merged over the datasheet that it names."""
    model = part.mapping.get("model")
    if model is None:
        return part
    legal = [name for name in shelf.names() if name.startswith("deduplication/")]
    if model.word not in legal:
        message = f"there is no datasheet '{model.word}' of this kind"
        problems.append(Problem(model.place, f"{address}.model", message, choices(model.word, legal)))
        return part
    return trees.overlay(shelf.load_datasheet(model.word).tree.mapping["parameters"], part)


def deduplicating(file: SiteFile, target: str, age: float | None, points: int = 1) -> dict[str, Any]:
    """What a job says of a target that deduplicates, whose newest save set of the same data is so many seconds old.

    None if it has none; it has so many `points` of the data, about as far apart. Nothing where it does not deduplicate.
    """
    part = file.part("targets", target, "deduplication")
    if part is None:
        return {}
    said: dict[str, Any] = dict(part.mapping)
    if age is None:
        said.setdefault("within", 1.0)
    else:
        said |= {"last": f"{age:.0f} s", "generations": max(points, 1)}
    return {"deduplication": said}


def replicating(file: SiteFile, ends: tuple[str, str], age: float | None, copy_age: float | None) -> dict[str, Any]:
    """What a copy from one target to another says of the chunks that it sends; nothing unless both deduplicate.

    It sends those that are new there: where the newest copy is so many seconds old, and the newest save set at the
    source another age.
    """
    if any(file.spec.targets[name].deduplication is None for name in ends):
        return {}
    return {"new_chunks": True} | ({} if copy_age in {None, age} else {"new_since": f"{copy_age:.0f} s"})
