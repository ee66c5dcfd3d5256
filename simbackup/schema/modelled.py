"""What everything that may stand on a datasheet has in common."""

from __future__ import annotations

from typing import ClassVar

from simbackup.schema.quantity import Frozen


class Modelled(Frozen):
    """Anything that stands in a scenario and may take its parameters from a datasheet."""

    sheet: ClassVar[str | None] = None
    """The kind of datasheet that it takes parameters from, where its class does not tell it."""
    model: str | None = None
    """The datasheet it takes its parameters from, `kind/name`; own values beside it win."""
