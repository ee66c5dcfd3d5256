"""What is wrong with a file of any kind."""

from __future__ import annotations

from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Problem
from simbackup.experiments.fits import CALIBRATION, read_fits
from simbackup.experiments.reproduce import MEASURED, scenarios_of
from simbackup.experiments.study import read_study
from simbackup.planning.site import load_site
from simbackup.scenario import load, nothing_to_do
from simbackup.scenario.inheritance import is_extended
from simbackup.schema.measured import read_measured
from simbackup.schema.yaml_file import read


def check_file(path: Path) -> list[Problem]:
    """Everything that is wrong with a scenario, a datasheet, or a file of measurements or fits.

    It includes warnings; closing notes come last.
    """
    try:
        shown = shelf.shown(path)
        if path.name == MEASURED:
            scenarios_of(read_measured(path, shown))
        elif path.name == CALIBRATION:
            read_fits(path)
        elif path.name.endswith(".study.yaml"):
            read_study(path)
        elif {"systems", "policies"} & read(path, shown, []).mapping.keys():
            load_site(path)
        elif path.name == "sources.yaml":
            read(path, shown)
        elif _among_models(path) or {"parameters", "kind"} & read(path, shown, []).mapping.keys():
            shelf.read_datasheet(path, path.stem)
        else:
            scenario = load(path)
            if not scenario.spec.jobs and not is_extended(path):
                return [nothing_to_do(scenario)]
            return list(scenario.warnings)
    except InputError as error:
        return [*error.problems, *error.notes]
    return []


def _among_models(path: Path) -> bool:
    """Whether a file is in a folder that is searched for datasheets."""
    folder = path.resolve().parent.parent
    return any(folder == (root / "models").resolve() for root in shelf.roots())
