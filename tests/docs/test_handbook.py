"""The pages that a build of the handbook makes are complete, and every page is reached; .ci/run builds it."""

import ast
import inspect
import json
import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from simbackup import shelf

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))  # the extension lies beside the pages, and is no part of the package

from handbook import catalogue, mechanisms, outside, typeset, uses  # noqa: E402

from tests.cases import for_each  # noqa: E402


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    rows = {"tape.locate_time": {"a-document": [f"row-{n}" for n in range(8)]}}
    return catalogue.pages() | mechanisms.written(rows) | outside.pages()


@pytest.mark.slow
def test_every_equation_is_on_a_page(made: dict[str, str]) -> None:
    equations = [(name, own) for name, module in uses.modules().items() for own in uses.functions(module)]
    assert len(equations) > 80
    assert [one for one in equations if f".. autofunction:: {one[1]}\n" not in made[f"mechanisms/{one[0]}.rst"]] == []


def test_every_equation_says_something() -> None:
    said = {
        f"{name}.{own}": inspect.getdoc(function)
        for name, module in uses.modules().items()
        for own, function in uses.functions(module).items()
    }
    assert [name for name, doc in said.items() if not doc] == []


@pytest.mark.slow
def test_the_rows_of_an_equation_are_named_or_counted(made: dict[str, str]) -> None:
    assert (
        "- a-document: ``row-0``, ``row-1``, ``row-2``, ``row-3``, ``row-4``, ``row-5`` and 2 more\n"
        in made["mechanisms/tape.rst"]
    )


def test_every_datasheet_is_on_the_page_of_its_kind(made: dict[str, str]) -> None:
    there = "".join(text for name, text in made.items() if name.startswith("datasheets/"))
    assert [name for name in shelf.names() if f"({catalogue.anchor(name)})=" not in there] == []
    assert [key for key in shelf.sources() if f"(work-{key})=" not in made["datasheets/works.md"]] == []


def test_formulas_are_those_of_the_code() -> None:
    def some(a: float, rate: float) -> float:
        """Something."""
        if a < 0:
            raise ValueError
        half = a / 2
        return max(half, 1.0) if a > 1 else rate**2

    assert typeset.formula(some) == (  # type: ignore[arg-type]
        r"\begin{align*}\mathrm{half} &= \frac{a}{2} \\ "
        r"\mathrm{some} &= \begin{cases}\max\left(\mathrm{half},\ 1\right) & \text{if } a > 1 \\ "
        r"{\mathrm{rate}}^{2} & \text{otherwise} \end{cases}\end{align*}"
    )


def test_a_long_sum_takes_several_lines() -> None:
    def some(reading: float, writing: float, turning: float) -> float:
        return reading * 1_000_000 + writing * 2_000_000 - (turning + 3_000_000) + 4_000_000 * turning * reading

    # by hand: the first two terms are some 45 letters wide, and with the third more than 64
    assert typeset.formula(some) == (  # type: ignore[arg-type]
        r"\begin{align*}\mathrm{some} &= \mathrm{reading} \cdot 1 \cdot 10^{6} + \mathrm{writing} \cdot 2 \cdot 10^{6} "
        r"- \left(\mathrm{turning} + 3 \cdot 10^{6}\right) \\ "
        r"& + 4 \cdot 10^{6} \, \mathrm{turning} \, \mathrm{reading}\end{align*}"
    )


def test_what_loops_is_no_formula() -> None:
    def some(a: int) -> int:
        while a > 1:
            a //= 2
        return a

    assert typeset.formula(some) is None  # type: ignore[arg-type]


@for_each(
    "code, shown",
    [
        ("(a + b) * c", r"\left(a + b\right) \, c"),
        ("a - (b - c)", r"a - \left(b - c\right)"),
        ("-a / (1 - b)", r"\frac{-a}{1 - b}"),
        ("math.sqrt(a**2 + b)", r"\sqrt{{a}^{2} + b}"),
        ("sum(x * 2 for x in times)", r"\sum_{x \in \mathrm{times}} x \cdot 2"),
        ("disk.outer_rate", r"\mathrm{outer\ rate}"),
        ("1e-9", r"1 \cdot 10^{-9}"),
    ],
)
def test_terms(code: str, shown: str) -> None:
    assert typeset.shown(ast.parse(code, mode="eval").body) == shown


