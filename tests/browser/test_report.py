"""Reports in a real browser: nothing is asked for, nothing goes wrong, nothing runs off the page, and it prints."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from simbackup import report

TAPE, LVM = "teaching/one-file-from-tape", "published/003-lvm-snapshots/same-disk"
PAGES = {
    "tape": ([TAPE], ["Where do the minutes go?", "locate", "Tape drives", "extends nothing published"]),
    "lvm": ([LVM], ["metadata commit", "003-lvm-snapshots", "Assumptions", "Sources"]),
    "fleet": (["planning/spread-starts-night"], ["All 200 jobs ended inside their windows", "The slowest took"]),
    "two": (
        ["planning/mysql-innodb-logical", "planning/mysql-innodb-snapshot"],
        ["2 scenarios compared", "Side by side", "Where the scenarios differ"],
    ),
    "failed": (["failed.yaml"], ["Failed as it began", "Did not run", "after the end of its window"]),
}
"""What is reported on, and texts that must be seen."""
FAILED = """
title: A snapshot that fills
question: What becomes of a job whose snapshot is invalid?
extends: SCENARIOS/published/003-lvm-snapshots/same-disk.yaml
devices:
  cow: {size: 100 MB}
jobs:
  dd: {window: 10 s}
  image: {method: image, data: file, source: cow, to: sdc, after: dd}
  back: {restore: image, after: image}
"""
WIDTHS = (375, 1440)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; where it is not installed nothing is tested, except under CI, where that is an error."""
    program = shutil.which("chromium")
    if program is None:
        message = "CHROMIUM IS NOT INSTALLED: reports were not opened in a browser (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.mark.parametrize("name", PAGES)
def test_a_report_is_read_in_a_browser(name: str, browser: Any, written: Path) -> None:
    what, texts = PAGES[name]
    own = written / "failed.yaml"
    own.write_text(FAILED.replace("SCENARIOS", str(Path(__file__).parents[2] / "scenarios")), encoding="utf-8")
    file = report([str(own) if one == own.name else one for one in what], written / f"{name}.html")
    page = browser.new_page()
    problems: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
        assert page.evaluate("[...document.images].every(image => image.alt.length > 10)")
        shown = page.evaluate("document.body.innerText")
        assert [text for text in texts if text not in shown] == []
        assert page.evaluate("document.querySelectorAll('h1').length") == 1
    assert problems == []
    assert [url for url in requests if not url.startswith("data:")] == [file.as_uri()] * len(WIDTHS)
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()
