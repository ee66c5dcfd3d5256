"""Outputs that take their places together: all of them, or none, even if the program is killed at that moment."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from simbackup.errors import ResultError
from simbackup.output import exchange
from simbackup.output.exchange import Swap, take_places


@dataclass(slots=True)
class Outputs:
    """What was written and has not taken its place yet."""

    ends: ExitStack
    """What is closed and cleaned up once all have taken their places, or none will."""
    swaps: list[Swap] = field(default_factory=list[Swap])

    def add(self, new: Path, place: Path, aside: Path | None = None) -> None:
        """Let something that was written take its place at the end."""
        self.swaps.append(Swap(str(new), str(place), "" if aside is None else str(aside)))


_OUTPUTS: ContextVar[Outputs | None] = ContextVar("outputs", default=None)


@contextmanager
def together() -> Generator[Outputs]:
    """Let all that is written inside take its place at the end, if nothing goes wrong before.

    Raises
    ------
    ResultError
        An output cannot take its place.
    """
    around = _OUTPUTS.get()
    if around is not None:
        yield around
        return
    with ExitStack() as ends:
        made = Outputs(ends)
        token = _OUTPUTS.set(made)
        try:
            yield made
        finally:
            _OUTPUTS.reset(token)
        _take_places(made.swaps)


def _take_places(swaps: list[Swap]) -> None:
    """Make one swap here; several in a process that ends its work although this one is killed."""
    several = len(swaps) > 1 and bool(sys.executable)
    wrong = _elsewhere(swaps) if several else take_places(swaps)
    if wrong:
        raise ResultError(wrong)


def _elsewhere(swaps: list[Swap]) -> str:
    """What went wrong when another process made swaps; interrupted or not, nothing goes on before it has ended."""
    words = [sys.executable, "-I", "-S", str(exchange.__file__)]
    other = subprocess.Popen(  # noqa: S603 (our own program)
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        said, _ = other.communicate(f"{json.dumps(swaps)}\n")
    finally:
        for pipe in (other.stdin, other.stdout):
            if pipe is not None:
                pipe.close()
        other.wait()
    return json.loads(said) if said else "the outputs could not be put in their places"
