"""A section `Parameters` of a docstring names what the signature has: all of it, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import for_each

PACKAGE = Path(__file__).parents[2] / "simbackup"
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
