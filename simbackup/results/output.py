"""Files that are written whole or not at all."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from simbackup.errors import ResultError


def write_whole(path: str | Path, text: str) -> Path:
    """The file into which a text was written, whole or not at all; folders on the way are made.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    path = Path(path)
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise ResultError(f"{path} cannot be written ({error.strerror or error})") from None
    return path
