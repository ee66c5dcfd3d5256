"""Data with stated size, number of files and ratio, the same from the same seed."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simbackup.lab.spec import DesignSpec, PointSpec
from simbackup.schema.quantity import si_or

WORDS, LETTERS = 65_536, 8
"""Words of the vocabulary, and bytes of each with the space behind it."""
SMALL = 4096
"""Bytes of a small file."""
PER_DIRECTORY = 100
"""Small files in a directory."""
PER_UNIT = 8
"""Large files that a unit of text or of random bytes is divided into."""
RATIO = 2.2
"""How many times smaller text becomes if a point does not say."""
SAMPLE, SLOTS, STEPS = 1 << 18, 1 << 18, 10
"""Bytes by which the ratio is set, equal slots of the vocabulary, and halvings until the ratio is near enough."""
EXPONENTS = (0.0, 3.0)
"""Exponents of Zipf's law between which the text is: the greater, the more often the same words come."""
CHANGED = 10
"""One file of so many is changed."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a folder of data holds."""

    bytes: int
    files: int
    random: int
    """Bytes that no program can shrink."""

    @property
    def directories(self) -> int:
        """Directories, with the top one."""
        return 1 + self.files // PER_DIRECTORY


class Text:
    """Words drawn by Zipf's law, so that zlib at level 1 makes them a stated number of times smaller."""

    def __init__(self, ratio: float, seed: int) -> None:
        rng = np.random.default_rng([seed, 0])
        self._words = rng.integers(97, 123, (WORDS, LETTERS), dtype=np.uint8)
        self._words[:, -1] = ord(" ")
        self._table = self._drawn(EXPONENTS[0])
        low, high = EXPONENTS
        for _step in range(STEPS):
            middle = (low + high) / 2.0
            self._table = self._drawn(middle)
            text = self.make(SAMPLE, np.random.default_rng([seed, 1]))
            low, high = (middle, high) if len(text) / len(zlib.compress(text, 1)) < ratio else (low, middle)

    @staticmethod
    def _drawn(exponent: float) -> NDArray[np.uint32]:
        """The word of each of many equal slots."""
        share = np.cumsum(1.0 / np.arange(1, WORDS + 1) ** exponent)
        return np.searchsorted(share / share[-1], (np.arange(SLOTS) + 0.5) / SLOTS).astype(np.uint32)

    def make(self, size: int, rng: np.random.Generator) -> bytes:
        """So many bytes of it."""
        drawn = self._table[rng.integers(0, len(self._table), size // LETTERS + 1)]
        return self._words[drawn].tobytes()[:size]


@lru_cache(maxsize=8)
def words(ratio: float, seed: int) -> Text:
    """The text of a ratio and a seed, which takes a while to set."""
    return Text(ratio, seed)


def portions(point: PointSpec, design: DesignSpec) -> Mapping[str, int]:
    """The bytes of text and of random bytes of a point, and its small files."""
    unit, files = design.unit.si, design.small_files.si
    return {
        "text": round(si_or(point.text, 0.0) * unit),
        "random": round(si_or(point.random, 0.0) * unit),
        "small": round(si_or(point.small, 0.0) * files),
    }


def room(design: DesignSpec) -> int:
    """Bytes that the data of all points take, each small file a block."""
    every = [portions(point, design) for point in design.points.values()]
    return sum(one["text"] + one["random"] + one["small"] * SMALL for one in every)


def make(folder: Path, point: PointSpec, design: DesignSpec, seed: int) -> Content:
    """Write the data of one point into a folder.

    Parameters
    ----------
    folder
        The folder, which does not exist yet.
    point, design
        What the data are to be.
    seed
        The same seed gives the same bytes.
    """
    folder.mkdir(parents=True)
    size = random = count = 0
    for path, data, is_random in _files(point, design, seed):
        target = folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(data)
        size, count, random = size + len(data), count + 1, random + is_random * len(data)
    return Content(size, count, random)


def _files(point: PointSpec, design: DesignSpec, seed: int) -> Iterator[tuple[str, bytes, bool]]:
    """Each file of a point: its path, its bytes, and whether they are random."""
    wanted = portions(point, design)
    rng = np.random.default_rng([seed, zlib.crc32(repr(sorted(wanted.items())).encode())])
    if wanted["text"]:
        text = words(si_or(point.ratio, RATIO), seed)
        for number, size in enumerate(_sizes(wanted["text"], design)):
            yield f"text/{number:04d}", text.make(size, rng), False
    for number, size in enumerate(_sizes(wanted["random"], design)):
        yield f"random/{number:04d}", rng.bytes(size), True
    if wanted["small"]:
        text = words(RATIO, seed)
        for number in range(wanted["small"]):
            yield f"small-{number // PER_DIRECTORY:04d}/{number:06d}", text.make(SMALL, rng), False


def _sizes(total: int, design: DesignSpec) -> Iterator[int]:
    """Bytes of the large files that so many bytes are divided into."""
    each = max(int(design.unit.si) // PER_UNIT, 1)
    while total > 0:
        yield min(each, total)
        total -= each


def change(folder: Path, seed: int) -> Content:
    """Write every tenth file of a folder anew, and give what these files hold.

    Text becomes text of the same words, and random bytes other random bytes.
    """
    rng = np.random.default_rng([seed, 2])
    size = count = random = 0
    text: Text | None = None
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        if number % CHANGED:
            continue
        length = path.stat().st_size
        is_random = path.parent.name == "random"
        if not is_random and text is None:
            text = words(RATIO, seed)
        path.write_bytes(rng.bytes(length) if is_random or text is None else text.make(length, rng))
        size, count, random = size + length, count + 1, random + is_random * length
    return Content(size, count, random)


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def into_cache(folder: Path) -> None:
    """Read all files, so that a program finds them in the page cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 22):
                    pass


def out_of_cache(folder: Path) -> None:
    """Write all files back and let the page cache forget them, which needs no rights."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                os.fsync(file.fileno())
                if hasattr(os, "posix_fadvise"):
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
