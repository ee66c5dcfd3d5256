"""A page as a PDF, printed by a browser that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from simbackup.errors import ResultError

BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)  # fmt: skip
"""Browsers that print a page without a window, by the names of their programs."""
LONGEST = 180.0
"""Seconds after which a browser is given up."""
DATED = re.compile(rb"(/(?:CreationDate|ModDate) \(D:)\d{14}")
EVER = b"19800101000000"
"""The date in every PDF, so that the same page gives the same bytes."""


def browser() -> str:
    """The program of a browser that prints pages.

    Raises
    ------
    ResultError
        None is installed.
    """
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        remedy = "install Chromium, Chrome or Edge, or write a page (.html) and print it in a browser"
        raise ResultError(f"a PDF needs a browser that prints it; {remedy}")
    return found


def printed(page: str) -> bytes:
    """The PDF of a page that loads nothing.

    Raises
    ------
    ResultError
        No browser is installed, or it does not print the page.
    """
    program = browser()
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # browsers refuse root otherwise
    with tempfile.TemporaryDirectory(prefix="simbackup-print-", ignore_cleanup_errors=True) as folder:
        html, pdf = Path(folder) / "page.html", Path(folder) / "page.pdf"
        html.write_text(page, encoding="utf-8")
        words = [
            program, "--headless", "--disable-gpu", "--no-first-run", *root, f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer", f"--print-to-pdf={pdf}", html.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(  # noqa: S603 (a browser that the user installed)
                words, capture_output=True, text=True, check=False, timeout=LONGEST
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ResultError(f"{program} does not print the page ({error})") from None
        if not pdf.is_file():
            said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise ResultError(f"{program} does not print the page ({said})")
        return DATED.sub(rb"\g<1>" + EVER, pdf.read_bytes())
