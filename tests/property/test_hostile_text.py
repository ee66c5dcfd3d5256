"""Text of users stays text in every command and format: no markup, no formula, no escape, no traceback."""

import csv
import json
import re
import tempfile
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from simbackup.cli.app import app
from simbackup.text import for_line, for_markdown, for_terminal, is_formula

NASTY = [
    "[bold]loud[/bold]", "[/]", "[/nope]", "[link=x]", ":smile:", "$x^2$", "$\\frac$ $", "_hidden", "=1+1", "+1", "-x",
    "@x", "\t=1", "\r=1", "\x1b[31mred", "\x07", "\x00", "\x7f", "\x85", "\u202egnp.exe", "\u2028", "\ufffe",
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&amp;", "]]>", "--", "{{ 7*7 }}", "{% if %}", "%s",
    "{0}", "|", "`code`", "*bold*", "end", "#35;", "\\n", "\\", "'", '"', "\n# head", "\U0001f600", "漢字", "עברית",
    "e\u0301", "a" * 300,
]  # fmt: skip
FRAGMENTS = st.sampled_from(NASTY) | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
HOSTILE = st.lists(FRAGMENTS, min_size=1, max_size=4).map(" ".join).filter(lambda text: bool(text.strip()))
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
BUDGET = settings(max_examples=6, suppress_health_check=list(HealthCheck))


def scenario(text: str) -> str:
    """A small scenario with a text wherever one may stand, as JSON, which YAML is a part of."""
    size = {"value": "1 GB", "basis": "assumed", "range": ["1 GB", "2 GB"], "why": text, "at": text, "rule": text}
    return json.dumps({
        "title": text, "question": text,
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk"]}},
        "devices": {
            "disk": {"model": "disk/sata-7200-1tb-2008"},
            "tape": {"model": "tape_library/autoloader-8", "drive": "tape_drive/lto-3", "drives": 1},
        },
        "links": {"lan": {"model": "network/gigabit-ethernet", "joins": ["server", "tape"]}},
        "data": {"file": {"on": "disk", "size": size}},
        "jobs": {"save": {"method": "image", "data": "file", "to": "tape"}},
    })  # fmt: skip


def study(text: str) -> str:
    sizes = {f"{text} 1": {"data.file.size": "1 GB"}, f"{text} 2": {"data.file.size": "2 GB"}}
    asked = {"title": text, "question": text, "scenarios": {text: "it.yaml"}, "cases": sizes}
    return json.dumps({**asked, "show": ["jobs.save.elapsed", "jobs.save.cause"]})


def measured(text: str) -> str:
    row = {"value": "20 s", "at": text, "operation": text, "result": "it.yaml#jobs.save.elapsed", "off": text}
    return json.dumps({"document": text, "measurements": {text: row}})


def said(*arguments: object) -> str:
    """What a command prints; it ends well or with jobs that did not."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in {0, 1}, done.output
    assert CONTROL.search(done.stdout) is None
    return str(done.stdout)


def squeezed(text: str) -> str:
    """A text without its spaces, which tables and pages break and fill."""
    return re.sub(r"\s+", "", text)


def assert_no_formula(folder: Path) -> None:
    files = list(folder.rglob("*.csv"))
    assert files
    for path in files:
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines(keepends=True)):
            assert [cell for cell in row if is_formula(cell)] == []
            assert CONTROL.search("".join(row)) is None


class Page(HTMLParser):
    """The text of a page, and the elements that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.elements, self.handlers = list[str](), set[str](), list[str]()
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


@pytest.fixture(scope="module")
def folder() -> Any:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.mark.slow
@BUDGET
@given(HOSTILE)
@example(" ".join(NASTY))
@example("=1+1 [/] $a$")
def test_text_is_shown_as_it_was_written(folder: Path, text: str) -> None:
    file = folder / "it.yaml"
    file.write_text(scenario(text), encoding="utf-8")
    wanted = squeezed(for_terminal(text))
    assert wanted in squeezed(said("run", file, "--intervals", "none", "--out", folder / "result"))
    assert_no_formula(folder / "result")
    assert json.loads(said("run", file, "--intervals", "none", "--json"))["jobs"]
    said("explain", file)
    said("trace", file, "-o", folder / "trace.json")
    assert json.loads((folder / "trace.json").read_text(encoding="utf-8"))["otherData"]["title"] == text
    root = ET.fromstring(said("picture", file))  # noqa: S314 (our own SVG)
    assert wanted in squeezed("".join(root.itertext()))
    (folder / "asked.study.yaml").write_text(study(text), encoding="utf-8")
    (folder / "studied").mkdir(exist_ok=True)
    shown = squeezed(
        said("study", folder / "asked.study.yaml", "--intervals", "none", "--out", folder / "studied" / "table.csv")
    )
    assert wanted in shown
    assert_no_formula(folder / "studied")
    (folder / "measured.yaml").write_text(measured(text), encoding="utf-8")
    assert wanted in squeezed(said("reproduce", folder))
    assert squeezed(for_markdown(text)) in squeezed(said("reproduce", folder, "--markdown"))


@pytest.mark.slow
@settings(BUDGET, max_examples=3)
@given(HOSTILE)
@example(" ".join(NASTY))
def test_text_is_drawn_and_reported_as_it_was_written(folder: Path, text: str) -> None:
    file = folder / "it.yaml"
    file.write_text(scenario(text), encoding="utf-8")
    for kind in ("timeline", "causes", "drives"):
        said("plot", file, kind, "-o", folder / f"{kind}.svg")
        ET.parse(folder / f"{kind}.svg")  # noqa: S314 (our own SVG)
    said("report", file, "-o", folder / "page.html", "--quick", "--excel", folder / "book.xlsx")
    page = Page((folder / "page.html").read_text(encoding="utf-8"))
    assert squeezed(for_terminal(text)) in squeezed("".join(page.words))
    assert "script" not in page.elements
    assert page.handlers == []
    book = openpyxl.load_workbook(folder / "book.xlsx")
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}
    assert for_terminal(text) in {cell.value for cell in cells}


def test_a_message_is_one_line() -> None:
    for text in NASTY:
        assert "\n" not in for_line(text)
        assert CONTROL.search(for_line(text)) is None
