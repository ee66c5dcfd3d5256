"""Cited arithmetic in SI units: no clock, no files."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simbackup.equations import (
        arrival,
        buffers,
        burst,
        change,
        circuits,
        coding,
        database,
        deduplication,
        degraded,
        disk,
        disk_scatter,
        disk_turns,
        elevator,
        files,
        fragmentation,
        intervals,
        linearizer,
        objects,
        one_kind,
        output_analysis,
        queueing,
        raid,
        raid_work,
        read_ahead,
        scores,
        snapshot,
        stages,
        streaming,
        tape,
        transfers,
        uncertainty,
        waiting,
    )

__all__ = [
    "arrival",
    "buffers",
    "burst",
    "change",
    "circuits",
    "coding",
    "database",
    "deduplication",
    "degraded",
    "disk",
    "disk_scatter",
    "disk_turns",
    "elevator",
    "files",
    "fragmentation",
    "intervals",
    "linearizer",
    "objects",
    "one_kind",
    "output_analysis",
    "queueing",
    "raid",
    "raid_work",
    "read_ahead",
    "scores",
    "snapshot",
    "stages",
    "streaming",
    "tape",
    "transfers",
    "uncertainty",
    "waiting",
]


def __getattr__(name: str) -> ModuleType:
    """A module of equations, imported when it is first used."""
    if name not in {module.name for module in iter_modules(__path__)}:
        raise AttributeError(f"module 'simbackup.equations' has no attribute '{name}'")
    return import_module(f"simbackup.equations.{name}")
