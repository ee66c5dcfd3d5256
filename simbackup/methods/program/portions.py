"""What `of: changed` etc. mean in bytes and files for one data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FILES, DIRECTORIES = 0.0, -1.0
"""The sizes of items that stand for whole files, and for directories."""


@dataclass(frozen=True, slots=True)
class Portions:
    """Bytes, files and directories of the data by what counts: all, changed or not, what is new, what is stored."""

    bytes: Mapping[str, float]
    files: Mapping[str, float]
    directories: Mapping[str, float]

    def items(self, of: str, item: float) -> float:
        """How many files, directories, or pieces of so many bytes a portion has; the last piece of few bytes is one."""
        if item in {FILES, DIRECTORIES}:
            return (self.files if item == FILES else self.directories)[of]
        size = self.bytes[of]
        return max(size / item, 1.0) if size > 0.0 else 0.0

    def without(self, done: float, *, new: bool) -> Portions:
        """What is left when a share of it is done: of what is `new` to the target, or else of what has changed."""
        if not done:
            return self
        less = ("new", "stored") if new else ("changed", "new", "stored")

        def left(by: Mapping[str, float]) -> dict[str, float]:
            found = dict(by) | {of: by[of] * (1.0 - done) for of in less}
            return found if new else found | {"unchanged": by["unchanged"] + by["changed"] * done}

        return Portions(left(self.bytes), left(self.files), left(self.directories))

    def each(self, of: str, item: float, items: float) -> float:
        """Bytes of the data in one of so many items of a portion; those of a directory are in its files."""
        return 0.0 if item == DIRECTORIES else self.bytes[of] / items
