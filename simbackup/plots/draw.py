"""Pictures as files, of a saved result or of a scenario, which is run first."""

from __future__ import annotations

from pathlib import Path

from simbackup.errors import InputError, Place, Problem, choices
from simbackup.output.target import PICTURE, check_file
from simbackup.run import Progress, result_of

DEFAULT = "png"
"""Format of a picture whose file is not named."""


def draw(
    what: str,
    kind: str,
    out: Path | None,
    *,
    overrides: dict[str, object] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Write a picture of a result and return its path; errors are reported before a run where possible.

    Parameters
    ----------
    what
        Folder of a saved result, or file or name of a scenario.
    kind
        Which picture, such as `timeline`.
    out
        The file, whose extension gives the format; by default a PNG in this folder, named by result and kind.
    overrides
        Values by address that replace those of the scenario; a saved result cannot take any.
    seed
        Seed of all random streams, if the scenario is run.
    progress
        Called from time to time with the progress of the run.

    Raises
    ------
    InputError, ResultError
        There is no such result, scenario, or picture; the file cannot be written.
    """
    from simbackup.plots import style  # noqa: PLC0415 (matplotlib is an extra, and slow to import)
    from simbackup.plots.of_result import KINDS  # noqa: PLC0415

    if kind not in KINDS:
        problem = Problem(Place("simbackup plot"), "", f"there is no picture '{kind}'", choices(kind, KINDS))
        raise InputError([problem])
    if out is not None:
        check_file(out, PICTURE)
    result = result_of(what, overrides, seed=seed, progress=progress)
    path = out or Path(f"{Path(result.record.scenario).name.removesuffix('.yaml')}-{kind}.{DEFAULT}")
    return style.write(result.plot.kinds()[kind](), path)
