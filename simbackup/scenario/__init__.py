"""Scenarios: read from files, laid over others, completed by datasheets, checked, frozen."""

from __future__ import annotations

from simbackup.scenario.scenario import Scenario, Value, find, load, names

__all__ = ["Scenario", "Value", "find", "load", "names"]
