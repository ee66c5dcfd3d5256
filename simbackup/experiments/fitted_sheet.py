"""Where a fitted value is written: the place of the old one in a datasheet of the same root as its rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simbackup import datasheets, units
from simbackup.errors import InputError, Place, Problem

if TYPE_CHECKING:
    from simbackup.experiments.calibrate import Fitted


def write_fitted(fitted: Fitted, folder: Path) -> None:
    """Put a fitted value, with its origin, in the place of the old one.

    Parameters
    ----------
    fitted
        The constant.
    folder
        The folder of the rows that it was fitted to.

    Raises
    ------
    InputError
        The folder lies in no root, and the datasheet in that of the program.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415

    fit, unit = fitted.fit, fitted.unit
    path, text = _sheet(fit.datasheet, folder)
    root: Any = YAML(typ="safe", pure=True).compose(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    parameters = next(value for key, value in root.value if key.value == "parameters")
    old = next(value for key, value in parameters.value if key.value == fit.parameter)
    plausible = ", ".join(units.show(end, unit) for end in fitted.plausible)
    new = (
        f"{{value: {units.show(fitted.value, unit)}, basis: fitted, fitted_to: [{', '.join(fit.rows)}],\n"
        f"    uncertainty: {units.show(fitted.uncertainty, unit)}, plausible: [{plausible}],\n"
        f"    why: {json.dumps(fit.why, ensure_ascii=False)}}}"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    temporary.write_text(text[: old.start_mark.index] + new + text[old.end_mark.index :], encoding="utf-8")
    temporary.replace(path)
    datasheets.forget()


def _sheet(name: str, folder: Path) -> tuple[Path, str]:
    """The file that a datasheet with a fitted value is written to, and the text that it has so far.

    A user's fit never changes the datasheets of the program: they are copied to the root of the rows, which goes first.
    """
    *own, program = datasheets.roots()
    inside = Path("models") / f"{name}.yaml"
    found = next(root for root in (*own, program) if (root / inside).is_file())
    home = next((root for root in (*own, program) if folder.resolve().is_relative_to(root.resolve())), None)
    if home is None:
        if found == program:
            message = f"'{name}' is a datasheet of the program, and the rows are not"
            remedy = f"name a folder above '{folder.name}' in {datasheets.SEARCH_PATH}; a copy goes into its models/"
            raise InputError([Problem(Place(datasheets.shown(folder)), "", message, remedy)])
        home = found
    return home / inside, (found / inside).read_text(encoding="utf-8")
