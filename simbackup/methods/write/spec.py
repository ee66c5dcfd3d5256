"""What a file may say about programs that write a data set, or copy one onto another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from simbackup.schema.job import JobSpec
from simbackup.schema.part import OF_DATA, ONTO_DATA, Facts, Path, Refers, amount
from simbackup.schema.quantity import PositiveShare, PositiveSize, Text, usual
from simbackup.schema.registry import MethodKind

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks


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


MAKE = "simbackup.methods.write.live"
KINDS = (
    MethodKind(("write",), WriteSpec, f"{MAKE}:make"),
    MethodKind(("copy",), CopySpec, f"{MAKE}:make_copy"),
)
