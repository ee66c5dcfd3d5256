"""Datasheets and scenarios on disk: where they are found, and what a datasheet holds."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.files import is_source, whole
from simbackup.schema.datasheet import check_datasheet, own_sources
from simbackup.schema.part import quantities_of
from simbackup.schema.quantity import Frozen, Quantity
from simbackup.schema.registry import RoomError, offered
from simbackup.schema.tree import Node
from simbackup.schema.yaml_file import read

NAME = re.compile(r"\w+/\w[\w.+-]*")
SEARCH_PATH = "SIMBACKUP_PATH"
"""Environment variable with the user's own folders, each with models/ or scenarios/ in it."""
FOLDERS = ("models", "scenarios")
TYPICAL = "typical-ranges.yaml"
"""The table of ranges under `models` for values that state none."""
MEASURED = "measured.yaml"
"""The file of a document's measured rows."""
DATA = "simbackup.data"
"""Entry points by which installed packages offer such folders: each names a module beside them."""


def roots() -> tuple[Path, ...]:
    """The folders that hold models/ and scenarios/.

    The user's own first, then the installed copy or the checkout, then those of installed packages.

    Raises
    ------
    RoomError
        An installed package offers a folder that does not exist.
    """
    own = tuple(whole(Path(text)) for text in os.environ.get(SEARCH_PATH, "").split(os.pathsep) if text)
    return (*own, *_installed())  # a relative folder is below the working one, which may change


@cache
def _installed() -> tuple[Path, ...]:
    package = Path(__file__).resolve().parent
    folders = (_offered(point) for point in offered(DATA))
    return (package / "_data" if (package / "_data").is_dir() else package.parent, *folders)


def _offered(point: EntryPoint) -> Path:
    """The folder of the module that an installed package names, which is not imported."""
    try:
        found = find_spec(point.value)
    except (ImportError, ValueError):
        found = None
    what = f"the folder '{point.name}' of {DATA} ({point.value})"
    if found is None or found.origin is None:
        raise RoomError(f"{what} cannot be found: there is no such module")
    folder = Path(found.origin).resolve().parent
    if not any((folder / name).is_dir() for name in FOLDERS):
        raise RoomError(f"{what} cannot be used: {folder} contains neither models/ nor scenarios/")
    return folder


def shown(path: Path) -> str:
    """A path as messages and results show it: inside models/ and scenarios/ from there on, else as it was given."""
    found = whole(path)
    for root in roots():
        if any(found.is_relative_to(whole(root / folder)) for folder in FOLDERS):
            return found.relative_to(whole(root)).as_posix()
    return str(path)


_CONFINED: ContextVar[Path | None] = ContextVar("confined", default=None)


@contextmanager
def confined(folder: Path) -> Generator[None]:
    """Inside, only files in this folder and in models/ and scenarios/ exist, so that no other one is read or listed.

    A link in the folder counts as what it leads to. Whatever a file names (what it extends, its tables) is asked for
    here before it is read.

    >>> with confined(Path("/nowhere")):
    ...     is_folder(Path("/"))
    False
    """
    token = _CONFINED.set(whole(folder))
    try:
        yield
    finally:
        _CONFINED.reset(token)


def _within_reach(path: Path) -> bool:
    """Whether a path leads to where files may be read."""
    folder = _CONFINED.get()
    if folder is None:
        return True
    bare = Path(os.path.normpath(Path.cwd() / path))  # links and all: an installer may have linked single files
    return whole(path).is_relative_to(folder) or any(
        bare.is_relative_to(root / name) for root in roots() for name in FOLDERS
    )


