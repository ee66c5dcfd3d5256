"""How large the program is: lines, modules, public classes, circles of imports, for each folder of simbackup/."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Container, Iterator
from pathlib import Path

HEADS = ("modules", "below 40", "lines", "of code", "public classes", "circles")
SMALL = 40
"""Lines below which a module counts as small."""


def imported(tree: ast.AST, modules: Container[str], *, later: bool) -> Iterator[str]:
    """Modules that a module imports when it is imported itself, and `later` also those that its functions import.

    A module that takes another one from its package depends on that one, and not on the package.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not later:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield from imported(node, modules, later=later)


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines that hold neither a comment nor a docstring, and are not empty."""
    lines = {i for i, line in enumerate(text.splitlines(), 1) if line.strip() and not line.lstrip().startswith("#")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def circles(graph: dict[str, set[str]]) -> int:
    """The number of groups of modules that reach each other by imports."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        found, waiting = set[str](), [start]
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting += new
        reach[start] = found
    groups = {frozenset(other for other in reach[one] if one in reach[other]) for one in graph if one in reach[one]}
    return len(groups)


def main() -> None:
    """Print a row for each folder, and the sum."""
    parser = argparse.ArgumentParser(description="lines, modules, public classes and circles of imports of the program")
    parser.add_argument("root", nargs="?", type=Path, default=Path(), help="a checkout, by default this one")
    parser.add_argument("--later", action="store_true", help="count imports inside functions as well")
    asked = parser.parse_args()
    package = asked.root / "simbackup"
    sums: dict[str, list[int]] = {}
    graph: dict[str, set[str]] = {}
    modules = {
        ".".join(path.relative_to(asked.root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted(package.rglob("*.py"))
    }
    for name, path in modules.items():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        within = path.relative_to(package).with_suffix("").parts
        graph[name] = set(imported(tree, modules, later=asked.later))
        lines = text.count("\n")
        classes = sum(isinstance(node, ast.ClassDef) and not node.name.startswith("_") for node in tree.body)
        own = (1, lines < SMALL, lines, code_lines(text, tree), classes)
        for folder in (within[0] if len(within) > 1 else ".", "sum"):
            sums[folder] = [a + b for a, b in zip(sums.get(folder, [0] * len(own)), own, strict=True)]
    sums["sum"] = sums.pop("sum")  # the last row
    print(f"{'folder':<14}" + "".join(f"{head:>15}" for head in HEADS))
    for folder, row in sums.items():
        here = {name for name in graph if folder in {name.split(".")[1] if name.count(".") > 1 else ".", "sum"}}
        cells = (*row, circles({name: graph[name] & here for name in here}))
        print(f"{folder:<14}" + "".join(f"{cell:>15}" for cell in cells))


if __name__ == "__main__":
    main()
