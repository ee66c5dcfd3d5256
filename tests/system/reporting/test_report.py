"""Every scenario can be reported on; what the page says is what the result says."""

import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from simbackup import report
from simbackup.errors import ResultError
from simbackup.experiments.intervals import intervals_of
from simbackup.reporting.page import Chapter, page
from simbackup.reporting.tables import Column, ReportTable, words, write_excel
from simbackup.results.causes import split
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.shared import ROOT, RUNNABLE, each_scenario, simulated

TAPE, LVM = "teaching/one-file-from-tape", "published/003-lvm-snapshots/same-disk"
VOID = {"meta", "link", "img", "source"}


class Outline(HTMLParser):
    """The headings of a page, and whether every element is closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.levels: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h[1-6]", tag):
            self.levels.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@each_scenario(RUNNABLE)
def test_a_scenario_can_be_reported_on(name: str) -> None:
    result = simulated(name)
    text = page(Chapter(result))
    outline = Outline()
    outline.feed(text)
    assert outline.open == []
    assert outline.levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(outline.levels, outline.levels[1:], strict=False))
    assert "http-equiv" not in text
    assert not re.search(r"<script|src=\"(?!data:)|url\(", text)
    assert "built-in" not in text
    assert " at 0x" not in text
    assert result.record.hash in text
    assert f"{len(result.values)} values" in text


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> str:
    return report(TAPE, tmp_path_factory.mktemp("tape") / "tape.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_same_report_has_the_same_bytes(tape: str, tmp_path: Path) -> None:
    assert simulated(TAPE).report(tmp_path / "again.html").read_text(encoding="utf-8") == tape


@pytest.mark.slow
def test_the_answer_stands_before_the_figures(tape: str) -> None:
    places = [tape.index(f">{text}<") for text in ("The answer", "The system", "Timeline", "Where the time went")]
    assert places == sorted(places)
    assert "Twice as fast" in tape
    assert "then the bottleneck is devices.jukebox.robot" in tape
    assert "to spare" in tape


def test_a_result_whose_scenario_is_gone_makes_the_same_report(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(f"extends: {ROOT}/scenarios/{LVM}.yaml\ntitle: Mine\n", encoding="utf-8")
    saved = str(simulate(str(own)).save(tmp_path / "saved"))
    before = report(saved, tmp_path / "r.html", drawn=False).read_bytes()
    own.unlink()
    assert report(saved, tmp_path / "r.html", drawn=False).read_bytes() == before


def test_a_result_without_its_scenario_still_makes_a_report(tmp_path: Path) -> None:
    run = simulate(LVM)
    bare = Result(run.record, run.values, run.trace, run.layout)
    text = report(bare, tmp_path / "r.html", drawn=False).read_text(encoding="utf-8")
    assert "the scenario cannot be run again" in text
    with pytest.raises(ResultError, match="intervals need its scenario, which cannot be run again: the result of"):
        report(bare, tmp_path / "r.html", intervals="thorough")


def test_intervals_hold_the_answer(tmp_path: Path) -> None:
    text = report(LVM, tmp_path / "r.html", reruns=False, drawn=False).read_text(encoding="utf-8")
    found = intervals_of(simulated(LVM))["dd"]
    assert found.sentence()[1:] in unescape(text)
    without = report(LVM, tmp_path / "r.html", intervals="none", reruns=False, drawn=False).read_text(encoding="utf-8")
    assert "of cases" not in without


def test_a_window_that_part_of_the_interval_misses_is_at_risk(tmp_path: Path) -> None:
    sure, close = (
        report(LVM, tmp_path / "r.html", overrides={"jobs.dd.window": window}, reruns=False, drawn=False).read_text(
            encoding="utf-8"
        )
        for window in ("10 d", "10 min")
    )
    assert '<span class="badge">in window</span>' in sure
    assert '<span class="badge">at risk</span>' in close


@pytest.mark.slow
def test_tables_lie_beside_the_page(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    for again in ("a", "b"):
        page, table = tmp_path / f"{again}.html", tmp_path / f"{again}.xlsx"
        report(TAPE, page, intervals="none", reruns=False, drawn=False, excel=table)
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    result, sheet = simulated(TAPE), openpyxl.load_workbook(tmp_path / "a.xlsx")["Time of one_file"]
    seconds = sum(row[2].value for row in sheet.iter_rows(min_row=2))
    assert seconds == pytest.approx(sum(split(result, "one_file").values()), rel=0.01)
    jobs = openpyxl.load_workbook(tmp_path / "a.xlsx")["Jobs"]
    assert [cell.value for cell in jobs[1]][:5] == ["job", "method", "start (s)", "end (s)", "elapsed (s)"]
    assert jobs.max_row == 1 + len(result.job_rows)


def test_a_text_in_a_workbook_is_no_formula(tmp_path: Path) -> None:
    openpyxl: Any = pytest.importorskip("openpyxl")
    table = ReportTable("t", (Column("a"),), [(words("=1+1"),)])
    book = openpyxl.load_workbook(write_excel([table], tmp_path / "t.xlsx"))
    assert book["t"]["A2"].data_type == "s"


@pytest.mark.parametrize("missing", ["openpyxl", "jinja2"])
def test_a_missing_package_is_reported_early(missing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delitem(sys.modules, missing, raising=False)
    for module in ("output.target", "reporting.page"):
        monkeypatch.setattr(f"simbackup.{module}.find_spec", lambda name: None if name == missing else name)
    with pytest.raises(ResultError, match=r"pip install 'simbackup\["):
        report("no-such-scenario", tmp_path / "r.html", excel=tmp_path / "r.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_a_workbook_is_named_as_one(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="use "):
        report(TAPE, tmp_path / "r.html", excel=tmp_path / "r.ods")


def test_several_results_are_no_report(tmp_path: Path) -> None:
    several: Any = [simulated(TAPE)]
    with pytest.raises(ResultError, match="a report is of one result or scenario; use study or the page for several"):
        report(several, tmp_path / "several.html")
