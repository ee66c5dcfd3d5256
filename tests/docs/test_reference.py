"""The pages under docs/reference/ are those of the classes; `python docs/reference.py` writes them anew."""

import re
import runpy
from pathlib import Path

import pytest

from simbackup.run import warnings_of
from simbackup.scenario import load
from simbackup.schema import capability, job

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    found: dict[str, str] = runpy.run_path(str(DOCS / "reference.py"))["pages"]()
    return found


@pytest.mark.slow
def test_the_pages_are_current(pages: dict[str, str]) -> None:
    there = {
        path.relative_to(DOCS / "reference").as_posix(): path.read_text(encoding="utf-8")
        for path in (DOCS / "reference").rglob("*.md")
    }
    assert sorted(there) == sorted(pages)
    assert [name for name, text in pages.items() if there[name] != text] == []


@pytest.mark.slow
def test_every_key_has_a_value_and_a_meaning(pages: dict[str, str]) -> None:
    rows = [(name, line) for name, text in pages.items() for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    empty = re.compile(r"^\| `\w+` \|  \||\|  \|$|Undefined")
    assert [(name, line) for name, line in rows if empty.search(line)] == []


@pytest.mark.slow
def test_examples_that_no_scenario_has_are_right(pages: dict[str, str]) -> None:
    texts = {name: text.partition("```yaml\n")[2].partition("```")[0] for name, text in pages.items()}
    whole = {name: text for name, text in texts.items() if text.startswith("extends: ")}
    assert whole.keys() == {
        "jobs.md", "chance.md", "failures.md", "history.md", "origin.md",
    }  # fmt: skip
    runs = {name: scenario for name, text in whole.items() if (scenario := load(text)).spec.jobs}
    assert {name: warnings_of(scenario) for name, scenario in runs.items()} == {name: [] for name in runs}


@pytest.mark.parametrize("module", [capability, job])
def test_the_page_of_capabilities_has_them_all(module: object) -> None:
    page = (DOCS / "how-to" / "capabilities.md").read_text(encoding="utf-8")
    own = {n: c for n, c in vars(module).items() if isinstance(c, type) and c.__module__ == module.__name__}  # type: ignore[attr-defined]
    there = {name for name in own if not name.endswith("Spec")}
    assert {name for name in there if f"`{name}`" not in page} == set()
