"""Scenarios: read from files, merged with those they extend, completed by datasheets, checked, frozen."""

from __future__ import annotations

from simbackup.scenario.files import Source, find, names
from simbackup.scenario.loading import load
from simbackup.scenario.scenario import Scenario, Value, misread, nothing_to_do

__all__ = ["Scenario", "Source", "Value", "find", "load", "misread", "names", "nothing_to_do"]
