"""Scenarios: read from files, laid over others, completed by datasheets, checked, frozen."""

from __future__ import annotations

from simbackup.scenario.files import Source, find, names
from simbackup.scenario.scenario import Scenario, Value, load

__all__ = ["Scenario", "Source", "Value", "find", "load", "names"]
