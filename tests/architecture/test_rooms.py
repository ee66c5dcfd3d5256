"""Rules between modules: imports, what rooms ask of each other, arguments, and no Python among the data."""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "simbackup"
ASKING = ("isinstance", "issubclass")
MANY_ARGUMENTS = 12
"""Functions with more arguments than `max-args` of pyproject.toml, which may only become fewer; ruff finds those
without a mark, and idle marks."""
OPTIONS = "(typer reads each as an option)"
"""How commands are marked: their arguments are options that a user types, and no caller passes them."""


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def sources() -> Mapping[str, str]:
    """The texts of all modules, by their names."""
    return {_name(path): path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def modules() -> Mapping[str, ast.Module]:
    """All modules, by their names."""
    return {name: ast.parse(text) for name, text in sources().items()}


def classes() -> Iterator[tuple[str, str]]:
    """Every class with its module."""
    for module, tree in modules().items():
        yield from ((node.name, module) for node in tree.body if isinstance(node, ast.ClassDef))


def room_of(module: str) -> str:
    """The package in which a module lies."""
    return module.rpartition(".")[0]


def imported(node: ast.AST) -> Iterator[str]:
    """Modules of the package that a piece of code imports when it runs, in functions as well; types excepted."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        names = [name if name in modules() else node.module for name in inner]
    yield from (name for name in names if name in modules())
    for child in ast.iter_child_nodes(node):
        yield from imported(child)


@pytest.mark.slow
def test_no_room_asks_for_the_class_of_another() -> None:
    homes = {name: room_of(module) for name, module in classes() if name.endswith(("Spec", "Sheet"))}
    assert len(homes) > 20
    found = [
        f"{module}:{call.lineno} asks for {name.id}"
        for module, tree in modules().items() if any(word in sources()[module] for word in ASKING)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        and call.func.id in ASKING
        for name in ast.walk(call.args[1])
        if isinstance(name, ast.Name) and homes.get(name.id, room_of(module)) != room_of(module)
    ]  # fmt: skip
    assert found == []


@pytest.mark.slow
def test_no_import_leads_back() -> None:
    graph = {module: {*imported(tree)} - {module} for module, tree in modules().items()}
    assert sum(map(len, graph.values())) > 500
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_functions_with_many_arguments_become_fewer() -> None:
    lines = (line for source in sources().values() for line in source.splitlines())
    marked = sum("PLR0913" in line and OPTIONS not in line for line in lines)
    assert marked == MANY_ARGUMENTS, "state the new number if it is smaller; otherwise give a function fewer arguments"


def test_the_import_contracts_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cli = pytest.importorskip("importlinter.cli", reason="import-linter comes with the dev extra")
    monkeypatch.chdir(ROOT)
    log = logging.getLogger("simbackup")
    monkeypatch.setattr(log, "disabled", log.disabled)  # the linter switches off all loggers that there are
    code = cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert code == 0, capsys.readouterr().out


@pytest.mark.parametrize("folder", ["models", "scenarios", "lab"])
def test_there_is_no_python_among_the_data(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if path.suffix in {".py", ".pyc", ".ipynb", ".pkl"}] == []
