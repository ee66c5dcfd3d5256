"""What one piece of work may use: memory, processor time, time on the clock, and room on disk."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

GIGABYTE = 1_000_000_000
ROOM = 0.75
"""Share of the memory of the machine that all runs together may use."""
NICER, NICEST = 1, 5
"""By how much work gives way to the server, so that the page answers while all processors are busy; and by how much
more work on intervals gives way to first answers."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """What a worker process may use, in bytes and seconds."""

    memory: float = 2.0 * GIGABYTE
    seconds: float = 300.0
    """Seconds of a processor, and twice as many on the clock."""
    file_size: float = 0.2 * GIGABYTE

    @property
    def on_the_clock(self) -> float:
        """Seconds after which a worker is stopped, whatever it waits for."""
        return 2.0 * self.seconds

    def lives(self, least: int, most: int) -> int:
        """How many workers may live at once, so that the machine has memory for all of them; at least and at most some.

        >>> WorkLimits(memory=1e15).lives(2, 16)
        2
        """
        return max(least, int(min(most, ROOM * _machine_memory() / self.memory)))


CHECKED = WorkLimits(seconds=20.0)
"""For checks and completions, which take a moment."""


def _machine_memory() -> float:
    """Bytes of memory of this machine; without bound where the system does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def put_on(limits: WorkLimits) -> None:
    """Put limits on this process, as far as the system has them; it then ends instead of using more."""
    with suppress(ImportError):  # Windows has none: there the clock alone bounds it
        resource: Any = import_module("resource")
        for kind, most in (
            ("RLIMIT_AS", limits.memory), ("RLIMIT_CPU", limits.seconds), ("RLIMIT_FSIZE", limits.file_size),
            ("RLIMIT_CORE", 0.0),
        ):  # fmt: skip
            with suppress(AttributeError, ValueError, OSError):
                _, hard = resource.getrlimit(getattr(resource, kind))
                wanted = int(most) if hard == resource.RLIM_INFINITY else min(int(most), hard)
                resource.setrlimit(getattr(resource, kind), (wanted, hard))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        os.nice(NICER)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends its workers


def give_way() -> None:
    """Let other processes go first from now on, where the system knows how."""
    with suppress(AttributeError, OSError):
        os.nice(NICEST)


def why_ended(code: int | None, limits: WorkLimits) -> str:
    """Why a worker ended without an answer, in words for the page."""
    if code == -getattr(signal, "SIGXCPU", 0) or code == -getattr(signal, "SIGKILL", 0):
        return f"it took more than {limits.seconds:g} s of a processor, and was stopped"
    return f"it ended unexpectedly (code {code})"
