"""One rule for all outputs: the extension decides, and what cannot be written is refused before a run."""

import json
import os
from pathlib import Path

import pandas as pd
import pytest

from simbackup.run import simulate
from tests.shared import Say

PLAIN, STUDY = "published/003-lvm-snapshots/no-snapshot", "planning/copy-area-place"


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each test is in an empty folder."""
    monkeypatch.chdir(tmp_path)


COMMANDS = {
    "plot": (["plot", PLAIN, "timeline", "-o"], ".png, .svg or .pdf"),
    "picture": (["picture", PLAIN, "-o"], ".svg"),
    "trace": (["trace", PLAIN, "-o"], ".json"),
    "report": (["report", PLAIN, "-o"], ".html"),
    "excel": (["report", PLAIN, "--excel"], ".xlsx"),
    "study": (["study", STUDY, "--out"], ".csv, .parquet, .xlsx or .json"),
}
EVERY = pytest.mark.parametrize(("words", "forms"), COMMANDS.values(), ids=list(COMMANDS))


@pytest.fixture
def no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be run."""

    def run(*_: object, **__: object) -> None:
        raise AssertionError("it was run")

    monkeypatch.setattr("simbackup.run.build", run)


@EVERY
@pytest.mark.usefixtures("no_run")
def test_an_unknown_extension_is_refused_before_a_run(words: list[str], forms: str, say: Say, tmp_path: Path) -> None:
    reported = f"cannot be written (the extension '.xyz' is not known here); use {forms}\n"
    assert say(*words, "a.xyz") == (2, "", f"a.xyz {reported}")
    reported = f"cannot be written (its name has no extension); use {forms}\n"
    assert say(*words, "a") == (2, "", f"a {reported}")
    assert list(tmp_path.iterdir()) == []


@EVERY
@pytest.mark.usefixtures("no_run")
def test_a_missing_folder_is_refused_in_the_same_words(words: list[str], forms: str, say: Say, tmp_path: Path) -> None:
    file = Path("none") / f"a{forms.partition(',')[0]}"
    assert say(*words, str(file)) == (2, "", f"{file} cannot be written (there is no folder none)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("no_run")
def test_a_folder_is_made_only_in_one_that_is_there(say: Say, tmp_path: Path) -> None:
    assert say("run", PLAIN, "--out", "none/a") == (2, "", "none/a cannot be written (there is no folder none)\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_study_is_written_in_the_form_of_its_name(say: Say, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    rows = json.loads(say("study", STUDY, "--intervals", "none", "--json", "--out", "t.json")[1])
    assert json.loads((tmp_path / "t.json").read_text(encoding="utf-8")) == rows
    for name in ("t.csv", "t.parquet", "t.XLSX"):
        assert say("study", STUDY, "--intervals", "none", "--out", name)[0] == 0
    tables = pd.read_csv("t.csv"), pd.read_parquet("t.parquet"), pd.read_excel("t.XLSX", sheet_name="Study")
    for table in tables:
        pd.testing.assert_frame_equal(table, pd.DataFrame(rows), rtol=1e-12)


@pytest.mark.skipif(os.name != "posix", reason="devices of POSIX")
def test_a_device_needs_no_extension(say: Say) -> None:
    assert say("trace", PLAIN, "-o", "/dev/null")[0] == 0


@pytest.mark.slow
def test_intervals_of_a_result_need_no_scenario_file(say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    text = f"extends: {Path(__file__).parents[2]}/scenarios/{PLAIN}.yaml\ntitle: Mine\n"
    (tmp_path / "there" / "own.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "there")
    simulate("own.yaml").save("saved")
    assert say("report", "saved", "--intervals", "quick", "-o", "there.html")[0] == 0
    (tmp_path / "there" / "own.yaml").unlink()
    monkeypatch.chdir(tmp_path)
    assert say("report", "there/saved", "--intervals", "quick", "-o", "here.html")[0] == 0
    assert (tmp_path / "here.html").read_bytes() == (tmp_path / "there" / "there.html").read_bytes()
