"""Chromium for all tests of pages."""

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

HANGS = 1_800_000
"""Milliseconds after which the browser hangs; a busy machine is never that slow."""


@pytest.fixture(scope="module")  # while it lives no other test of its process can run an event loop
def chromium() -> Iterator[Any]:
    """Chromium; where it is not installed nothing is tested, except under CI, where that is an error."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        message = "CHROMIUM IS NOT INSTALLED: pages were not opened in a browser (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=HANGS)
        yield opened
        opened.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """A browser of one user."""
    context = chromium.new_context(locale="en-GB")
    context.set_default_timeout(HANGS)
    yield context
    context.close()
