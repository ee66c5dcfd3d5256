"""Pictures as files, of a saved result or of a scenario that is run for them."""

from __future__ import annotations

from pathlib import Path

from simbackup.datasheets import is_folder
from simbackup.errors import InputError, Place, Problem, ResultError, choices
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
    """The file into which a picture of a result was written; everything that can be told is told before a run.

    Parameters
    ----------
    what
        Folder of a saved result, or file or name of a scenario.
    kind
        Which picture, such as `timeline`.
    out
        The file, whose name says the format; a PNG in this folder, named by result and kind, unless told.

    Raises
    ------
    InputError, ResultError
        There is no such result, scenario, or picture; the file cannot be written.
    """
    from simbackup.results.plots import style  # noqa: PLC0415 (matplotlib is an extra, and slow to import)
    from simbackup.results.plots.of_result import KINDS  # noqa: PLC0415

    if kind not in KINDS:
        problem = Problem(Place("simbackup plot"), "", f"there is no picture '{kind}'", choices(kind, KINDS))
        raise InputError([problem])
    if out is not None:
        style.check_format(out)
        if not is_folder(out.parent):
            raise ResultError(f"{out} cannot be written (there is no folder {out.parent})")
    result = result_of(what, overrides, seed=seed, progress=progress)
    path = out or Path(f"{Path(result.record.scenario).name.removesuffix('.yaml')}-{kind}.{DEFAULT}")
    return style.write(result.plot.kinds()[kind](), path)
