"""Whoever follows the pages of docs/how-to/ gets what they show. Run this file to write the outputs anew."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from how_to import PAGES, blocks, followed

NAMES = sorted(path.name for path in PAGES.glob("add-*.md"))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_does_what_it_shows(name: str, tmp_path: Path) -> None:
    page = (PAGES / name).read_text(encoding="utf-8")
    assert sum(block.file is not None for block in blocks(page)) >= 5
    assert followed(page, tmp_path) == page


if __name__ == "__main__":
    for name in sys.argv[1:] or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            text = followed((PAGES / name).read_text(encoding="utf-8"), Path(folder))
        (PAGES / name).write_text(text, encoding="utf-8")
