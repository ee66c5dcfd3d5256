"""The page of a report: one HTML file that loads nothing else, and its PDF, printed by a browser that is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup.errors import ResultError
from simbackup.reporting import answer, sections, sentences
from simbackup.reporting.tables import ReportTable
from simbackup.results.result import Result
from simbackup.results.rows import exact
from simbackup.results.shown import note_sentences
from simbackup.text import for_terminal
from simbackup.uncertainty.verdict import JobInterval

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons
    from simbackup.reporting.pictures import Shown


@dataclass(frozen=True, slots=True)
class Chapter:
    """A result, and what further runs showed."""

    name: str
    """The name of the result on the page."""
    result: Result
    """The result."""
    explained: Mapping[str, Reasons] = field(default_factory=dict[str, "Reasons"])
    """Why each job took as long as it did."""
    intervals: Mapping[str, JobInterval] = field(default_factory=dict[str, JobInterval])
    """The interval of each job."""
    pictures: Sequence[Shown] = ()
    """Pictures of the result."""
    note: str = ""
    """Why runs without the bottleneck are missing, if they are."""


def check_engine() -> None:
    """Check, before anything is run, that the libraries for a page are installed.

    Raises
    ------
    ResultError
        Jinja or matplotlib is missing.
    """
    for module in ("jinja2", "matplotlib"):
        if find_spec(module) is None:
            raise ResultError(f"a report needs {module}; install it with: pip install 'simbackup[report]'")


def _seen(value: object) -> object:
    """A value for the template before escaping: markup stays, and invisible characters in text are shown."""
    return for_terminal(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def page(chapters: Sequence[Chapter], comparison: Sequence[ReportTable] = ()) -> str:
    """The text of the page: the comparison if there are several results, then a chapter for each."""
    first = chapters[0].result.record
    title = first.title if len(chapters) == 1 else f"{len(chapters)} scenarios compared"
    return filled(
        "report.html", title=title, chapters=[_shown(chapter) for chapter in chapters], comparison=comparison,
        version=first.version,
    )  # fmt: skip


@cache
def environment(*packages: str) -> Any:
    """Where templates are looked for: in the first of these packages, then in the others, then here."""
    jinja: Any = import_module("jinja2")  # an extra, and slow to import
    loaders = [jinja.PackageLoader(package) for package in (*packages, "simbackup.reporting")]
    return jinja.Environment(
        loader=jinja.ChoiceLoader(loaders), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja.StrictUndefined, keep_trailing_newline=not packages, finalize=_seen,
    )  # fmt: skip


def filled(template: str, *packages: str, **values: Any) -> str:
    """The text of a template of a page with some values, each of which is escaped."""
    return str(environment(*packages).get_template(template).render(**values))


def _shown(chapter: Chapter) -> dict[str, Any]:
    """Everything that the template shows of one result."""
    result = chapter.result
    answers = answer.answers(result, chapter.explained, chapter.intervals)
    return {
        "name": chapter.name, "record": result.record, "answers": answers,
        "short": sentences.in_short(result.job_rows, result.user_rows),
        "left_out": answer.left_out(result), "restores": answer.restores(result), "splits": sections.splits(result),
        "pictures": {shown.name: shown for shown in chapter.pictures}, "note": chapter.note,
        "notes": note_sentences(result.trace),
        "devices": sections.devices(result), "drives": sections.devices(result, tape=True),
        "users": sections.users(result), "assumptions": sections.assumptions(result.values),
        "sources": sections.sources(result.values, result.works), "bases": sections.bases(result),
        "total": len(result.values),
        "wide": bool(chapter.intervals),
        "exact": ", ".join(f"{count} {basis}" for basis, count in exact(result.values).items()),
    }  # fmt: skip


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
