from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["models", "scenarios", "lab"])
def test_there_is_no_python_among_the_data(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if path.suffix in {".py", ".pyc", ".ipynb", ".pkl"}] == []
