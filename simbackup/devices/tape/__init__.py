"""Tape libraries with drives, robots and cartridges."""

from __future__ import annotations

from simbackup.devices.tape.spec import TapeDriveSheet, TapeLibrarySheet, TapeLibrarySpec
from simbackup.schema.registry import DeviceKind, Look

KINDS = (DeviceKind("tape_library", TapeLibrarySpec, "simbackup.devices.tape.make:make"),)
SHEETS = {"tape_drive": TapeDriveSheet, "tape_library": TapeLibrarySheet}
_REELS = "M1.5 4h13v8h-13zM5 6.2a1.8 1.8 0 1 0 .01 0M11 6.2a1.8 1.8 0 1 0 .01 0"
LOOKS = {
    "library": Look("M2 2h12v12H2zM2 6h12M2 10h12M6 2v12M10 2v12", "#fdf3e1", "#b7791f"),
    "drive": Look(_REELS, "#fffaf0", "#cf9a3e"),
}
