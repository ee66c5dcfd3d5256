"""What was written takes its place. Run as a program, this does so for several outputs, even if its parent dies."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Arguments of Linux' renameat2."""


class Swap(NamedTuple):
    """What was written, where it belongs, and where a folder that stands there is moved if they cannot be exchanged."""

    new: str
    place: str
    aside: str = ""


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths, and return whether it worked; False where the system cannot do it in one step."""
    if sys.platform != "linux":
        return False
    call: Any = getattr(ctypes.CDLL(None), "renameat2", None)
    if call is None:
        return False
    return call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0


def take_place(swap: Swap) -> None:
    """Put what was written where it belongs; a folder that stood there is afterwards in one of the other places."""
    new, place = Path(swap.new), Path(swap.place)
    if swap.aside and place.is_dir() and any(place.iterdir()):
        if exchange(new, place):
            return
        place.replace(swap.aside)
    new.replace(place)


def take_places(swaps: Iterable[Swap]) -> str:
    """Put all that was written where it belongs, and return what went wrong; the empty text if nothing did."""
    for swap in swaps:
        try:
            take_place(swap)
        except OSError as error:
            return f"{swap.place} cannot be written ({error.strerror or error})"
    return ""


def main() -> None:
    """Read swaps as a line of JSON, make them, and write what went wrong as JSON; without a whole line, make none."""
    line = sys.stdin.readline()
    if line.endswith("\n"):
        json.dump(take_places(Swap(*each) for each in json.loads(line)), sys.stdout)


if __name__ == "__main__":
    main()
