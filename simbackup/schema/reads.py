"""Which values of a file a simulation reads: copies of its parts note what is read of them for the first time.

A copy has no values of its own. Python asks it for each by `Frozen.__getattr__`, which notes the address and keeps the
value in the copy, so that all later reads take no more time than those of any other part. What is not noted was never
read, and has had no effect. The reverse need not hold: a value may be read and then count for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast

from simbackup.schema.quantity import NOTED, Frozen

Part = TypeVar("Part", bound=Frozen)


class Noting(NamedTuple):
    """What notes the reads of a part: the part, its address, and the addresses that have been read so far."""

    part: Frozen
    address: str
    reads: set[str]

    def __call__(self, name: str) -> Any:
        """The value of a key, noted; that of a part inside it notes its own reads."""
        value, here = vars(self.part)[name], f"{self.address}.{name}"
        return self.read(value, here)

    def read(self, value: Any, here: str) -> Any:
        """A value at an address, which is read; parts inside it note their own reads."""
        self.reads.add(here)
        if isinstance(value, Frozen):
            return noting(value, here, self.reads)
        if isinstance(value, Mapping):  # who looks at one of its names may look at all
            named = cast("Mapping[str, Any]", value)
            return {each: self.read(child, f"{here}.{each}") for each, child in named.items()}
        return value


def noting(part: Part, address: str, reads: set[str]) -> Part:
    """A copy of a part that notes which of its keys are read."""
    copy = object.__new__(type(part))
    object.__setattr__(copy, "__dict__", {NOTED: Noting(part, address, reads)})
    return copy
