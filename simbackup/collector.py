"""Python's collector of cycles, which looks at all objects again and again while a large system is made or runs."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

OBJECTS = 250_000
"""Number of new objects after which the collector looks for cycles."""


@contextmanager
def seldom(*, kept: bool = False) -> Generator[None]:
    """Let the collector run seldom inside: nearly all new objects stay in use, and each run looks at all of them.

    It still runs, as objects that are no longer used may form cycles. Afterwards its threshold is as before. With
    `kept`, all objects then count as old, so that only a collection of the oldest generation looks at them again.

    >>> with seldom():
    ...     gc.get_threshold()[0]
    250000
    """
    before = gc.get_threshold()
    gc.set_threshold(max(OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        if kept and not gc.get_freeze_count():  # unfreezing would undo the freeze of another caller
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(*before)
