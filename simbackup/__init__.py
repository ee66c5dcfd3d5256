"""Simulate backup and restore systems: how long jobs take, what limits them, and how far the answer is validated.

>>> import simbackup as sb
>>> result = sb.simulate("published/003-lvm-snapshots/second-disk")
>>> result.get("jobs.dd.elapsed") > 200
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simbackup import equations
    from simbackup.drawing.picture import Picture, picture
    from simbackup.errors import InputError, ResultError, SimbackupError
    from simbackup.experiments.calibrate import Calibration, Fitted, calibrate
    from simbackup.experiments.history_fit import HistoryFit, fit_history
    from simbackup.experiments.identifiability import CrossValidation, Separability, cross_validate, separability
    from simbackup.experiments.influences import Sensitivity
    from simbackup.experiments.intervals import intervals_of
    from simbackup.experiments.overview import datasheets, scenarios
    from simbackup.experiments.reproduce import Reproduction, reproduce
    from simbackup.experiments.sensitivity import sensitivity
    from simbackup.experiments.studied import Study
    from simbackup.experiments.study import study
    from simbackup.experiments.what_if import Explanation, explain
    from simbackup.foreign.registry import read_history
    from simbackup.planning.inventory import site_text
    from simbackup.planning.plan import Plan, plan
    from simbackup.planning.recovery import Recovery
    from simbackup.planning.restore import restore
    from simbackup.planning.site import load_site
    from simbackup.plots import style
    from simbackup.protection.protect import protect
    from simbackup.reporting.report import report
    from simbackup.results.result import Result
    from simbackup.run import IdleKeyWarning, simulate
    from simbackup.scenario import Scenario, load

    __version__: str

__all__ = [
    "Calibration", "CrossValidation", "Explanation", "Fitted", "HistoryFit", "IdleKeyWarning", "InputError",
    "Picture", "Plan", "Recovery", "Reproduction", "Result", "ResultError", "Scenario", "Sensitivity", "Separability",
    "SimbackupError", "Study", "__version__", "calibrate", "cross_validate", "datasheets", "equations", "explain",
    "fit_history", "intervals_of", "load", "load_site", "picture", "plan", "protect", "read_history", "report",
    "reproduce", "restore", "scenarios", "sensitivity", "separability", "simulate", "site_text", "study", "style",
]  # fmt: skip

_NAMES = {
    "drawing.picture": "Picture picture",
    "errors": "InputError ResultError SimbackupError",
    "experiments.calibrate": "Calibration Fitted calibrate",
    "experiments.history_fit": "HistoryFit fit_history",
    "experiments.identifiability": "CrossValidation Separability cross_validate separability",
    "experiments.influences": "Sensitivity",
    "experiments.intervals": "intervals_of",
    "experiments.overview": "datasheets scenarios",
    "experiments.reproduce": "Reproduction reproduce",
    "experiments.sensitivity": "sensitivity",
    "experiments.studied": "Study",
    "experiments.study": "study",
    "experiments.what_if": "Explanation explain",
    "foreign.registry": "read_history",
    "planning.inventory": "site_text",
    "planning.plan": "Plan plan",
    "planning.recovery": "Recovery",
    "planning.restore": "restore",
    "planning.site": "load_site",
    "protection.protect": "protect",
    "reporting.report": "report",
    "results.result": "Result",
    "run": "IdleKeyWarning simulate",
    "scenario": "Scenario load",
}
"""The names that each module offers here."""
_HOMES = {name: f"simbackup.{module}" for module, some in _NAMES.items() for name in some.split()}
_MODULES = {"equations": "simbackup.equations", "style": "simbackup.plots.style"}

if not TYPE_CHECKING:  # checkers see the names above, and tell of any other

    def __getattr__(name: str) -> object:
        """A public name, imported when it is first used, so that the command line starts quickly."""
        from importlib import import_module  # noqa: PLC0415

        if name == "__version__":
            return import_module("simbackup.results.record").program_version()
        if name in _MODULES:
            return import_module(_MODULES[name])
        if name not in _HOMES:
            raise AttributeError(f"module 'simbackup' has no attribute '{name}'")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
