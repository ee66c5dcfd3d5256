"""Whoever follows the pages of docs/ gets what they show; `python tests/how_to.py` writes the outputs anew."""

from pathlib import Path

import pytest
from how_to import blocks, followed, pages, read

NIGHTLY = {"plan-a-hospital": "a site of a year, which takes a minute; `plan-a-site` shows the same commands"}
FOLLOWED = [pytest.param(page, id=page.stem, marks=[pytest.mark.nightly] * (page.stem in NIGHTLY)) for page in pages()]


@pytest.mark.slow
@pytest.mark.parametrize("page", FOLLOWED)
def test_the_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    text = read(page)
    found = list(blocks(text))
    assert any(block.file is not None or block.language == "text" for block in found), "nothing on it can be wrong"
    assert page.stem not in LONG or sum(block.file is not None for block in found) >= 5
    assert followed(text, tmp_path) == text


LONG = {"add-a-device", "add-a-document", "add-a-method", "add-a-workload"}
"""Pages that show whole packages."""


def test_pages_with_commands_are_found() -> None:
    assert {path.stem for path in pages()} >= LONG | {"plan-a-site", "getting-started"}
