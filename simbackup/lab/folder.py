"""The folder of a lab: what it was set up with, and what was measured and predicted; nothing outside is touched."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simbackup.errors import ResultError
from simbackup.lab.data import Content

if sys.platform != "win32":
    import fcntl

MARK = "lab.json"
"""The file by which a folder is known as one of a lab."""
SMALL = 64 << 10
"""Bytes of a file up to which it is kept as it is until the end."""
LITTLE = 2e9
"""Bytes of room below which nothing is kept."""
RESERVE = 1.2
"""Room that has to be free, as a multiple of what is needed."""

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a lab was set up with."""

    id: str
    """What the lab is called in records: letters that say nothing about the machine or its owner."""
    design: str
    seed: int
    programs: dict[str, str]
    """The version of each program."""
    contents: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    """What the data of each point hold."""

    def content(self, point: str) -> Content:
        """What the data of a point hold."""
        return Content(**self.contents[point])


class Folder:
    """A folder of a lab."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def check(self) -> None:
        """Refuse a folder of somebody else, and one that holds other things.

        Raises
        ------
        ResultError
            It is not a folder in which a lab may be.
        """
        there = self.path if self.path.exists() else self.path.parent
        if not there.is_dir():
            raise ResultError(f"{self.path}: there is no folder {there}; make it, or name another")
        if self.path.exists() and hasattr(os, "getuid") and self.path.stat().st_uid != os.getuid():
            raise ResultError(f"{self.path} belongs to another user; name a folder of your own")
        if not os.access(there, os.W_OK):
            raise ResultError(f"{self.path} cannot be written (Permission denied)")
        if self.path.exists() and any(self.path.iterdir()) and not (self.path / MARK).is_file():
            raise ResultError(f"{self.path} holds other files; name a new folder, or an empty one")

    def check_room(self, needed: float) -> None:
        """Refuse to begin what would fill the disk.

        Raises
        ------
        ResultError
            Less is free than needed.
        """
        free = shutil.disk_usage(self.path if self.path.exists() else self.path.parent).free
        if free < needed * RESERVE:
            raise ResultError(
                f"{self.path}: {needed * RESERVE / 1e9:.1f} GB have to be free, and {free / 1e9:.1f} GB are; "
                "choose a smaller design, or another disk"
            )

    @contextmanager
    def locked(self) -> Generator[None]:
        """Keep other labs out of this folder inside; what a killed one left is removed.

        Raises
        ------
        ResultError
            Another lab works in it.
        """
        with (self.path / ".lock").open("w", encoding="ascii") as file:
            if sys.platform != "win32":
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise ResultError(f"{self.path}: another lab works in this folder; wait until it ends") from None
            self.clear()
            try:
                yield
            finally:
                self.clear()

    @property
    def scratch(self) -> Path:
        """Where programs run and write; each run finds it empty."""
        return self.path / "scratch"

    @property
    def used(self) -> Path:
        """Where the files of earlier runs are kept until the end, large ones without their content."""
        return self.path / "used"

    def put_aside(self) -> None:
        """Make room for another run, but delete no files if the disk has room for them.

        For minutes, ext4 gives the number of a deleted file to no other, and passes over all such numbers one by one
        for each file that is made. A tree that is made after another was deleted takes twenty times as long.
        """
        if not self.scratch.exists():
            return
        self.used.mkdir(exist_ok=True)
        aside = self.scratch.rename(self.used / f"{sum(1 for _ in self.used.iterdir())}")
        for path in aside.rglob("*"):
            if path.is_symlink() or not path.is_file() or path.stat().st_size <= SMALL:
                continue
            if path.stat().st_nlink > 1:  # the other name may be that of what is saved
                path.unlink()
            else:
                path.chmod(0o600)
                os.truncate(path, 0)
        if shutil.disk_usage(self.path).free < LITTLE:
            self.clear()

    def clear(self) -> None:
        """Remove what runs have left."""
        for folder in (self.scratch, self.used):
            if folder.exists():
                for path in folder.rglob("*"):
                    if path.is_dir() and not path.is_symlink():
                        path.chmod(0o700)
                shutil.rmtree(folder)

    def settings(self) -> Settings:
        """What the lab was set up with.

        Raises
        ------
        ResultError
            It was not set up, or the file cannot be read.
        """
        file = self.path / MARK
        if not file.is_file():
            raise ResultError(f"{self.path} is no folder of a lab; begin with: simbackup lab setup {self.path}")
        self.check()
        try:
            return Settings(**json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            raise ResultError(f"{file} cannot be read; set the lab up anew in another folder") from None

    def set_up(self, settings: Settings) -> None:
        """Keep what the lab was set up with."""
        self.write(MARK, asdict(settings))

    def write(self, name: str, content: Mapping[str, Any]) -> None:
        """Write a file of JSON, completely or not at all."""
        partial = self.path / f".{name}.partial"
        with full_disk(self.path):
            partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            partial.replace(self.path / name)

    def read(self, name: str, step: str) -> dict[str, Any]:
        """What a file of JSON holds, which a step has written.

        Raises
        ------
        ResultError
            There is none.
        """
        file = self.path / name
        if not file.is_file():
            raise ResultError(f"{self.path}: run 'simbackup lab {step} {self.path}' first")
        return json.loads(file.read_text(encoding="utf-8"))

    def add(self, name: str, line: Line) -> None:
        """Add a line to a record, which stays as it is otherwise; it is on disk when this returns.

        Each line holds the checksum of itself and of the line before, so that no line can be changed in silence.
        """
        lines = self.lines(name)
        before = lines[-1]["sha256"] if lines else ""
        text = json.dumps({**line, "sha256": checksum(line, before)}) + "\n"
        with full_disk(self.path), (self.path / name).open("a", encoding="utf-8") as file:
            start = file.tell()
            try:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                os.truncate(self.path / name, start)
                raise

    def lines(self, name: str) -> list[Line]:
        """The lines of a record.

        Raises
        ------
        ResultError
            A line was changed.
        """
        file = self.path / name
        if not file.is_file():
            return []
        return checked(file.read_text(encoding="utf-8").splitlines(), str(file))


def checksum(line: Mapping[str, Any], before: str) -> str:
    """The checksum of a line of a record, after that of the line before."""
    text = before + json.dumps({key: line[key] for key in sorted(line) if key != "sha256"})
    return hashlib.sha256(text.encode()).hexdigest()


def checked(texts: list[str], shown: str) -> list[Line]:
    """The lines of a record, each with the checksum that it should have.

    Raises
    ------
    ResultError
        A line is damaged, or was changed.
    """
    found: list[Line] = []
    before = ""
    for number, text in enumerate(texts, 1):
        try:
            line: Line = json.loads(text)
            right = line["sha256"] == checksum(line, before)
        except (ValueError, KeyError, TypeError):
            raise ResultError(f"{shown}:{number}: is damaged; measure in a new folder") from None
        if not right:
            raise ResultError(f"{shown}:{number}: was changed after it was written; measure in a new folder")
        before = line["sha256"]
        found.append(line)
    return found


@contextmanager
def full_disk(path: Path) -> Generator[None]:
    """Say in clear words that a disk is full.

    Raises
    ------
    ResultError
        It is.
    """
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise ResultError(f"{path}: the disk is full; what was measured so far is kept") from None
        raise ResultError(f"{path} cannot be written ({error.strerror or error})") from None


def today() -> str:
    """The day, as 2026-11-26."""
    return datetime.now(tz=UTC).date().isoformat()
