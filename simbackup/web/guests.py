"""Guests: what each browser has opened, run and kept; no other sees it, and it is gone when the server ends."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from simbackup.web.cards import Figure

MOST_GUESTS = 200
"""Guests that are remembered; the one unused for longest is forgotten first."""
MOST_VARIANTS = 24
"""Variants that a guest keeps."""
PASSING = 4
"""Variants that are there without being kept: the newest."""
MOST_DOCUMENTS = 50
LONGEST_NAME = 80
NAMED = 3
"""Changes that the name of a variant mentions."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was opened, and the folder in which it stands."""

    name: str
    text: str
    folder: Path
    original: str = ""
    """The text of the file that it extends, to be read."""


@dataclass(slots=True)
class Variant:
    """A run: its text, its figures, the values of its levers, and the folder of its files."""

    key: str
    document: str
    text: str
    folder: Path
    name: str = ""
    kept: bool = False
    figures: dict[str, Figure] = field(default_factory=dict[str, Figure])
    values: dict[str, str] = field(default_factory=dict[str, str])
    files: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Guest:
    """What one browser has opened and run."""

    folder: Path
    used: float
    documents: dict[str, Document] = field(default_factory=dict[str, Document])
    variants: dict[str, Variant] = field(default_factory=dict[str, Variant])
    values: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """The values with which each document was opened."""
    running: dict[str, str] = field(default_factory=dict[str, str])
    """The newest run of each tab, by which an older one knows that nobody waits for it."""

    def opened(self, document: Document) -> str:
        """Remember a document, and return its key."""
        while len(self.documents) >= MOST_DOCUMENTS:
            oldest = next(iter(self.documents))
            del self.documents[oldest]
            self.values.pop(oldest, None)
        key = secrets.token_urlsafe(8)
        self.documents[key] = document
        return key

    def room(self, name: str) -> Path:
        """A new folder of this guest."""
        made = self.folder / f"{name}-{secrets.token_hex(8)}"
        made.mkdir(parents=True)
        return made

    def begun(self, document: str, text: str, tab: str) -> Variant:
        """A new variant, whose run has begun; older ones that were not kept give way."""
        for old in [one for one in self.variants.values() if not one.kept][: -PASSING + 1 or None]:
            self.drop(old.key)
        key = secrets.token_urlsafe(8)
        self.variants[key] = Variant(key, document, text, self.room("run"))
        if len(self.running) >= MOST_DOCUMENTS:
            self.running.clear()
        self.running[tab] = key
        return self.variants[key]

    def named(self, variant: Variant) -> str:
        """A name for a variant: in what it differs from its document as it was opened."""
        first = self.values.setdefault(variant.document, variant.values)
        changed = [f"{label} {text}" for label, text in variant.values.items() if first.get(label, text) != text]
        more = f" and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return (", ".join(changed[:NAMED]) + more)[:LONGEST_NAME] or "as opened"

    def keep(self, key: str, name: str) -> bool:
        """Keep a variant under a name; False if there are too many."""
        if sum(one.kept for one in self.variants.values()) >= MOST_VARIANTS:
            return False
        variant = self.variants[key]
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