PAGES = [path for path in sorted(DOCS.rglob("*.md")) if not path.is_relative_to(DOCS / outside.MADE)]
FRONT = [DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(path: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", read(path), flags=re.DOTALL | re.MULTILINE)


@for_each("page", [*PAGES, *FRONT], ids=lambda path: path.relative_to(DOCS.parent).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """Pages are also read in the repository, where those that a build makes are missing."""
    for link, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(#[^)\s]+)?\)", prose(page)):
        target = (page.parent / link).resolve() if link else page
        assert target.exists(), link
        assert not target.is_relative_to(DOCS / outside.MADE), f"{link} is there after a build only"
        if anchor:
            heads = re.findall(r"^#+ (.*)$", read(target), re.MULTILINE)
            assert anchor.removeprefix("#") in {slug(head) for head in heads}


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("../RESULTS.md", "/made/results.md"),
        ("../models/", "/made/datasheets/index.md"),
        ("../simbackup/equations/", "/made/mechanisms/index.md"),
        ("../simbackup/equations/tape.py", "/made/mechanisms/tape.rst"),
    ],
)
def test_links_out_of_docs_lead_to_pages_that_a_build_makes(link: str, leads: str, made: dict[str, str]) -> None:
    assert outside.target(link, "docs") == leads
    assert leads.removeprefix(f"/{outside.MADE}/") in made


def test_scenarios_that_pages_name_exist() -> None:
    folder = DOCS.parent / "scenarios"
    named = {name for page in [*PAGES, *FRONT] for name in re.findall(NAMED, prose(page))}
    assert len(named) > 20
    ends = (".yaml", ".study.yaml", ".site.yaml")
    assert [name for name in sorted(named) if not any((folder / f"{name}{end}").exists() for end in ends)] == []


NAMED = r"(?<![\w/.])(?:teaching|planning|published)/(?!005-)[\w-]+(?:/[\w-]+)?(?![\w/.*-])"
"""A scenario, a study or a site by its name; the documents that pages make up begin with 005."""


def test_links_of_notebooks_lead_to_pages_of_the_handbook() -> None:
    text = json.dumps({"cells": [
        {"cell_type": "markdown", "source": ["[how](../docs/how-to/study.md), ", "[first](00-why.ipynb)"]},
        {"cell_type": "code", "source": ["kinds[name](folder)"]},
    ]})  # fmt: skip
    words, code = json.loads(outside.notebook(text))["cells"]
    assert words["source"] == "[how](/how-to/study.md), [first](/made/notebooks/00-why.ipynb)"
    assert code["source"] == ["kinds[name](folder)"]


def slug(heading: str) -> str:
    """The anchor of a heading, as MyST and GitHub make it.

    >>> slug("5. After a fire")
    '5-after-a-fire'
    """
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


def test_every_page_is_reached_from_the_front(made: dict[str, str]) -> None:
    """Sphinx warns of a page that is in no list of pages; this finds it without a build."""
    own = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES}
    trees = [
        tree for path in DOCS.glob("*.md") for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", read(path), LINES)
    ]
    entries = {line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")}
    reached = {
        name for name in own for entry in entries if fnmatch(name, entry) and name.count("/") == entry.count("/")
    }
    assert own - reached == {"index"}
    listed = {entry for entry in entries if entry.startswith(outside.MADE) and "*" not in entry}
    assert listed <= {f"{outside.MADE}/{name.rpartition('.')[0]}" for name in made}


LINES = re.DOTALL | re.MULTILINE


def test_pictures_of_notebooks_say_what_they_show(made: dict[str, str]) -> None:
    texts = [
        cell["metadata"]["mystnb"]["image"]["alt"]
        for name, page in made.items()
        if name.endswith(".ipynb")
        for cell in json.loads(page)["cells"]
        if any(outside.IMAGES & output.get("data", {}).keys() for output in cell.get("outputs", []))
    ]
    assert len(texts) > 50
    assert [text for text in texts if not text.partition(": ")[2]] == []
    assert [text for text in texts if text.startswith(":")] == []
    assert len({*texts}) > 0.8 * len(texts)
