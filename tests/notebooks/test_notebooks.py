import importlib.util
import re
from pathlib import Path
from types import ModuleType

import jupytext
import nbformat
import pytest

from tests.cases import Extent, for_each

FOLDER = Path(__file__).parents[2] / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9]*.py"))
LEAST_PICTURES = {
    "00-why-was-it-slow": 6,
    "01-why-a-snapshot-slows-writes": 6,
    "02-what-a-database-backup-costs": 6,
    "03-tape-against-frozen-images": 11,
    "04-a-million-small-files": 9,
    "05-levers-of-a-database-backup": 7,
    "06-bring-your-own-measurements": 4,
    "07-how-sure-is-the-answer": 2,
    "08-from-inventory-to-plan": 3,
    "09-a-history-of-backups": 3,
    "10-a-device-of-your-own": 1,
    "11-why-three-copies": 1,
}
NIGHTLY = {"05-levers-of-a-database-backup", "09-a-history-of-backups"}
"""What takes longest: a study of 224 settings, and fits to the real histories that nightly tests fit to, too."""
PNG = b"\x89PNG\r\n\x1a\n"
LARGEST = 300_000


def _publish() -> ModuleType:
    spec = importlib.util.spec_from_file_location("publish", FOLDER / "publish.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _cells(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in _publish().shown(notebook)]


def test_every_notebook_is_known() -> None:
    assert {source.stem for source in SOURCES} == set(LEAST_PICTURES)


@pytest.mark.slow
@for_each(
    "source", [path for path in SOURCES if Extent.everything or path.stem not in NIGHTLY], ids=lambda path: path.stem
)
def test_a_notebook_runs_and_draws(source: Path, tmp_path: Path) -> None:
    publish = _publish()
    notebook = publish.executed(source, tmp_path)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs), "no picture of a system"
    drawn = publish.pictures(notebook)
    assert len(drawn) >= LEAST_PICTURES[source.stem]
    assert all(picture.startswith(PNG) for picture in drawn)


@for_each("source", SOURCES, ids=lambda path: path.stem)
def test_the_published_notebook_is_that_of_its_source(source: Path) -> None:
    published = source.with_suffix(".ipynb")
    notebook = nbformat.read(published, as_version=4)
    nbformat.validate(notebook)
    assert _cells(notebook) == _cells(jupytext.read(source))
    assert published.stat().st_size < LARGEST
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert "timestamp" not in published.read_text(encoding="utf-8").lower()


@for_each("source", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_asks_before_it_shows(source: Path) -> None:
    """A question, a prediction that is compared later, and two exercises; no checks and no parts of the inside."""
    text = "\n".join(cell for _, cell in _cells(jupytext.read(source)))
    first, number = text.split("##")[0], source.stem[:2]
    assert "?" in first, "the first cell asks a question"
    assert text.index("guess = predict(") < text.index("guess.compare(")
    assert [f'check("{number}.{exercise}", ...)' in text for exercise in (1, 2)] == [True, True]
    assert not re.search(r"^\s*assert |simbackup\.|from simbackup", text, re.MULTILINE)
