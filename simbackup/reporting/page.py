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

from simbackup import units
from simbackup.errors import ResultError
from simbackup.reporting import answer, sections, sentences
from simbackup.reporting.tables import Cell, Column, ReportTable, percent, words
from simbackup.results.result import Result
from simbackup.results.rows import exact
from simbackup.results.shown import note_sentences
from simbackup.results.validated_range import Checked, Distance, distance
from simbackup.text import for_terminal
from simbackup.uncertainty.verdict import JobInterval

if TYPE_CHECKING:
    from simbackup.experiments.what_if import Reasons
    from simbackup.reporting.pictures import Shown


MOST_UNCOVERED = 12
"""Number of uncovered values that are named; any more are only counted."""


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


def page(chapters: Sequence[Chapter], comparison: Sequence[ReportTable] = (), compared: str = "") -> str:
    """The text of the page: the comparison if there are several results, then a chapter for each."""
    first = chapters[0].result.record
    title = first.title if len(chapters) == 1 else f"{len(chapters)} scenarios compared"
    return filled(
        "report.html", title=title, chapters=[_shown(chapter) for chapter in chapters], comparison=comparison,
        compared=compared, version=first.version,
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
        "trust": _trust(distance(result)), "wide": bool(chapter.intervals),
        "exact": ", ".join(f"{count} {basis}" for basis, count in exact(result.values).items()),
    }  # fmt: skip


def _trust(found: Distance | None) -> dict[str, Any] | None:
    """How far a result is from validated ranges, as tables and counts."""
    if found is None:
        return None
    results = [row for row in found.rows if row.is_result]
    counted = sorted(abs(row.error) for row in results)
    return {
        "document": found.document, "itself": found.itself, "rows": _rows(found.rows), "outside": _outside(found),
        "within": sum(row.verdict.endswith(("yes", "right")) for row in results), "total": len(results),
        "worst": percent(counted[-1]).text if counted else "",
        "uncovered": [value.address for value in found.uncovered[:MOST_UNCOVERED]],
        "more": max(len(found.uncovered) - MOST_UNCOVERED, 0), "new": len(found.uncovered),
    }  # fmt: skip


def _rows(rows: Sequence[Checked]) -> ReportTable:
    columns = (
        Column("measured"), Column("figure"), Column("value", "1"), Column("simulated", "1"), Column("error", "1"),
        Column("role"), Column("within 10 %"),
    )  # fmt: skip
    cells = [
        (
            words(row.operation), words(row.quantity), _figure(row.measured, row.unit),
            _figure(row.simulated, row.unit),
            percent(row.error, sign=True), words(row.role), words(row.verdict),
        )
        for row in rows
    ]  # fmt: skip
    return ReportTable(
        "Validation", columns, cells, "Measured and simulated figures of the document behind this scenario"
    )


def _figure(value: float, unit: str) -> Cell:
    return Cell(f"{value:,.6g} {unit}".rstrip(), value)


def _outside(found: Distance) -> ReportTable:
    rows = [
        (
            words(one.address), words(units.show_short(one.value, one.unit)),
            words(_span(units.show_short(one.low, one.unit), units.show_short(one.high, one.unit))),
            words(_times(one.value, one.low, one.high)),
        )
        for one in found.outside
    ]  # fmt: skip
    columns = (Column("value"), Column("here"), Column("validated"), Column("which is"))
    return ReportTable("Outside", columns, rows, "Values outside the validated ranges")


def _span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _times(value: float, low: float, high: float) -> str:
    """How far a value is from a span."""
    if value > high:
        return f"{value / high:.3g} times the highest" if high > 0 else "above the highest"
    return f"{value / low:.3g} times the lowest" if low > 0 else "below the lowest"


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
