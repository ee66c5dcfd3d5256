"""Files on their way in: no more of one is read than a limit, a pipe once, and links in a circle are no error."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

GREATEST = 256 * 2**20
"""Bytes of a file that are read at most."""
GREATEST_TEXT = 32 * 2**20
"""Bytes of a YAML file that are read at most."""

_KEPT: ContextVar[dict[tuple[int, int], bytes] | None] = ContextVar("kept", default=None)


def content(path: Path, most: int = GREATEST) -> bytes:
    """The bytes of a file, a device or a pipe.

    Raises
    ------
    OSError
        It cannot be read, or holds more bytes than `most`.
    """
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        kept, same = _KEPT.get(), (state.st_dev, state.st_ino)
        if kept is None or stat.S_ISREG(state.st_mode):
            return _bounded(file.read(most + 1), most)
        if same not in kept:
            kept[same] = _bounded(file.read(most + 1), most)
        return kept[same]


def _bounded(data: bytes, most: int) -> bytes:
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most // 2**20} MiB")
    return data


@contextmanager
def pipes_kept() -> Generator[None]:
    """Inside, a pipe that was read once can be read again, as one that a shell makes of a command."""
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def replaced(path: Path, text: str) -> None:
    """Write a file anew: whoever reads it meanwhile sees all of the old text or all of the new."""
    target = whole(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_bytes(text.encode())
        beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def is_source(path: Path) -> bool:
    """Whether something can be read at a path: a file, or a device or pipe such as `/dev/stdin`.

    Raises
    ------
    OSError
        The path cannot be followed.
    """
    return path.is_file() or path.is_fifo() or path.is_char_device()


def whole(path: Path) -> Path:
    """The absolute path behind all links; as it is where links form a circle, or the working folder was deleted."""
    try:
        return Path(os.path.realpath(path))
    except OSError:
        return path


def unreachable(path: Path) -> str:
    """Why nothing can be read at a path where something is; empty if there is nothing, as for a name of no file."""
    try:
        if os.path.lexists(path):
            path.stat()
    except FileNotFoundError:
        return "is a link to a file that does not exist"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    except ValueError:
        return ""
    return ""
