"""What there is, as tables for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.experiments import overview

if TYPE_CHECKING:
    import pandas as pd


def scenarios() -> pd.DataFrame:
    """Table of the scenarios that can be run by name: title and question, by name.

    >>> "teaching/mount-queue" in scenarios().index
    True
    """
    import pandas as pd  # noqa: PLC0415 (pandas takes half a second to import)

    return pd.DataFrame(overview.scenario_list(), columns=["name", "title", "question"]).set_index("name")


def datasheets(name: str | None = None) -> pd.DataFrame:
    """Table of all datasheets by name: kind, title, and how many values have which basis; or of the values of one.

    That of one has a row for each parameter: its value in its unit (SI) and as written, the ends of its range in the
    same unit, and where it comes from.

    Raises
    ------
    InputError
        There is no such datasheet, or something is wrong with one.

    >>> datasheets("disk/sata-7200-1tb-2008").loc["rotation_speed", ["unit", "text"]].to_list()
    ['1/s', '7200 rpm']
    """
    import pandas as pd  # noqa: PLC0415

    if name is None:
        rows, wrong = overview.datasheet_list()
        if wrong is not None:
            raise wrong
        return pd.DataFrame(rows, columns=["name", "kind", "title", "bases"]).set_index("name")
    columns = ["parameter", "value", "unit", "text", "basis", "low", "high", "source", "at", "why"]
    return pd.DataFrame(overview.datasheet_numbers(name), columns=columns).set_index("parameter")
