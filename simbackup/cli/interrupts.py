"""Ctrl-C that is never lost, and signals that end the program as cleanly."""

from __future__ import annotations

import os
import signal
import sys
import threading
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

WRONG_INPUT = 2
INTERRUPTED = 130
"""The exit codes for wrong input, and after Ctrl-C."""
EXIT_CODES = (
    f"Exit codes: 0 all is well; 1 the answer is bad, such as a failed job or a missed goal; {WRONG_INPUT} wrong "
    f"input; {INTERRUPTED} ended by Ctrl-C; 143 ended by SIGTERM."
)
"""What the help says of them."""

ENDING = ("SIGTERM", "SIGHUP")
"""Signals of `kill`, of a time limit, and of a terminal that is closed; not all systems have both."""
AGAIN = 0.02
"""Seconds after which an interrupt that was lost comes again."""
waiting: list[Timer] = []
"""The interrupts that were lost."""
kept: list[str] = []
"""What an interrupted command says that it kept; nothing by default."""
received: list[int] = []
"""The signals of `ENDING` that have come."""


def keep() -> None:
    """Let an interrupt come again that came while Python ended an object, where it can raise nothing.

    It comes from another thread, when the one that lost it has left that place. The signals of `ENDING` interrupt, too,
    so that nothing half-written stays; those that are ignored, as under nohup, stay so.
    """
    sys.unraisablehook = _unraisable
    for number in _ending() if threading.current_thread() is threading.main_thread() else ():
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def code() -> int:
    """The exit code of a command that was interrupted: of a signal, 128 and its number, as shells have it."""
    return 128 + received[0] if received else INTERRUPTED


def said() -> str:
    """What the program says when it was interrupted."""
    how = f"ended by {signal.Signals(received[0]).name}" if received else "interrupted"
    return f"{how}; {kept[-1] if kept else 'no partial output was written'}"


def _ending() -> list[signal.Signals]:
    """The signals of `ENDING` that this system has."""
    return [signal.Signals[name] for name in ENDING if name in signal.Signals.__members__]


def _end(number: int, frame: object) -> None:
    """Raise KeyboardInterrupt for a signal, and ignore further signals during the clean-up."""
    del frame
    received.append(number)
    for each in _ending():
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _unraisable(lost: UnraisableHookArgs) -> None:
    if getattr(lost.object, "__qualname__", "") == "BaseEventLoop.__del__" and lost.exc_type is AttributeError:
        return  # interrupted while an event loop was being created: there is nothing to close
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
