"""A folder that is written completely or not at all, and its record, whose checksums show every later change."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from simbackup.errors import ResultError
from simbackup.files import content as content_of
from simbackup.output.whole import flush, followed, left_behind, lock, log, partial_for

FORMAT = 4
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


class Kind(NamedTuple):
    """A kind of folder: the name of the file that holds its record, and what it is called."""

    record: str
    noun: str


RESULT, TABLES = Kind("run.json", "result"), Kind("tables.json", "tables of simbackup")
NEW, OLD = "new", "old"
"""Folders in a partial: what is to be put in place, and what stood there (which may also have changed places)."""
NAMED = 3
"""Files that a message names at most."""

Write = Callable[[Path], Mapping[str, Any]]
"""Writes files into a folder, and gives what their record says besides their checksums."""


def put(folder: Path, write: Write, kind: Kind = RESULT) -> Path:
    """The folder, with what was written into a fresh one; if it is a link, what that leads to is replaced.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds files that the program did not write.
    """
    with _beside(folder, kind) as (target, partial):
        fresh = partial / NEW
        fresh.mkdir()
        seal(fresh, kind.record, write(fresh))
        _check(folder, target, kind)  # again, as writing takes time
        if target.exists():
            shutil.copymode(target, fresh)
        _take_place(fresh, target, partial / OLD)
    return folder


AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""Arguments of Linux' renameat2."""


def exchange(one: Path, other: Path) -> bool:
    """Exchange two paths, and return whether it worked; False where the system cannot do it in one step."""
    call: Any = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    return call is not None and call(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0


def _take_place(fresh: Path, target: Path, aside: Path) -> None:
    """Put what was written where it belongs; a folder that stood there is afterwards in one of the other places."""
    if target.is_dir() and any(target.iterdir()):
        if exchange(fresh, target):
            return
        target.replace(aside)
    fresh.replace(target)


def check_place(folder: Path, kind: Kind = RESULT) -> None:
    """Check a folder that is to be written, and clean up what a killed run left of it.

    Raises
    ------
    ResultError
        The folder cannot be written, or holds files that the program did not write.
    """
    with _beside(folder, kind):
        pass


def is_there(folder: Path) -> bool:
    """Whether there is such a folder, after one that a killed run had moved aside is back."""
    with suppress(OSError, ValueError):  # a name that no folder can have
        target = followed(folder)
        if not target.exists():
            for left in left_behind(target):
                _make_good(left, target)
        return target.is_dir()
    return False


@contextmanager
def _beside(folder: Path, kind: Kind) -> Generator[tuple[Path, Path]]:
    """Where a folder is to stand, and a fresh folder beside it, which is gone at the end."""
    try:
        with ExitStack() as ends:
            target = followed(folder)
            for left in left_behind(target):
                if left.is_dir():
                    _make_good(left, target)
                    _remove(left, kind)
                    if not left.exists():
                        log.warning("removed %s, left by an interrupted run", left)
            _check(folder, target, kind)
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = partial_for(target)
            partial.mkdir(mode=0o700)
            ends.enter_context(lock(partial))
            ends.callback(_remove, partial, kind)
            ends.callback(_bring_back, partial, target)
            yield target, partial
    except OSError as error:
        raise ResultError(f"{folder} cannot be written ({error.strerror or error})") from None


def _check(folder: Path, target: Path, kind: Kind) -> None:
    """Refuse a folder unless it is missing, empty, or holds what the program wrote and nothing else."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / kind.record).is_file():
        raise ResultError(f"{folder} exists and holds no {kind.noun}; choose another folder")
    try:
        content = unseal(target, kind.record)
    except ResultError as error:
        raise ResultError(f"{error}; it is not replaced: choose another folder") from None
    own = {*content["files"], kind.record}
    foreign = {name for name, what in changes(target, content).items() if what == CHANGED}
    foreign |= {path.name for path in target.iterdir() if path.name not in own or path.is_symlink()}
    if foreign:
        more = f" and {len(foreign) - NAMED} more" if len(foreign) > NAMED else ""
        named = ", ".join(sorted(foreign)[:NAMED]) + more
        raise ResultError(
            f"{folder} holds files that simbackup did not write, or that were changed since: {named}; "
            "move them away or choose another folder"
        )


def _bring_back(partial: Path, target: Path) -> bool:
    """Whether a folder that was moved aside came back into its empty place."""
    old = partial / OLD
    moved = old.is_dir() and not os.path.lexists(target)
    if moved:
        old.replace(target)
    return moved


def _make_good(left: Path, target: Path) -> None:
    """Bring back what a killed run had moved aside, and say so."""
    if _bring_back(left, target):
        log.warning("restored %s, which an interrupted run had moved aside", target)


def _remove(partial: Path, kind: Kind) -> None:
    """Remove a partial with what the program wrote into it; anything else in it stays, and is named."""
    for inside in (partial / NEW, partial / OLD):
        if (inside / kind.record).is_file():
            _remove_sealed(inside, kind)
        elif inside.is_dir():  # it was never complete, so no user put files there
            for path in inside.iterdir():
                path.unlink()
            inside.rmdir()
    try:
        partial.rmdir()
    except OSError:
        log.warning("%s holds files that simbackup did not write; they were not removed", partial)


def _remove_sealed(folder: Path, kind: Kind) -> None:
    """Remove the files of a folder that are as its record says, then the record, then the folder."""
    with suppress(ResultError, OSError):
        content = unseal(folder, kind.record)
        for name in content["files"].keys() - changes(folder, content).keys():
            (folder / name).unlink()
        if [path.name for path in folder.iterdir()] == [kind.record]:
            (folder / kind.record).unlink()
            folder.rmdir()
