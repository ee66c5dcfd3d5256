"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from simbackup.errors import ResultError
from simbackup.text import for_cell

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """A file beside one to be written: what is written into it inside takes that one's place, whole or not at all.

    Folders on the way are made. A device or a pipe, such as /dev/stdout, is written to and never replaced.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    if not path.name:
        raise ResultError(f"'{path}' is a folder; name a file")
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            yield path
            return
        target = path.resolve()  # a link to a file stays one
        partial = target.with_name(f".{target.name}.partial")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            partial.replace(target)
        finally:
            with suppress(OSError):
                partial.unlink()
    except OSError as error:
        raise ResultError(f"{path} cannot be written ({error.strerror or error})") from None


def write_whole(path: str | Path, text: str) -> Path:
    """The file into which a text was written, whole or not at all.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    path = Path(path)
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    return path


def _cell(value: object) -> object:
    return for_cell(value) if isinstance(value, str) else value


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, in which no text is a formula to a spreadsheet."""
    written = table.map(_cell)
    written.rename(columns=for_cell).to_csv(path, index=False)
