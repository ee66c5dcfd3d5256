"""What a file may say about an object store."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from simbackup.equations.transfers import parts
from simbackup.schema.capability import ObjectTarget, Piece
from simbackup.schema.part import USE, Facts, Figures, Modelled, Path, amount
from simbackup.schema.quantity import Count, Duration, Frequency, Frozen, Pieces, PositiveSize, Rate, si_or, usual
from simbackup.schema.registry import DeviceKind, Look

if TYPE_CHECKING:
    from simbackup.scenario.checks import Checks
    from simbackup.schema.job import Restoring, Storing

LIMITS = ("write_requests", "read_requests", "write_rate", "read_rate")
"""What all jobs together get in each direction."""


class ObjectStoreSheet(Frozen):
    """A bucket or container of an object store, or the part of it that is served together."""

    write_latency: Duration
    """Time of a write request, not counting the transfer of its bytes and the network."""
    read_latency: Duration
    """Time from a read request until its first byte, not counting the network."""
    connection_rate: Rate
    """Rate of one connection, which has one request in flight."""
    part: PositiveSize
    """Bytes that one request writes or reads; a larger object takes several requests."""
    write_requests: Frequency
    """Maximum write requests per second."""
    read_requests: Frequency
    """Maximum read requests per second."""
    write_rate: Rate | None = None
    """Maximum rate of writing; no limit by default."""
    read_rate: Rate | None = None
    """Maximum rate of reading; no limit by default."""
    most_parts: Pieces | None = None
    """Maximum number of parts of an object; the parts of a larger one are larger. No limit by default."""
    object_requests: Count = usual("0")
    """Further requests to write an object of several parts, to begin and complete it."""
    retrieval_time: Duration = usual("0 s", "s")
    """Time from a request to an archive until its objects can be read."""
    retrieval_requests: Frequency | None = None
    """Maximum objects per second that can be requested from it; no limit by default."""


class ObjectStoreSpec(ObjectTarget, Modelled, ObjectStoreSheet):
    """An object store in a scenario; either a link joins it, or a host owns it."""

    kind: Literal["object_store"]

    each_time: ClassVar[frozenset[str]] = frozenset({"write_latency", "read_latency", "retrieval_time"})
    pieces: ClassVar[Mapping[str, Piece]] = {limit: Piece(times=limit) for limit in LIMITS}

    def part_requests(self, size: float) -> float:
        """One for each part, and those that begin and complete them, of which one stands for the object."""
        number = parts(size, self.part.si, si_or(self.most_parts, math.inf))
        return 0.0 if number <= 1.0 else number + max(self.object_requests.si - 1.0, 0.0)

    def facts(self) -> Facts:
        """Rate of a connection, its latencies, and the limits of all."""
        yield from amount(self.connection_rate, "each connection")
        yield from amount(self.part, "each request")
        yield from amount(self.write_requests, "written")
        yield from amount(self.read_requests, "read")
        if self.retrieval_time.si:
            yield from amount(self.retrieval_time, "until objects can be read")

    def figures(self) -> Figures:
        """How much it was used, and each of its limits."""
        return {"": USE, **{limit: USE for limit in LIMITS if getattr(self, limit) is not None}}

    def check_backup(self, checks: Checks, path: Path, job: Storing, saved: str) -> None:
        """Report keys of tape."""
        for key in job.of_drives:
            if job.states(key):
                checks.report((*path, key), "has no effect on a backup to an object store", "write 'connections'")

    def check_restore(self, checks: Checks, path: Path, job: Restoring) -> None:
        """Report keys of tape."""
        if job.states("streams"):
            checks.report((*path, "streams"), "has no effect on a restore from objects", "write 'connections'")


KINDS = (DeviceKind("object_store", ObjectStoreSpec, "simbackup.devices.object_store.live:make"),)
SHEETS = {"object_store": ObjectStoreSheet}
LOOKS = {"object_store": Look("M2.5 4.5h11l-1.3 9.5H3.8zM2.5 4.5a5.5 2 0 0 1 11 0", "#e7f5ee", "#3f8f6b")}
