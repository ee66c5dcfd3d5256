"""Forked processes for small runs: they start within milliseconds, as all is imported."""

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
    shared = Copies(len(os.sched_getaffinity(0)) if _safe() else 1)
    try:
        yield shared
    finally:
        shared.end()


def _safe() -> bool:
    """Whether this process can be copied now: a copy waits for ever for a lock that another thread held."""
    try:
        return sys.platform == "linux" and len(list(THREADS.iterdir())) == 1
    except OSError:  # a sandbox without /proc
        return False


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
        others = self._others(function, max(0, min(self.number, len(every) // FEWEST) - 1))
        count = 1 + len(others)
        shares = [every[k::count] for k in range(count)]
        try:
            for share, other in zip(shares[1:], others, strict=True):
                other.ask(share)
            found = [[function(item) for item in shares[0]]]
            for share, other in zip(shares[1:], others, strict=True):
                given = other.answer()
                found.append([function(item) for item in share] if given is None else given)
        except BaseException:
            self.end()  # their answers would be taken for those of the next items
            raise
        return (found[i % count][i // count] for i in range(len(every)))

    def _others(self, function: Callable[[T], R], count: int) -> list[_Copy]:
        """So many copies that run a function, or fewer if no more can be made."""
        if function is not self.function:
            self.end()
        self.function = function
        while len(self.others) < count and _safe() and (other := _Copy.of(function)) is not None:
            self.others.append(other)
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
    def of(cls, function: Callable[[T], R]) -> _Copy | None:
        """A copy that runs a function over the items that it is asked for, until it is ended.

        None if the system allows no more files or processes.
        """
        ends, parent = list[int](), os.getpid()
        try:
            ends += os.pipe()
            ends += os.pipe()
            process = os.fork()
            asked, to, back, given = ends
            if process:
                os.close(asked)
                os.close(given)
                return cls(process, os.fdopen(to, "wb"), os.fdopen(back, "rb"))
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.close(to)
            with os.fdopen(asked, "rb") as reading, os.fdopen(given, "wb") as writing:
                while True:
                    pickle.dump([function(item) for item in pickle.load(reading)], writing)  # noqa: S301
                    writing.flush()
        except OSError:
            for end in ends:
                os.close(end)
            return None
        finally:
            if os.getpid() != parent:
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
        with suppress(ProcessLookupError, ChildProcessError):  # the system waits for it where SIGCHLD is ignored
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        self.back.close()
        with suppress(BrokenPipeError):  # it had failed before it read all
            self.to.close()
