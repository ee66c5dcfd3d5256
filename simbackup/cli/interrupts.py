"""Ctrl-C that is never lost."""

from __future__ import annotations

import os
import signal
import sys
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN = 0.02
"""Seconds after which an interrupt that was lost comes again."""
waiting: list[Timer] = []
"""The interrupts that were lost."""


def keep() -> None:
    """Let an interrupt come again that came while Python ended an object, where it can raise nothing.

    It comes from another thread, when the one that lost it has left that place.
    """
    sys.unraisablehook = _unraisable


def _unraisable(lost: UnraisableHookArgs) -> None:
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    again = Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT))
    again.daemon = True
    waiting.append(again)
    again.start()


def come_now() -> None:
    """Let an interrupt that was lost, and has not come again so far, come now: the command has ended meanwhile.

    Raises
    ------
    KeyboardInterrupt
        There is one.
    """
    late = [again for again in waiting if not again.finished.is_set()]
    waiting.clear()
    for again in late:
        again.cancel()
    if late:
        raise KeyboardInterrupt
