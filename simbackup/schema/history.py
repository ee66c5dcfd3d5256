"""What a scenario may say about a history: which rows are runs of its jobs, and what is fitted to them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from simbackup.schema.calibration import Constant
from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text


class HistoryJob(Frozen):
    """The rows of a history that are runs of one job."""

    where: dict[Text, Names] = Field(default_factory=dict)
    """The contents of columns of these rows: `{operation: backup, level: full}`; give several words if any of them will
    do. All rows by default.
    """
    set: dict[Text, Text] = Field(default_factory=dict)
    """Values of the scenario that a row states, by address: a column, such as `size_bytes`, or one column divided by
    another, such as `new_bytes / size_bytes`.
    """


class HistorySpec(Frozen):
    """How a history of jobs (`simbackup calibrate --history jobs.csv`) relates to the scenario."""

    jobs: Annotated[dict[Text, HistoryJob], Field(min_length=1)]
    """Which rows are runs of which job of the scenario, by its name."""
    fit: Annotated[dict[Text, Constant], Field(min_length=1)]
    """The constants that are fitted to these runs, by any name."""
