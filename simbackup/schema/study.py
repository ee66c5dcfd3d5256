"""What a study may ask: which scenarios, which values in turn, which figures."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from simbackup.schema.quantity import Frozen, Quantity, Text, Unit


class StudySpec(Frozen):
    """Many runs of scenarios with values varied, and the figures of each that are shown."""

    title: Text
    """What the study is about."""
    question: Text | None = None
    """The question that it answers."""
    scenarios: Annotated[dict[Text, Text], Field(min_length=1)]
    """Scenarios by the name that they have in the table: files beside this one, or scenarios by name."""
    vary: dict[Text, Annotated[tuple[Any, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Values by address; every combination is run."""
    cases: dict[Text, Annotated[dict[Text, Any], Field(min_length=1)]] = Field(default_factory=dict)
    """Values by address that change together, by the name that they have in the table; each is run with all of `vary`.

    So a database of another size takes its volumes along:
    `10 GB: {data.db.size: 10 GB, devices.backups.size: 20 GB}`.
    """
    show: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Addresses of the figures shown, such as `jobs.dd.elapsed`.

    Of a job also its `status`, the `reason` of it, and its `cause`, the address at which it spent most of its time.
    """
    seeds: Annotated[Quantity, Unit("count", least=2.0, most=1e4)] | None = None
    """Runs of each row, with one seed after the other, the same for all rows; figures are means with intervals.

    One run unless stated. It takes a scenario that draws, such as one with `rounds: by_event`.
    """
