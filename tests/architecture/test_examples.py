"""The examples in docstrings print what they show: those of the program, and those of the oracles that tests trust.

Modules without an example are not imported for it, which is what `--doctest-modules` would do in each process.
"""

import doctest
import importlib
from pathlib import Path

import pytest

from tests.cases import for_each

TOP = Path(__file__).parents[2]
FOLDERS = sorted(
    path.relative_to(TOP).as_posix()
    for path in (TOP / "simbackup", TOP / "tests" / "oracles", *(TOP / "simbackup").iterdir())
    if path.is_dir() and path.name != "__pycache__"
)


def with_examples(folder: str) -> list[str]:
    """The modules of a folder, and of those below it, that show an example."""
    found = (TOP / folder).glob("*.py") if folder == "simbackup" else (TOP / folder).rglob("*.py")
    shown = sorted(path for path in found if ">>> " in path.read_text(encoding="utf-8"))
    return [".".join(path.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__") for path in shown]


def tried(module: str) -> int:
    """How many examples of a module were tried, all of which print what they show."""
    found = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module), module)
    failed: list[str] = []
    for each in found:
        doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(each, out=failed.append)
    assert not failed, "".join(failed)
    return sum(len(each.examples) for each in found)


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_examples_print_what_they_show(folder: str) -> None:
    modules = with_examples(folder)
    if modules:
        for_each("module", modules)(_has_examples)()


def _has_examples(module: str) -> None:
    assert tried(module), "what looks like an example is none"


def test_a_wrong_example_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wrongly_shown.py").write_text('"""Wrong.\n\n>>> 1 + 1\n3\n"""\n', encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(AssertionError, match=r"Expected:\s+3\s+Got:\s+2"):
        tried("wrongly_shown")


def test_examples_are_found() -> None:
    assert sum(len(with_examples(folder)) for folder in FOLDERS) > 150
    assert "tests.oracles.queues" in with_examples("tests/oracles")
