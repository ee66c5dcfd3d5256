"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup.errors import ResultError
from simbackup.text import for_cell

if TYPE_CHECKING:
    import pandas as pd
from simbackup.output.partial import flush, left_behind, lock, log, partial_for
from simbackup.output.target import check_replaced, mark
from simbackup.output.together import together


@contextmanager
def whole(path: Path, *, edited: bool = False) -> Generator[Path]:
    """A temporary file beside a path, which replaces that path when it is complete, or not at all.

    Missing folders are created. A file that others wrote is replaced only by what is `edited`: its own text, changed. A
    link stays a link: its target is replaced. A device or a pipe, such as /dev/stdout, is written to and never
    replaced. What a killed run left of the same file is removed. Inside `together` the path is replaced at the end,
    with the others.

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
        with together() as outputs:
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
            outputs.ends.callback(partial.unlink, missing_ok=True)
            outputs.ends.enter_context(lock(partial))
            yield partial
            mark(partial)
            flush(partial)
            if target.is_file():
                shutil.copymode(target, partial)
            outputs.add(partial, target)
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
