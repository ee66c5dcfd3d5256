"""What each copy of a site's data survives, what losses cost, and how often."""

from __future__ import annotations

from simbackup.protection.spec import LossSheet

SHEETS = {"loss": LossSheet}
