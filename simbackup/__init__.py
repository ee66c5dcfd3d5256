"""Simulate backup and restore systems: how long jobs take, what limits them, and how far the answer is validated.

>>> import simbackup as sb
>>> result = sb.simulate("published/003-lvm-snapshots/second-disk")
>>> result.get("jobs.dd.elapsed") > 200
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simbackup.drawing.picture import picture
    from simbackup.errors import InputError, SimbackupError
    from simbackup.experiments.explanation import explain
    from simbackup.experiments.reproduce import reproduce
    from simbackup.experiments.study import study
    from simbackup.reporting.report import report
    from simbackup.results.result import Result
    from simbackup.run import simulate
    from simbackup.scenario import Scenario, load

__all__ = [
    "InputError", "Result", "Scenario", "SimbackupError",
    "explain", "load", "picture", "report", "reproduce", "simulate", "study",
]  # fmt: skip

_HOMES = {
    "InputError": "simbackup.errors",
    "Result": "simbackup.results.result",
    "Scenario": "simbackup.scenario",
    "SimbackupError": "simbackup.errors",
    "explain": "simbackup.experiments.explanation",
    "load": "simbackup.scenario",
    "picture": "simbackup.drawing.picture",
    "report": "simbackup.reporting.report",
    "reproduce": "simbackup.experiments.reproduce",
    "simulate": "simbackup.run",
    "study": "simbackup.experiments.study",
}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used, so that the command line starts quickly."""
    if name not in _HOMES:
        raise AttributeError(f"module 'simbackup' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
