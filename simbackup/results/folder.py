"""The folder of a saved result, which is written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from simbackup.errors import ResultError

RECORD_FILE, TRACE_FILE = "run.json", "trace.jsonl"


def put(folder: Path, write: Callable[[Path], None]) -> Path:
    """The folder, with what was written into a fresh one; it takes the place of a result that was there.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds something else.
    """
    partial = place_beside(folder)
    try:
        fresh = partial / "result"
        fresh.mkdir()
        write(fresh)
        _swap(fresh, folder, partial / "old")
    except OSError as error:
        raise ResultError(f"{folder} cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def place_beside(folder: Path) -> Path:
    """A new, empty folder beside one that is to be written.

    Raises
    ------
    ResultError
        The folder holds something else than a result, or nothing can be written there.
    """
    try:
        if folder.exists() and not (folder / RECORD_FILE).is_file() and (not folder.is_dir() or any(folder.iterdir())):
            raise ResultError(f"{folder} exists and holds no result; choose another folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise ResultError(f"{folder} cannot be written ({error.strerror})") from None


def _swap(fresh: Path, folder: Path, aside: Path) -> None:
    """Put a fresh folder in the place of one that may exist, which comes back when that fails."""
    if folder.exists():
        folder.replace(aside)
    try:
        fresh.replace(folder)
    except OSError:
        if aside.exists():
            aside.replace(folder)
        raise
