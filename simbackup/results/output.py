"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from simbackup.errors import ResultError


@contextmanager
def whole(path: Path) -> Generator[Path]:
    """A file beside one to be written: what is written into it inside takes that one's place, whole or not at all.

    Folders on the way are made.

    Raises
    ------
    ResultError
        The file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            partial.replace(path)
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
