"""The equations that each measured row depends on, found by simulating its scenarios."""

from __future__ import annotations

import functools
import gc
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from simbackup import equations

Uses = Mapping[str, Mapping[str, list[str]]]
"""For each equation, `module.name`, the rows whose simulation calls it, by publication."""


def modules() -> dict[str, ModuleType]:
    """The modules of equations, by name."""
    return {name: import_module(f"simbackup.equations.{name}") for name in dir(equations)}


def functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The public functions of a module in the order in which they stand there."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    return {
        name: value
        for name, value in own.items()
        if callable(value) and not isinstance(value, type) and not name.startswith("_")
    }


def found() -> Uses:
    """The rows of each equation, worked out by a Python of its own, whose equations are watched."""
    script = [sys.executable, __file__]
    printed = subprocess.run(script, check=True, capture_output=True, encoding="utf-8").stdout  # noqa: S603 (this file)
    rows: Uses = json.loads(printed)
    return rows


def watched() -> set[str]:
    """Put a watch on all equations, before anything imports them; the set will hold the names of those that ran."""
    ran: set[str] = set()
    for name, module in modules().items():
        for own, function in functions(module).items():
            for other in modules().values():
                if vars(other).get(own) is function:
                    setattr(other, own, _watch(function, f"{name}.{own}", ran))
    return ran


def _watch(function: Callable[..., Any], name: str, ran: set[str]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        ran.add(name)
        return function(*arguments, **named)

    return run


def forget() -> None:
    """Clear all caches of the program, so that the next simulation calls what it depends on."""
    for each in gc.get_objects():
        if type(each) is functools._lru_cache_wrapper and each.__module__.startswith("simbackup"):  # noqa: SLF001
            each.cache_clear()


def main() -> None:
    """Print the rows of each equation as JSON."""
    ran = watched()
    # the rooms import the equations by name, and so after they are watched
    from simbackup.experiments.reproduce import scenarios_of  # noqa: PLC0415
    from simbackup.results.compare import documents  # noqa: PLC0415
    from simbackup.run import simulate  # noqa: PLC0415

    rows: dict[str, dict[str, list[str]]] = {}
    for measured in documents("*"):
        used: dict[str, set[str]] = {}
        for file, scenario in scenarios_of(measured).items():
            forget()
            ran.clear()
            simulate(scenario)
            used[file] = set(ran)
        for row in measured.rows:
            if row.row.kind not in {"input", "duplicate"}:
                for name in sorted(set().union(*(used[file] for file, _ in row.addresses))):
                    rows.setdefault(name, {}).setdefault(Path(measured.folder).name, []).append(row.id)
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
