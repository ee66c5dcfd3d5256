"""What `of: changed` etc. mean in bytes and files for one data set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FILES = 0.0
"""The size of an item that stands for whole files."""


@dataclass(frozen=True, slots=True)
class Portions:
    """Bytes and files of the data by what counts: all, what has changed or not, what is new, what is stored of it."""

    bytes: Mapping[str, float]
    files: Mapping[str, float]

    def items(self, of: str, item: float) -> float:
        """How many files, or pieces of so many bytes, a portion has; the last piece of few bytes is one, too."""
        size = self.bytes[of]
        return self.files[of] if item == FILES else max(size / item, 1.0) if size > 0.0 else 0.0
