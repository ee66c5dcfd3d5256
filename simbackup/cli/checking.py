"""What is wrong with a file of any kind. What only one kind needs is imported when a file of that kind is checked."""

from __future__ import annotations

from pathlib import Path

from simbackup import shelf
from simbackup.errors import InputError, Problem
from simbackup.files import whole
from simbackup.schema.yaml_file import kind_of, read

CALIBRATION, STUDY, SOURCES = "calibration.yaml", ".study.yaml", ("sources.yaml", shelf.TYPICAL)
"""How the names of files end that are neither scenarios, sites nor datasheets."""


def file_of(name: str) -> Path:
    """The file of a path, or of the name of a scenario, a site, a study or a datasheet.

    It is the path itself if there is neither, so that reading it says what is wrong.

    >>> file_of("ssd/sata-ssd-2015").name
    'sata-ssd-2015.yaml'
    """
    path = Path(name)
    if path.suffix or shelf.is_file(path) or shelf.is_folder(path):
        return path
    kinds = (f"scenarios/{name}.yaml", f"scenarios/{name}.site.yaml", f"scenarios/{name}{STUDY}", f"models/{name}.yaml")
    return next((root / each for each in kinds for root in shelf.roots() if shelf.is_file(root / each)), path)


def check_file(path: Path) -> list[Problem]:
    """Everything that is wrong with a scenario, a datasheet, or a file of measurements or fits.

    It includes warnings; closing notes come last.
    """
    try:
        shown = shelf.shown(path)
        if path.name in {shelf.MEASURED, CALIBRATION} or path.name.endswith(STUDY):
            _of_many_runs(path, shown)
        elif kind_of(read(path, shown, []).mapping) == "site":
            from simbackup.planning.cautions import cautions  # noqa: PLC0415
            from simbackup.planning.site import load_site  # noqa: PLC0415
            from simbackup.planning.variants import impossible  # noqa: PLC0415

            site = load_site(path)
            return [*impossible(site.file), *cautions(site)]
        elif "losses" in read(path, shown, []).mapping:
            from simbackup.protection.losses import read_losses  # noqa: PLC0415

            read_losses(path)
        elif path.name in SOURCES:
            read(path, shown)
        elif _among_models(path) or {"parameters", "kind"} & read(path, shown, []).mapping.keys():
            shelf.read_datasheet(path, path.stem)
        else:
            return _of_scenario(path)
    except InputError as error:
        return [*error.problems, *error.notes]
    return []


def _of_scenario(path: Path) -> list[Problem]:
    """Warnings about a scenario, which may have nothing to do only if another extends it."""
    from simbackup.scenario import load, nothing_to_do  # noqa: PLC0415
    from simbackup.scenario.inheritance import is_extended  # noqa: PLC0415

    scenario = load(path)
    if scenario.spec.jobs:
        from simbackup.run import warnings_of  # noqa: PLC0415 (it simulates what has no mistakes)

        return warnings_of(scenario)
    return [] if is_extended(path) else [nothing_to_do(scenario)]


def _of_many_runs(path: Path, shown: str) -> None:
    """Read a file of measurements, of fits, or a study."""
    from simbackup.experiments.fits import read_fits  # noqa: PLC0415
    from simbackup.experiments.reproduce import scenarios_of  # noqa: PLC0415
    from simbackup.experiments.study_file import check_study  # noqa: PLC0415
    from simbackup.schema.measured import read_measured  # noqa: PLC0415

    if path.name == shelf.MEASURED:
        scenarios_of(read_measured(path, shown))
    elif path.name == CALIBRATION:
        read_fits(path)
    else:
        check_study(path)


def _among_models(path: Path) -> bool:
    """Whether a file is in a folder that is searched for datasheets."""
    folder = whole(path).parent.parent
    return any(folder == whole(root / "models") for root in shelf.roots())
