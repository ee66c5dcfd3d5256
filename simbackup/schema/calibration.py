"""What a file of fits may say: the constants of a document that are fitted to its measured rows."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

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
