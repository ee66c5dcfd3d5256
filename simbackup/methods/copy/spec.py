"""What a file may say about a copy of one data set onto another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simbackup.schema.part import Path
from simbackup.schema.refers import OF_DATA, ONTO_DATA

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    Text,
)


class CopySpec(JobSpec):
    """Copy of a data set to another place, as cp does."""

    method: Literal["copy"]
    data: Annotated[Text, OF_DATA]
    """The data set that is read: a name of `data:`."""
    to: Annotated[Text, ONTO_DATA]
    """The data set that is overwritten: a name of `data:`."""

    def check(self, checks: Checks, path: Path) -> None:
        """Report unknown data sets, those of different hosts, and copies that do not fit."""
        spec = checks.spec
        checks.data_set(path, self.data)
        checks.data_set(path, self.to, "to")
        if self.data in spec.data:
            with checks.about(*path):
                checks.room(path, spec.data[self.data].size, self.to)
            checks.at_one_host(path, self.data, spec.data[self.to].on if self.to in spec.data else None)
