"""Partials: files and folders written beside their target until they are complete, and those that killed runs left.

The name of a partial is random, and ends with a seal by which the program recognises its own. Its writer holds a lock
on it, so a partial without a lock was left by a run that was killed.
"""

from __future__ import annotations

import hashlib
import logging
import os
import secrets
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX, SUFFIX = ".simbackup-", ".partial"
RANDOM, SEAL = 16, 8
"""Letters of a name."""

log = logging.getLogger("simbackup")
"""Notes about files, which go to standard error."""


def partial_for(target: Path) -> Path:
    """An unpredictable path beside a target, where nothing exists yet."""
    drawn = secrets.token_hex(RANDOM // 2)
    return target.with_name(f"{PREFIX}{drawn}{_seal(drawn, target)}{SUFFIX}")


def left_behind(target: Path) -> Iterator[Path]:
    """The partials of a target left by killed runs; each stays locked while the caller handles it."""
    for path in sorted(target.parent.glob(f"{PREFIX}*{SUFFIX}")):
        letters = path.name.removeprefix(PREFIX).removesuffix(SUFFIX)
        if len(letters) == RANDOM + SEAL and letters[RANDOM:] == _seal(letters[:RANDOM], target):
            with lock(path) as free:
                if free:
                    yield path


@contextmanager
def lock(path: Path) -> Generator[bool]:
    """Lock a file or a folder inside, and give whether that worked; not if another process holds it."""
    try:
        opened = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        opened = None
    try:
        yield opened is not None and _locked(opened)
    finally:
        if opened is not None:
            os.close(opened)


def flush(path: Path) -> None:
    """Wait until what was written into a file is on disk."""
    opened = os.open(path, os.O_RDWR)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _locked(opened: int) -> bool:
    """Whether the lock was acquired; never on a system without such locks, where no partial counts as left behind."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _seal(drawn: str, target: Path) -> str:
    return hashlib.sha256(f"simbackup {drawn} {target.name}".encode("utf-8", "surrogateescape")).hexdigest()[:SEAL]
