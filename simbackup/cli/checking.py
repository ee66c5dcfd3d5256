"""What is wrong with a file of any kind."""

from __future__ import annotations

from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Problem
from simbackup.experiments.calibrate import CALIBRATION, read_fits
from simbackup.experiments.study import read_study
from simbackup.scenario import load
from simbackup.schema.measured import read_measured
from simbackup.schema.tree import read


def check_file(path: Path) -> list[Problem]:
    """Everything that is wrong with a scenario, a datasheet, or a file of measurements or fits; warnings, too."""
    try:
        shown = shelf.shown(path)
        if path.name == "measured.yaml":
            read_measured(path, shown)
        elif path.name == CALIBRATION:
            read_fits(path)
        elif path.name.endswith(".study.yaml"):
            read_study(path)
        elif path.name == "sources.yaml":
            read(path, shown)
        elif _among_models(path) or {"parameters", "kind"} & read(path, shown).mapping.keys():
            shelf.read_datasheet(path, path.stem)
        else:
            return list(load(path).warnings)
    except InputError as error:
        return list(error.problems)
    return []


def _among_models(path: Path) -> bool:
    """Whether a file lies where datasheets are looked for."""
    folder = path.resolve().parent.parent
    return any(folder == (root / "models").resolve() for root in shelf.roots())
