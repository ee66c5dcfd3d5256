"""Guests: what each browser has opened, run and kept; no other sees it, and it is gone when the server ends."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from simbackup.reporting.page import filled

Json = Mapping[str, Any]


class RefusedError(Exception):
    """A request that cannot be answered, with what is wrong with it."""


def text_of(asked: Json, key: str) -> str:
    """A text that is asked about.

    Raises
    ------
    RefusedError
        It is missing, or not text.
    """
    found = asked.get(key)
    if not isinstance(found, str):
        raise RefusedError(f"'{key}' is missing")
    return _whole(found)


def _whole(text: str) -> str:
    """A text without halves of characters, which JSON can name and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RefusedError("half a character is not text") from None
    return text


def texts_of(asked: Json, key: str) -> dict[str, str]:
    """Texts by name; none if the key is absent.

    Raises
    ------
    RefusedError
        They are no mapping of texts.
    """
    found: object = asked.get(key) or {}
    if not isinstance(found, dict):
        raise RefusedError(f"'{key}' is not a mapping")
    named = cast("dict[str, Any]", found)
    return {_whole(name): text_of(named, name) for name in named}


def rendered(template: str, **values: Any) -> str:
    """The HTML of a template; every text in it is escaped. Tables and pictures look as in a report."""
    return filled(template, "simbackup.web", **values)


Figure = dict[str, Any]
"""What cards are compared by, as JSON: `text`, `verdict`, `value` in seconds (None without), `low`, `high`, `range`."""
MOST_GUESTS = 200
"""Number of guests that are remembered; the one unused for longest is forgotten first."""
MOST_VARIANTS = 24
"""Variants that a guest keeps."""
PASSING = 4
"""Number of newest variants that exist without being kept by the user."""
MOST_DOCUMENTS = 20
"""Number of documents that a guest has open; the files of the one opened first are removed first."""
MOST_RUNNING = 6
"""Runs of a guest at once, one for each tab."""
LONGEST_NAME = 80
NAMED = 3
"""Changes that the name of a variant mentions."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was opened."""

    name: str
    """Its name."""
    text: str
    """The text."""
    folder: Path
    """The folder relative to which its files are found."""
    original: str = ""
    """The text of the file that it extends; empty without one."""
    notes: tuple[str, ...] = ()
    """What is doubtful about it."""


@dataclass(slots=True)
class Variant:
    """A run of a document."""

    key: str
    """A random key."""
    document: str
    """The key of its document."""
    folder: Path
    """The folder of its files."""
    name: str = ""
    """Its name in tables."""
    kept: bool = False
    """Whether the user keeps it."""
    figures: dict[str, Figure] = field(default_factory=dict[str, Figure])
    """Its figures, by name."""
    values: dict[str, str] = field(default_factory=dict[str, str])
    """The values of its levers, by label."""
    files: list[str] = field(default_factory=list[str])
    """The names of its files."""


@dataclass(slots=True)
class Guest:
    """What one browser has opened and run."""

    folder: Path
    """The folder of all its files."""
    used: float
    """When it was used last, in seconds of a monotonic clock."""
    documents: dict[str, Path] = field(default_factory=dict[str, Path])
    """The folder of each open document, by key."""
    variants: dict[str, Variant] = field(default_factory=dict[str, Variant])
    """Its variants, by key."""
    values: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """The values with which each document was opened, by key."""
    running: dict[str, str] = field(default_factory=dict[str, str])
    """The key of the newest run of each tab; older runs end, as nobody waits for them."""

    def opened(self, stands: Path) -> str:
        """Remember the folder of a document, and return its key; if there are too many, remove the oldest."""
        while len(self.documents) >= MOST_DOCUMENTS:
            oldest = next(iter(self.documents))
            self.values.pop(oldest, None)
            folder = self.documents.pop(oldest)
            if folder.is_relative_to(self.folder):
                shutil.rmtree(folder, ignore_errors=True)
        key = secrets.token_urlsafe(8)
        self.documents[key] = stands
        return key

    def room(self, name: str) -> Path:
        """A new folder of this guest."""
        made = self.folder / f"{name}-{secrets.token_hex(8)}"
        made.mkdir(parents=True)
        return made

    def begun(self, document: str, tab: str) -> Variant:
        """A new variant, whose run has begun; older ones that were not kept give way.

        Raises
        ------
        RefusedError
            Too many runs are under way.
        """
        if tab not in self.running and len(self.running) >= MOST_RUNNING:
            raise RefusedError(f"{len(self.running)} tabs of this browser are busy; cancel one, or wait for it")
        at_work = {running for other, running in self.running.items() if other != tab}
        passing = [one for one in self.variants.values() if not one.kept and one.key not in at_work]
        for old in passing[: -PASSING + 1 or None]:
            self.drop(old.key)
        key = secrets.token_urlsafe(8)
        self.variants[key] = Variant(key, document, self.room("run"))
        self.running[tab] = key
        return self.variants[key]

    def ended(self, variant: Variant, tab: str) -> None:
        """Note that the run of a variant has ended, unless a newer one runs in its tab."""
        if self.running.get(tab) == variant.key:
            del self.running[tab]

    def waits_for(self, variant: Variant, tab: str) -> bool:
        """Whether somebody waits for the run of a variant: it is the newest of its tab, or it was kept."""
        return variant.key in self.variants and (variant.kept or self.running.get(tab) == variant.key)

    def named(self, variant: Variant) -> str:
        """A name for a variant: how it differs from its document as it was opened."""
        first = self.values.setdefault(variant.document, variant.values)
        changed = [f"{label} {text}" for label, text in variant.values.items() if first.get(label, text) != text]
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return (", ".join(changed[:NAMED]) + more)[:LONGEST_NAME] or "as opened"

    def keep(self, key: str, name: str) -> bool:
        """Keep a variant under a name; False if there are too many."""
        variant = self.variants[key]
        if not variant.kept and len(self.kept) >= MOST_VARIANTS:
            return False
        variant.kept, variant.name = True, name.strip()[:LONGEST_NAME] or variant.name
        return True

    def drop(self, key: str) -> None:
        """Forget a variant and its files."""
        shutil.rmtree(self.variants.pop(key).folder, ignore_errors=True)

    @property
    def kept(self) -> list[Variant]:
        """The variants that were kept, in order."""
        return [one for one in self.variants.values() if one.kept]


class Guests:
    """All guests, by a key that nobody can guess."""

    def __init__(self) -> None:
        self._root = Path(tempfile.mkdtemp(prefix="simbackup-page-"))
        self._guests: dict[str, Guest] = {}

    def __len__(self) -> int:
        return len(self._guests)

    def of(self, key: str | None) -> Guest | None:
        """The guest of a key; None if there is none, or no longer."""
        guest = self._guests.get(key or "")
        if guest is not None:
            guest.used = time.monotonic()
        return guest

    def new(self) -> tuple[str, Guest]:
        """A new guest with its key; those unused for longest are forgotten where there are too many."""
        while len(self._guests) >= MOST_GUESTS:
            oldest = min(self._guests, key=lambda key: self._guests[key].used)
            shutil.rmtree(self._guests.pop(oldest).folder, ignore_errors=True)
        key = secrets.token_urlsafe(32)
        self._guests[key] = Guest(self._root / secrets.token_hex(8), time.monotonic())
        return key, self._guests[key]

    def close(self) -> None:
        """Remove all files."""
        self._guests.clear()
        shutil.rmtree(self._root, ignore_errors=True)
