"""What a file may say about a program that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from simbackup.schema.facts import Facts, amount
from simbackup.schema.part import Path
from simbackup.schema.refers import ONTO_DATA, Refers

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks

from typing import Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.quantity import (
    PositiveShare,
    PositiveSize,
    Text,
    usual,
)


class WriteSpec(JobSpec):
    """A program that writes a data set in sequence through the page cache, as dd does."""

    method: Literal["write"]
    data: Annotated[Text, ONTO_DATA]
    """The data set that is written."""
    portion: PositiveShare = usual("100 %", "1")
    """Share of the data set that is written, from its beginning."""
    flush: bool = False
    """Whether it ends only when all its data are on disk, as dd does with conv=fsync."""
    request: PositiveSize | None = None
    """Bytes of one request, if each must be on disk before the next one is issued; by default, it writes through the
    page cache.
    """
    over: Annotated[Text, Refers("crosses", "links")] | None = None
    """The link through which the writer reaches the host of the data."""

    def own_facts(self) -> Facts:
        """How much of the data it writes."""
        if self.states("portion"):
            yield from amount(self.portion, "of it")

    def check(self, checks: Checks, path: Path) -> None:
        """Report unknown data, and an unknown link."""
        checks.data_set(path, self.data)
        if self.over is not None:
            checks.street((*path, "over"), self.over)