def is_file(path: Path) -> bool:
    """Whether a file can be read; False for a name that no file can have, and outside of where files may be read.

    A device or a pipe counts as one where all files may be read.
    """
    try:
        return path.is_file() and _within_reach(path) if _CONFINED.get() else is_source(path)
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether the folder exists; False for a name that no folder can have, and outside of where files may be read."""
    try:
        return _within_reach(path) and path.is_dir()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class Datasheet:
    """What is known of one make-and-model."""

    name: str
    kind: str
    title: str
    description: str
    parameters: Frozen
    tree: Node

    def works(self) -> dict[str, Node]:
        """The works that it may cite, by key: those of the folders, and its own."""
        return {**sources(), **own_sources(self.tree)}

    def values(self) -> Iterator[tuple[str, Quantity]]:
        """Each quantity with its name."""
        for path, value in quantities_of(self.parameters):
            yield ".".join(path), value


def names() -> list[str]:
    """The names of all datasheets, `kind/name`, in order."""
    found = {
        path.relative_to(root / "models").with_suffix("").as_posix()
        for root in roots()
        for path in (root / "models").glob("*/*.yaml")
    }
    return sorted(found)


def title_of(name: str) -> str:
    """The title of a datasheet, if that is its first line, as in all that come along; otherwise its name.

    >>> title_of("tape_library/storagetek-l20")
    'StorageTek L20'
    """
    for root in roots():
        try:
            with (root / "models" / f"{name}.yaml").open(encoding="utf-8") as file:
                first = file.readline()  # datasheets begin with the title; to parse all of them would take seconds
        except (OSError, ValueError):
            continue
        return first.partition("title:")[2].strip().strip("\"'") or name
    return name


@cache
def shared_by_all(name: str, folders: tuple[Path, ...]) -> dict[str, Node]:
    """What the files of a name beside the datasheets hold, by key, of all folders together; the first one wins."""
    found: dict[str, Node] = {}
    for root in reversed(folders):
        path = root / "models" / name
        if path.is_file():
            found.update(read(path, shown(path)).mapping)
    return found


def sources() -> dict[str, Node]:
    """The works that may be cited, by key."""
    return shared_by_all("sources.yaml", roots())


def table(path: str) -> list[list[str]]:
    """The rows, without heads, of a table of CSV under scenarios/; none where there is no such file."""
    for root in roots():
        if (root / "scenarios" / path).is_file():
            with (root / "scenarios" / path).open(encoding="utf-8", newline="") as file:
                return list(csv.reader(file))[1:]
    return []


def load_datasheet(name: str) -> Datasheet:
    """The datasheet of a name `kind/name`.

    Raises
    ------
    InputError
        There is no such datasheet, or something in it is wrong.
    """
    return _load(name, roots())


def forget() -> None:
    """Forget the datasheets read so far, because one has changed."""
    _load.cache_clear()
    _seen.clear()


_seen: set[tuple[str, tuple[Path, ...]]] = set()
"""Names of datasheets that were found, with the folders in which they were."""


def exists(name: str) -> bool:
    """Whether there is a datasheet of that name."""
    folders = roots()
    if (name, folders) in _seen:
        return True
    found = NAME.fullmatch(name) is not None and any(is_file(root / "models" / f"{name}.yaml") for root in folders)
    if found:
        _seen.add((name, folders))
    return found


@cache
def _load(name: str, folders: tuple[Path, ...]) -> Datasheet:
    return read_datasheet(path_of(name, folders), name)


def path_of(name: str, folders: Iterable[Path] | None = None) -> Path:
    """The file of a datasheet `kind/name`.

    Raises
    ------
    InputError
        There is no such datasheet.
    """
    for root in (roots() if folders is None else folders) if NAME.fullmatch(name) else ():
        path = root / "models" / f"{name}.yaml"
        if is_file(path):
            return path
    raise InputError([Problem(Place("models"), "", f"there is no datasheet '{name}'", choices(name, names()))])


def read_datasheet(path: Path, name: str, shown_as: str | None = None) -> Datasheet:
    """The datasheet that a file holds."""
    tree = read(path, shown_as or shown(path))
    parameters, problems = check_datasheet(tree, sources())
    if problems or parameters is None:
        raise InputError(problems)
    texts = {key: str(tree.mapping[key].value) for key in ("title", "kind", "description") if key in tree.mapping}
    if texts["kind"] != name.split("/", maxsplit=1)[0] and "/" in name:
        node = tree.mapping["kind"]
        message = f"'{texts['kind']}' is in the folder '{name.split('/', maxsplit=1)[0]}'"
        raise InputError([Problem(node.place, "kind", message, "store a datasheet in the folder of its kind")])
    return Datasheet(name, texts["kind"], texts["title"], texts.get("description", ""), parameters, tree)
