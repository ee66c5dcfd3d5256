"""A page for each module of equations: every equation with its text, its formula and the measured rows that test it."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, cast

from handbook import typeset, uses

FEW = 6
"""Rows of a publication that are named; of more, the others are counted."""


def pages() -> dict[str, str]:
    """The page of each module, and their list."""
    return written(uses.found())


def written(rows: uses.Uses) -> dict[str, str]:
    """The pages, when the rows that test each equation are known."""
    modules = uses.modules()
    made = {f"mechanisms/{name}.rst": page(name, module, rows) for name, module in modules.items()}
    return made | {"mechanisms/index.md": _index(modules)}


def page(name: str, module: ModuleType, rows: uses.Uses) -> str:
    """The page of one module."""
    first, _, rest = inspect.cleandoc(module.__doc__ or "").partition("\n\n")
    title = title_of(name)
    lines = [f".. _mechanism-{name}:", "", title, "=" * len(title), "", first, "", rest, ""]
    lines += [f".. currentmodule:: simbackup.equations.{name}", ""]
    for own, function in uses.functions(module).items():
        lines += [own, "-" * len(own), "", f".. autofunction:: {own}", ""]
        lines += [textwrap.indent(each, "   ") for each in (*_formula(function), *_tested(rows.get(f"{name}.{own}")))]
    records = [key for key, value in vars(module).items() if _is_record(value, module)]
    if records:
        lines += ["Records", "-" * len("Records"), ""]
        lines += [f".. autoclass:: {record}\n   :exclude-members: __init__, __new__\n" for record in records]
    return "\n".join(lines) + "\n"


def title_of(name: str) -> str:
    """The title of a module's page.

    >>> title_of("disk_turns")
    'Disk turns'
    """
    return name.replace("_", " ").capitalize().replace("Raid", "RAID")


def _is_record(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__ and not value.__name__.startswith("_")


def _formula(function: Callable[..., Any]) -> list[str]:
    """The formula as the code has it, or the code where it is more than a formula."""
    plain = cast("FunctionType", inspect.unwrap(function))
    set_ = typeset.formula(plain)
    if set_ is not None:
        return [".. math::", "", f"   {set_}", ""]
    code = textwrap.indent(_code(plain), "      ")
    return ["It is computed step by step:", "", ".. code-block:: python", "", code, ""]


def _code(function: FunctionType) -> str:
    """The code of a function without its docstring."""
    source = inspect.getsource(function)
    return source.replace(f'    """{function.__doc__}"""\n', "", 1)


def _tested(rows: Mapping[str, list[str]] | None) -> list[str]:
    """The rows that use an equation, by publication."""
    if not rows:
        return ["*Measured rows whose simulation uses it:* none; tests compare it with independent calculations.", ""]
    shown = [f"{name}: {_some(ids)}" for name, ids in rows.items()]
    return ["*Measured rows whose simulation uses it:*", "", *(f"- {line}" for line in shown), ""]


def _some(ids: list[str]) -> str:
    named = ", ".join(f"``{row}``" for row in ids[:FEW])
    return named if len(ids) <= FEW else f"{named} and {len(ids) - FEW} more"


def _index(modules: dict[str, ModuleType]) -> str:
    """The list of all modules, with what each is about."""
    said = {name: " ".join((module.__doc__ or "").split("\n\n")[0].split()) for name, module in modules.items()}
    lines = ["# Mechanisms", "", INTRODUCTION, "", "| page | what it is about |", "|---|---|"]
    lines += [f"| [{title_of(name)}](mechanism-{name}) | {text} |" for name, text in said.items()]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *modules, "```", ""])


INTRODUCTION = """\
These are the equations that the program computes: the text is the docstring of the function, and the formula is
generated from its code. Arguments and results are in SI units: seconds, bytes, bytes per second. If a function does
more than a formula can show, its code is printed.

Below each equation are the measured rows whose simulation uses it. A row that uses an equation does not necessarily
depend on it strongly. An equation that is used by rows of several publications, and by rows that were
[predicted blindly](../../validation.md), is better tested than one that only rows of a single document use."""
