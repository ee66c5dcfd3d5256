"""Restores: which files of a save set are wanted, where in it they are, and who restores what a method saves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simbackup.catalogue import SaveSet
from simbackup.schema import registry

if TYPE_CHECKING:
    from simbackup.methods.job import Work
    from simbackup.methods.restore.spec import RestoreSpec
    from simbackup.scenario.spec import Spec

GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""Golden ratio: its multiples by the squares, without their whole part, spread like points drawn at random, and so do
two that follow each other (Weyl, 1916)."""
Piece = tuple[float, float]
"""Begin and size of a piece of a save set."""
MOST = 200
"""Greatest number of pieces of a stream that are simulated one by one."""
Reads = Literal["wanted", "to_last", "all"]
"""What a program reads to find files: only these, everything up to the last of them, or everything."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The files that are wanted."""

    files: int
    """Number of files."""
    size: float
    """Bytes of all of them."""
    at: float | None
    """Share (0 to 1) of the save set at which they begin, all together; None if they are spread over it."""

    def within(self, saved: SaveSet) -> Selection:
        """The selection, limited to what a save set has, as an incremental may have little."""
        return Selection(min(self.files, max(int(saved.files), 1)), min(self.size, saved.size), self.at)

    def pieces(self, saved: SaveSet) -> list[Piece]:
        """Begin and size of each piece of the save set: all files together at one place, or each by itself.

        Spread files are one in each of equal parts, at places as if drawn at random: even spacing would be in step
        with the passes of the tape, and the way from one to the next would not be the mean way.
        """
        if self.at is not None:
            return [(min(self.at * saved.size, saved.size - self.size), self.size)]
        each, step = self.size / self.files, saved.size / self.files
        return [(i * step + (0.5 + i * i * GOLDEN) % 1.0 * (step - each), each) for i in range(self.files)]


def passed_over(saved: SaveSet, pieces: Sequence[Piece], reads: Reads) -> list[Piece]:
    """Pieces of a save set that are read without being wanted: none, those before the last wanted one, or all others.

    >>> saved = SaveSet("jobs.full", "users", "file_level", 100.0, 10.0, 0.0)
    >>> passed_over(saved, [(40.0, 10.0), (50.0, 10.0)], "to_last"), passed_over(saved, [(0.0, 10.0)], "all")
    ([(0.0, 40.0)], [(10.0, 90.0)])
    """
    if reads == "wanted":
        return []
    ends = [0.0, *(begin + size for begin, size in pieces)]
    begins = [*(begin for begin, _ in pieces), saved.size if reads == "all" else ends[-1]]
    return [(end, begin - end) for end, begin in zip(ends, begins, strict=True) if begin > end]


def wanted(saved: SaveSet, selection: Selection | None) -> tuple[float, list[Piece]]:
    """Number of wanted files, and begin and size of each piece; one piece without a selection."""
    if selection is None:
        return saved.files, [(0.0, saved.size)]
    there = selection.within(saved)
    return there.files, there.pieces(saved)


def gathered(pieces: Sequence[tuple[float, float]]) -> list[tuple[float, float, int]]:
    """Begin and size of each piece, and how many pieces it stands for: if there are many, adjacent ones are joined.

    These are found one after the other and take as long, with fewer events. A stream may have no pieces.

    >>> gathered([(0.0, 5.0), (20.0, 5.0)]), gathered([])
    ([(0.0, 5.0, 1), (20.0, 5.0, 1)], [])
    """
    together = max(math.ceil(len(pieces) / MOST), 1)
    groups = [pieces[i : i + together] for i in range(0, len(pieces), together)]
    return [(group[0][0], sum(size for _, size in group), len(group)) for group in groups]


def make(job: RestoreSpec, spec: Spec) -> Work:
    """The restore of what a backup saves."""
    saved = spec.jobs[job.restore]
    return registry.function(registry.kind_of(saved).restore)(job, saved, spec)


def selection_of(job: RestoreSpec) -> Selection | None:
    """The files that are wanted, None for all."""
    select = job.select
    if select is None:
        return None
    return Selection(int(select.files.si), select.size.si, select.at.si if select.at else None)
