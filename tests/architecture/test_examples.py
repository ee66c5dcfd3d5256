"""Docstrings: examples print what they show, and a section `Parameters` names what the signature has.

Examples are those of the program, and those of the oracles that tests trust.

Modules without an example are not imported for it, which is what `--doctest-modules` would do in each process.
"""

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each

TOP = Path(__file__).parents[2]
PACKAGE = TOP / "simbackup"
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


SECTION = re.compile(r"^Parameters\n-+\n(?P<body>.*?)(?=^[^\n]+\n-{3,}$|^>>>|\Z)", re.MULTILINE | re.DOTALL)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Documented = Function | ast.ClassDef


def documented(node: ast.AST, before: str = "") -> Iterator[tuple[str, Documented]]:
    """All public functions, methods and classes below a node, with their names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Documented) and not child.name.startswith("_"):
            yield before + child.name, child
            if isinstance(child, ast.ClassDef):
                yield from documented(child, f"{before}{child.name}.")


def described(docstring: str) -> list[str] | None:
    """The names in the section `Parameters`; None without one."""
    section = SECTION.search(docstring)
    if section is None:
        return None
    lines = [line for line in section["body"].splitlines() if line and not line[0].isspace()]
    return [name.strip() for line in lines for name in line.split(",")]


def taken(node: Documented) -> list[str]:
    """The names that a function or a class takes."""
    if isinstance(node, ast.ClassDef):
        made = [part for part in node.body if isinstance(part, Function) and part.name == "__init__"]
        if made:
            return taken(made[0])
        fields = (part.target for part in node.body if isinstance(part, ast.AnnAssign))
        return [field.id for field in fields if isinstance(field, ast.Name)]
    its = node.args
    names = [part.arg for part in (*its.posonlyargs, *its.args, *its.kwonlyargs)]
    names += [f"*{its.vararg.arg}"] if its.vararg else []
    names += [f"**{its.kwarg.arg}"] if its.kwarg else []
    return [name for name in names if name not in {"self", "cls"}]


def misdescribed(source: str) -> list[str]:
    """The functions and classes of a module whose section `Parameters` differs from their signature."""
    found: list[str] = []
    for name, node in documented(ast.parse(source)):
        names = described(ast.get_docstring(node) or "")
        if names is not None and sorted(names) != sorted(taken(node)):
            missing, unknown = sorted({*taken(node)} - {*names}), sorted({*names} - {*taken(node)})
            found.append(f"{name}: missing {missing}, unknown {unknown}")
    return found


@pytest.mark.slow
@for_each("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_parameters_are_those_of_the_signature(path: Path) -> None:
    assert misdescribed(path.read_text(encoding="utf-8")) == []


def test_a_name_in_the_text_of_another_and_an_unknown_one_are_found() -> None:
    source = '''
def walk(path: str, *jobs: str, depth: int = 0) -> None:
    """Walk.

    Parameters
    ----------
    path
        Where to begin. depth How deep.
    jobs
        Names.

    Raises
    ------
    OSError
        It does not exist.
    """
'''
    assert misdescribed(source) == ["walk: missing ['*jobs', 'depth'], unknown ['jobs']"]
