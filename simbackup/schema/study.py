"""What a study may ask: which scenarios, which values in turn, which figures."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from simbackup.schema.quantity import Frozen, Quantity, Text, Unit


class StudySpec(Frozen):
    """Many runs with values varied, in one table."""

    title: Text
    """What the study is about."""
    question: Text | None = None
    """The question that it answers."""
    scenarios: Annotated[dict[Text, Text], Field(min_length=1)]
    """Scenario files, by their name in the table; paths are relative to this file; names of scenarios work, too."""
    vary: dict[Text, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Lists of values by address; every combination is run."""
    cases: dict[Text, Annotated[dict[Text, Any], Field(min_length=1)]] = Field(default_factory=dict)
    """Values by address that change together, by the name that they have in the table; each is run with all of `vary`.

    So a database of another size takes its volumes along:
    `10 GB: {data.db.size: 10 GB, devices.backups.size: 20 GB}`.
    """
    show: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Addresses of the figures shown, such as `jobs.dd.elapsed`.

    A job also has a `status`, the `reason` of it, and a `cause`, the address at which it spent most of its time.
    """
    seeds: Annotated[Quantity, Unit("count", least=2.0, most=1e4)] | None = None
    """Runs of each row, each with another seed; figures are then means with intervals. One run unless stated.

    Needs a scenario that draws random numbers, such as one with `rounds: by_event`.
    """
