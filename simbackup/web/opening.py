"""What can be opened on the page: scenarios that come along, those of the chosen folder, and uploads."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.planning.loading import found as site_file
from simbackup.scenario import find
from simbackup.schema.yaml_file import read_text
from simbackup.shelf import confined, is_file
from simbackup.web.guests import Document

NOWHERE = Path("/nowhere")
"""No folder, so that only what comes along can be opened by its name."""

ENDINGS = frozenset({".yaml", ".yml", ".csv", ".xlsx"})
TEXTS = frozenset({".yaml", ".yml"})
MOST_FILES = 20
MOST_LETTERS, MOST_BYTES = 2_000_000, 8_000_000
"""Letters of a text that is opened, and bytes of its file."""
LISTED = 300
"""Files of the chosen folder that are offered."""
_NAME = re.compile(r"[\w][\w .()+-]{0,120}")


@dataclass(frozen=True, slots=True)
class OwnFolder:
    """The folder whose files the page offers; none unless one was named."""

    folder: Path | None = None

    @property
    def names(self) -> list[str]:
        """The files in it that may be opened: regular ones whose names are text, and which lie in the folder itself."""
        if self.folder is None:
            return []
        own = Path(os.path.realpath(self.folder))
        try:
            found = [path for path in own.iterdir() if path.suffix == ".yaml" and _is_offered(path, own)]
        except OSError:  # it is gone, or closed to us
            return []
        return sorted(path.name for path in found)[:LISTED]

    def document(self, name: str) -> Document:
        """A file of it.

        Raises
        ------
        InputError
            There is no such file, or it cannot be read.
        """
        if self.folder is None or name not in self.names:
            raise InputError([Problem(Place(name), "", "is not in the chosen folder", choices(name, self.names))])
        return Document(name, _text(self.folder / name, name), self.folder)


def _is_offered(path: Path, own: Path) -> bool:
    """Whether a file of a folder is one to be opened; a link counts as what it leads to."""
    try:
        path.name.encode()
        real = Path(os.path.realpath(path))
        return not path.name.startswith(".") and real.is_relative_to(own) and real.is_file()
    except (OSError, ValueError):
        return False


def of_library(name: str) -> Document:
    """A scenario that comes along, as a file that extends it, or the text of a site.

    Raises
    ------
    InputError
        There is none of this name.
    """
    with confined(NOWHERE):  # a visitor's name is never a path
        try:
            path = find(name)
        except InputError:
            path = site_file(name)
            return Document(name, read_text(path, name), path.parent)
    return Document(name, f"extends: {name}\n", path.parent, original=read_text(path, name))


def uploaded(folder: Path, files: Mapping[str, str]) -> Document:
    """The first text of some files, which are stored in a folder; each is in base 64.

    Raises
    ------
    InputError
        There is none, there are too many, or a name or a content cannot be used.
    """
    texts = [name for name in files if Path(name).suffix.lower() in TEXTS]
    if not texts or len(files) > MOST_FILES:
        what = "has no scenario" if not texts else f"has more than {MOST_FILES} files"
        raise InputError([Problem(Place("upload"), "", what, "choose a .yaml file, and the tables that it names")])
    store(folder, files)
    return Document(texts[0], _text(folder / texts[0], texts[0]), folder)


def store(folder: Path, files: Mapping[str, str]) -> None:
    """Store files, each of which is in base 64, in a folder.

    Raises
    ------
    InputError
        A name or a content cannot be used.
    """
    for name, content in files.items():
        path, data = folder / _checked(name), _decoded(name, content)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise InputError([Problem(Place(name), "", f"cannot be stored ({error.strerror})")]) from None


def _checked(name: str) -> str:
    """A bare name of a file that may be stored."""
    if _NAME.fullmatch(name) is None or Path(name).suffix.lower() not in ENDINGS:
        legal = f"use letters, digits, '-' and '_', and one of {', '.join(sorted(ENDINGS))}"
        raise InputError([Problem(Place("upload"), "", f"'{name[:80]}' is not a name of a file to upload", legal)])
    return name


def _decoded(name: str, content: str) -> bytes:
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise InputError([Problem(Place(name), "", "was damaged in the upload", "upload it again")]) from None


def _text(path: Path, name: str) -> str:
    """The text of a file that is not too long for the page."""
    long = is_file(path) and path.stat().st_size > MOST_BYTES
    text = "" if long else read_text(path, name)
    if long or len(text) > MOST_LETTERS:
        raise InputError([Problem(Place(name), "", "is too long for the page", "simbackup run reads any size")])
    return text


def catalogue(found: Sequence[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Scenarios by the folder that they are in."""
    groups: dict[str, list[Mapping[str, str]]] = {}
    for one in found:
        groups.setdefault(str(one["name"]).rpartition("/")[0], []).append(one)
    order = ("teaching", "planning")
    return dict(sorted(groups.items(), key=lambda item: (order.index(item[0]) if item[0] in order else 2, item[0])))
