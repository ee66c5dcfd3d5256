"""Standard output and standard error that may be closed, full or a broken pipe: one message, and no traceback."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from simbackup.errors import SimbackupError

OUT, ERR = 1, 2
"""The numbers of standard output and standard error."""


class OutputError(SimbackupError):
    """Standard output cannot be written."""


class _Output(io.TextIOWrapper):
    """Standard output; what cannot be written ends the program with a message, or in silence if nobody reads a pipe.

    The layer of bytes below is the library's own: an interrupt in one of ours would come between writing and noting
    what is written, and the same bytes would be written twice.
    """

    def write(self, s: str, /) -> int:
        try:
            return super().write(s)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> Exception:
        if isinstance(error, BrokenPipeError):
            return error
        to_nowhere(OUT)
        return OutputError(f"standard output cannot be written ({error.strerror})")


class _Notes(io.TextIOWrapper):
    """Standard error; what cannot be written there is lost."""

    def write(self, s: str, /) -> int:
        try:
            return super().write(s)
        except OSError:
            self._lose()
            return len(s)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            self._lose()

    def _lose(self) -> None:
        to_nowhere(ERR)
        super().flush()


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
        sys.stdout = _text(_Output, OUT, sys.stdout)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(_Notes, ERR, sys.stderr)


def _text(kind: type[io.TextIOWrapper], number: int, old: TextIO | None) -> TextIO:
    """A stream of text in the place of an old one, which is missing if it was closed."""
    raw = io.FileIO(number, "wb", closefd=False)
    encoding, errors = ("utf-8", "backslashreplace") if old is None else (old.encoding, old.errors)
    lines = raw.isatty() or number == ERR
    through = bool(getattr(old, "write_through", False))
    return kind(io.BufferedWriter(raw), encoding, errors, line_buffering=lines, write_through=through)
