"""Files that are written completely or not at all.

What is written lies in a partial beside its target until it is complete. The name of a partial is random, and ends
with a seal by which the program recognises its own. Its writer holds a lock on it, so a partial without a lock was
left by a run that was killed.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import secrets
import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup.errors import ResultError
from simbackup.output.target import check_replaced, mark
from simbackup.text import for_cell

if TYPE_CHECKING:
    import pandas as pd


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
    """Partial files that killed runs left beside a target; each stays locked until the caller asks for the next one."""
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


@contextmanager
def whole(path: Path, *, edited: bool = False) -> Generator[Path]:
    """A temporary file beside a path, which replaces that path when it is complete, or not at all.

    Missing folders are created. A file that others wrote is replaced only by what is `edited`: its own text, changed. A
    link stays a link: its target is replaced. A device or a pipe, such as /dev/stdout, is written to and never
    replaced. What a killed run left of the same file is removed.

    Raises
    ------
    ResultError
        The file cannot be written, or there is one that the program did not write.
    """
    if not path.name:
        raise ResultError(f"'{path}' is a folder; name a file")
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            yield path
            return
        with ExitStack() as ends:
            target = followed(path)
            if not edited:
                check_replaced(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            for old in left_behind(target):
                if old.is_file():
                    old.unlink()
                    log.warning("removed %s, left by an interrupted run", old)
            partial = partial_for(target)
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # never an existing file
            ends.callback(partial.unlink, missing_ok=True)
            ends.enter_context(lock(partial))
            yield partial
            mark(partial)
            flush(partial)
            if target.is_file():
                shutil.copymode(target, partial)
            partial.replace(target)
    except OSError as error:
        raise ResultError(f"{path} cannot be written ({error.strerror or error})") from None


def write_whole(path: str | Path, content: str | bytes, *, edited: bool = False) -> Path:
    """Write a text or bytes to a file, completely or not at all, and return its path; as `whole` does.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    path = Path(path)
    with whole(path, edited=edited) as partial:
        partial.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def followed(path: Path) -> Path:
    """The target of a path, through all links; it need not exist.

    Raises
    ------
    OSError
        The links form a circle.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return target


def _cell(value: object) -> object:
    return for_cell(value) if isinstance(value, str) else value


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, with no text that a spreadsheet reads as a formula."""
    written = table.map(_cell)
    written.rename(columns=for_cell).to_csv(path, index=False)
