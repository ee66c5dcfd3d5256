"""Which files the program wrote: those that bear its mark, with the checksum of what it wrote."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from simbackup.errors import ResultError

MARK = "user.simbackup.sha256"
"""The extended attribute of a file that holds the checksum."""


def mark(path: Path) -> None:
    """Mark a file as written by the program; nothing happens where the file system keeps no such marks."""
    with suppress(OSError, AttributeError):  # no system but Linux has the function
        os.setxattr(path, MARK, _digest(path))


def check_replaced(path: Path) -> None:
    """Check that a file may be written: it is missing or empty, or as the program wrote it.

    Raises
    ------
    ResultError
        Somebody else wrote the file, or changed it since; or the file system does not keep who did.
    """
    if path.is_file() and path.stat().st_size > 0 and not _ours(path):
        raise ResultError(
            f"{path} exists, and simbackup did not write it, or it has changed since; remove it, or choose another name"
        )


def _ours(path: Path) -> bool:
    try:
        return os.getxattr(path, MARK) == _digest(path)
    except (OSError, AttributeError):
        return False


def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).hexdigest().encode()
