"""Live data sets from its spec."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.data.change import change_of
from simbackup.data.live import Database, DataSet, Files
from simbackup.data.spec import DataSpec
from simbackup.devices.changes import Spread
from simbackup.devices.volume.live import Volume
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.system import System


def make(system: System, name: str, data: DataSpec, begin: float) -> DataSet:
    """The data set, which begins at a byte of its volume, as earlier updates have left it.

    Files without bytes are simulated as one byte, so that all save sets can be found and read, as where nothing has
    changed.
    """
    files, size = data.number, max(data.size.si, 1.0)
    made = parameters_of(
        DataSet, data, name=name, volume=system.of(Volume)[data.on], begin=begin, files=int(files),
        filesystem=parameters_of(Files, data.filesystem) if data.filesystem else None,
        database=parameters_of(Database, data.database) if data.database else None,
        size=size, file_size=lambda: _file_size(data), largest=lambda: data.largest_share,
        content=lambda: data.content.si if data.content else size - data.indexes.si,
        scattered=lambda: si_or(data.layout, 1.0),
        change=lambda: change_of(data.change), file_change=lambda: change_of(data.change, size / files),
        run=lambda: si_or(data.change.run if data.change else None, math.inf),
    )  # fmt: skip
    aged = data.aged
    spread = None if aged is None else Spread(aged.update_size.si, size, 1.0, 1.0)
    made.volume.lay(f"data.{name}", (begin, size), spread, 0.0 if aged is None else aged.updates.si)
    return made


def _file_size(data: DataSpec) -> float | None:
    """Mean bytes of a file on disk, None if that of all bytes divided by all files."""
    if data.size.si <= 0.0:
        return 0.0
    return None if data.file_size is None else data.file_size.si
