"""Copies of this process, which share small runs with it: they start within milliseconds, as all is imported."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

FEWEST = 4
"""Items for which a copy is of use."""
THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of a process."""

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def copies() -> Generator[Copies]:
    """The process itself, with a copy for each other processor that it may use; none where it cannot be copied.

    It is copied where that is safe: on Linux, while it has a single thread.
    """
    alone = sys.platform != "linux" or len(list(THREADS.iterdir())) != 1
    shared = Copies(1 if alone else len(os.sched_getaffinity(0)))
    try:
        yield shared
    finally:
        shared.end()


@dataclass(slots=True)
class Copies:
    """Runs a function over items in so many processes, of which this is one."""

    number: int
    function: Callable[[Any], Any] | None = None
    others: list[_Copy] = field(default_factory=list["_Copy"])

    def map(self, function: Callable[[T], R], items: Iterable[T], /) -> Iterator[R]:
        """What each item gives, in order. What a copy cannot do, this process does; copies pickle what they give.

        >>> with copies() as shared:
        ...     list(shared.map(abs, [-1, 2, -3, 4, -5, 6, -7, 8]))
        [1, 2, 3, 4, 5, 6, 7, 8]
        """
        every = list(items)
        count = max(1, min(self.number, len(every) // FEWEST))
        shares = [every[k::count] for k in range(count)]
        others = self._others(function, count - 1)
        for share, other in zip(shares[1:], others, strict=True):
            other.ask(share)
        found = [[function(item) for item in shares[0]]]
        for share, other in zip(shares[1:], others, strict=True):
            given = other.answer()
            found.append([function(item) for item in share] if given is None else given)
        return (found[i % count][i // count] for i in range(len(every)))

    def _others(self, function: Callable[[T], R], count: int) -> list[_Copy]:
        """So many copies that run a function."""
        if function is not self.function:
            self.end()
        self.function = function
        while len(self.others) < count:
            self.others.append(_Copy.of(function))
        return self.others[:count]

    def end(self) -> None:
        """End all copies."""
        while self.others:
            self.others.pop().end()


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy of this process, and the ends of pipes to and from it."""

    process: int
    to: IO[bytes]
    back: IO[bytes]

    @classmethod
    def of(cls, function: Callable[[T], R]) -> _Copy:
        """A copy that runs a function over the items that it is asked for, until it is ended."""
        (asked, to), (back, given) = os.pipe(), os.pipe()
        process = os.fork()
        if process:
            os.close(asked)
            os.close(given)
            return cls(process, os.fdopen(to, "wb"), os.fdopen(back, "rb"))
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.close(to)
            with os.fdopen(asked, "rb") as reading, os.fdopen(given, "wb") as writing:
                while True:
                    pickle.dump([function(item) for item in pickle.load(reading)], writing)  # noqa: S301
                    writing.flush()
        finally:
            os._exit(1)  # what went wrong goes wrong in the other process, too

    def ask(self, items: Sequence[object]) -> None:
        """Send it items; nothing if it has failed."""
        with suppress(BrokenPipeError):
            pickle.dump(items, self.to)
            self.to.flush()

    def answer(self) -> list[Any] | None:
        """What the items gave; None if it has failed."""
        try:
            return pickle.load(self.back)  # noqa: S301 (a copy of this process wrote it)
        except (EOFError, pickle.UnpicklingError):
            return None

    def end(self) -> None:
        """End it."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        self.back.close()
        with suppress(BrokenPipeError):  # it had failed before it read all
            self.to.close()
