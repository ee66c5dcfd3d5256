"""Whoever follows the pages of docs/how-to/ gets what they show; `python tests/how_to.py` writes the outputs anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from how_to import PAGES, blocks, followed

FOLLOWED = [*sorted(PAGES.glob("add-*.md")), PAGES / "plan-a-site.md", PAGES / "run-a-study.md"]


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda path: path.stem)
def test_the_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    text = page.read_text(encoding="utf-8")
    assert sum(block.file is not None for block in blocks(text)) >= (5 if page.stem.startswith("add-") else 2)
    assert followed(text, tmp_path) == text
