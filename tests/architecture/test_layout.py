from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_LINES = 500


@pytest.mark.parametrize("folder", ["models", "scenarios"])
def test_there_is_no_python_among_the_data(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if path.suffix in {".py", ".pyc", ".ipynb", ".pkl"}] == []


def test_no_module_is_too_long() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "simbackup").rglob("*.py")
    }
    assert len(lengths) > 20
    assert {name: lines for name, lines in lengths.items() if lines > MOST_LINES} == {}
