"""What holds of a landing zone, whatever device has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from simbackup.schema.quantity import Quantity

if TYPE_CHECKING:
    from simbackup.schema.part import Rules


class Landing(Protocol):
    """A sheet with the keys of a landing zone."""

    landing_zone: Quantity | None
    drain_rate: Quantity | None


def landing_rules(sheet: Landing, written: str) -> Rules:
    """The rules of a landing zone of a device that is written at the rate of a key."""
    most: Quantity = getattr(sheet, written)
    if (sheet.landing_zone is None) != (sheet.drain_rate is None):
        yield ("landing_zone", "drain_rate"), "landing_zone and drain_rate go together", "give both, or neither"
    elif sheet.drain_rate is not None and sheet.drain_rate.si > most.si:
        message = f"drain_rate is above {written}"
        yield ("drain_rate", written), message, "without a landing zone that fills up, leave both out"
