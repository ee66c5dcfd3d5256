"""Data sets, their file systems and database engines."""

from __future__ import annotations

from simbackup.data.change import ChangeSheet
from simbackup.data.engine import DatabaseSheet
from simbackup.data.spec import DataSpec, FilesystemSheet, PopulationSheet
from simbackup.schema.registry import Look

SECTIONS = {"data": DataSpec}
SHEETS = {
    "filesystem": FilesystemSheet,
    "database": DatabaseSheet,
    "population": PopulationSheet,
    "change": ChangeSheet,
}
LOOKS = {"data": Look("M3 1.5h7l3 3v10H3zM10 1.5v3h3M5.5 8h5M5.5 11h5", "#ecf8ec", "#4b9150", "slanted")}
