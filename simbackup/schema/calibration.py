"""What a file of fits may say: the constants of a document that are fitted to its measured rows."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from simbackup.schema.job import Names
from simbackup.schema.quantity import Frozen, Text


class Constant(Frozen):
    """One constant that is fitted."""

    datasheet: Text
    """The datasheet that has the constant."""
    parameter: Text
    """Its name in the datasheet, such as `outer_rate`."""
    plausible: tuple[Any, Any]
    """The physically plausible range."""
    why: Text
    """What the constant means, and why it must be fitted."""


class Fit(Constant):
    """One constant that is fitted to measured rows."""

    rows: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The measured rows that it is fitted to."""


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
    fit: Annotated[dict[Text, Constant], Field(min_length=1)] = Field(default_factory=dict[str, Constant])
    """The constants that are fitted to these runs, by any name; none where they were fitted by another scenario."""
