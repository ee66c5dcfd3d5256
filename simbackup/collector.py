"""Python's collector of cycles, which looks at all objects again and again while a large system is made or runs."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

OBJECTS = 250_000
"""Objects that are made before the collector looks for cycles among them."""


@contextmanager
def seldom(*, kept: bool = False) -> Generator[None]:
    """Inside, the collector looks seldom: nearly all that is made stays, and each look would cost what there is.

    It still looks, as what has ended may hold itself. Afterwards it is as it was, but for what is `kept`: that counts
    as old at once, and is not looked at until all is.

    >>> with seldom():
    ...     gc.get_threshold()[0]
    250000
    """
    before = gc.get_threshold()
    gc.set_threshold(max(OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        if kept and not gc.get_freeze_count():  # else what somebody else froze would be looked at again
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(*before)
