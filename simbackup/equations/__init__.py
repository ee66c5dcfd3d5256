"""Cited arithmetic in SI units: no clock, no files."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def __dir__() -> list[str]:
    """The names of all modules of equations."""
    return [module.name for module in iter_modules(__path__)]


def __getattr__(name: str) -> ModuleType:
    """A module of equations, imported when it is first used."""
    if name not in __dir__():
        raise AttributeError(f"module 'simbackup.equations' has no attribute '{name}'")
    return import_module(f"simbackup.equations.{name}")
