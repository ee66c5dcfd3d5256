"""What a reader found in a list of systems."""

from __future__ import annotations

from dataclasses import dataclass

from simbackup.errors import Problem
from simbackup.schema.inventory import Inventory


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of systems, and warnings of what was left out of it."""

    table: Inventory
    warnings: tuple[Problem, ...] = ()
