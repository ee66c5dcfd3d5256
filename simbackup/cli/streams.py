"""Standard output and standard error that may be closed, full or a broken pipe: one message, and no traceback."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

from simbackup.errors import SimbackupError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OUT, ERR = 1, 2
"""The numbers of standard output and standard error."""


class OutputError(SimbackupError):
    """Standard output cannot be written."""


class _Output(io.FileIO):
    """Standard output; what cannot be written ends the program with a message, or in silence if nobody reads a pipe."""

    def write(self, data: ReadableBuffer, /) -> int | None:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            to_nowhere(OUT)
            raise OutputError(f"standard output cannot be written ({error.strerror})") from None


class _Notes(io.FileIO):
    """Standard error; what cannot be written there is lost."""

    def write(self, data: ReadableBuffer, /) -> int | None:
        try:
            return super().write(data)
        except OSError:
            to_nowhere(ERR)
            return super().write(data)


def to_nowhere(number: int) -> None:
    """Let everything that is written to a stream from now on be lost."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def keep() -> None:
    """Open what was closed when the program began, so that no file takes its number, and follow errors of both streams.

    Writing to a standard output that was closed is an error, and to a standard error is none.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the least number that is free
    if os.name != "posix":  # consoles of other systems have streams of their own
        return
    if sys.stdout is sys.__stdout__:  # and not what a program that calls this one has put there
        sys.stdout = _text(_Output(OUT, "wb", closefd=False), sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Notes(ERR, "wb", closefd=False), sys.stderr)


def _text(raw: io.FileIO, old: TextIO | None) -> TextIO:
    """A stream of text in the place of an old one, which is missing if it was closed."""
    encoding, errors = ("utf-8", "backslashreplace") if old is None else (old.encoding, old.errors)
    lines = raw.isatty() or raw.fileno() == ERR
    through = bool(getattr(old, "write_through", False))
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors, line_buffering=lines, write_through=through)
