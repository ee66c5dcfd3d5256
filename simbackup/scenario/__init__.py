"""Scenarios: read from files, laid over others, completed by datasheets, checked, frozen."""

from __future__ import annotations

from simbackup.scenario.loading import find, load, names
from simbackup.scenario.scenario import Scenario, Value, nothing_to_do

__all__ = ["Scenario", "Value", "find", "load", "names", "nothing_to_do"]
