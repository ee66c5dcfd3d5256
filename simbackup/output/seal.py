"""The record of a folder: its content, and checksums that show every later change of a file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from simbackup.errors import ResultError
from simbackup.files import content as content_of
from simbackup.output.whole import flush

FORMAT = 3
"""Version of the form of a folder; a program reads only its own."""
OLDEST = 1
"""The format of folders that do not state theirs."""
CLOSED = b"\n}"
"""The end of a record before its checksum is in it."""
MISSING, CHANGED = "is missing", "was changed since it was written"


def seal(folder: Path, name: str, content: Mapping[str, Any]) -> None:
    """Write the record of a folder whose other files are there: its content, with the SHA-256 of each file."""
    files: dict[str, str] = {}
    for path in sorted(folder.iterdir()):
        flush(path)
        files[path.name] = digest(path.read_bytes())
    unfinished = folder / f"{name}.unfinished"
    unfinished.write_text(_sealed({"format": FORMAT, **content, "files": files}), encoding="utf-8", newline="")
    flush(unfinished)
    unfinished.replace(folder / name)  # a folder with a record has all of it


def unseal(folder: Path, name: str) -> dict[str, Any]:
    """The record of a folder, as it was written.

    Raises
    ------
    ResultError
        It was changed since, or written in another format.
    OSError
        It cannot be read.
    """
    text = content_of(folder / name)
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        raise ResultError(f"{folder / name} is damaged: it is no longer JSON") from None
    if not isinstance(found, dict):
        raise ResultError(f"{folder / name} is damaged: it is not a record")
    content = cast("dict[str, Any]", found)
    form = content.get("format", OLDEST if {"run", "values"} <= content.keys() else None)
    if type(form) is int and form != FORMAT:
        raise ResultError(f"{folder} was written in format {form}; this version of simbackup reads format {FORMAT}")
    checksum = content.pop("checksum", None)
    before = text.removesuffix(_end(checksum).encode())
    if before == text or digest(before + CLOSED) != checksum or not _names_files(content.get("files")):
        raise ResultError(f"{folder / name} is damaged: it was changed after simbackup wrote it")
    return content


def changes(folder: Path, content: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with the files of a folder, by name: those that are missing, or changed since its record."""
    found: dict[str, str] = {}
    for name, checksum in content["files"].items():
        path = folder / name
        if not os.path.lexists(path):
            found[name] = MISSING
        elif path.is_symlink() or not path.is_file() or digest(path.read_bytes()) != checksum:
            found[name] = CHANGED
    return found


def digest(content: bytes) -> str:
    """The SHA-256 of the content of a file, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _sealed(content: Mapping[str, Any]) -> str:
    """The text of a record, which ends with the checksum of everything before it."""
    text = json.dumps(content, indent=1)
    return text.removesuffix(CLOSED.decode()) + _end(digest(text.encode()))


def _end(checksum: object) -> str:
    """The end of a record."""
    return f',\n "checksum": {json.dumps(checksum)}\n}}\n'


def _names_files(files: object) -> bool:
    """Whether these are checksums by the names of files in the folder itself."""
    if not isinstance(files, dict):
        return False
    named = cast("dict[str, object]", files)
    return all(Path(name).name == name and isinstance(checksum, str) for name, checksum in named.items())
