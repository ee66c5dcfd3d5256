"""Copy-on-write in the volume manager: how many chunks share a commit, what a group of them takes, what an area holds.

The mechanism is that of the Linux device mapper (dm-snap.c, dm-exception-store.c and kcopyd.c of Linux 2.6.9): the
first write to a chunk waits until the chunk has been read from the origin, written to the copy area, and its record
committed by a synchronous write of a metadata chunk. All chunks that wait share one commit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CopyOnWriteParameters:
    """Parameters of a copy-on-write snapshot.

    Parameters
    ----------
    chunk
        Bytes that are copied together.
    record
        Bytes of metadata for each copied chunk.
    in_flight
        Greatest number of bytes being copied at once.
    commit_backlog
        Mean bytes of waiting writes whose chunks share one commit.

    """

    chunk: float
    record: float
    in_flight: float
    commit_backlog: float


def group_size(cow: CopyOnWriteParameters, waiting: float = math.inf) -> float:
    """Chunks that share one commit: those of the waiting writes, within the copies in flight, one at least.

    `waiting` are the bytes that the writer has outstanding at most, as one request of a synchronous writer.

    Holds for writes in sequence, of which each chunk takes `chunk` bytes; writes at random touch a chunk each.

    >>> group_size(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536))
    8.0
    >>> group_size(CopyOnWriteParameters(chunk=2**19, record=16, in_flight=2**20, commit_backlog=65536))
    1.0
    """
    return max(min(cow.commit_backlog, cow.in_flight, waiting) / cow.chunk, 1.0)


def records_per_area(cow: CopyOnWriteParameters) -> int:
    """Copied chunks whose records fill one metadata chunk.

    >>> records_per_area(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536))
    512
    """
    return max(int(cow.chunk // cow.record), 1) if cow.record else 2**62


def commits_per_group(cow: CopyOnWriteParameters, waiting: float = math.inf) -> float:
    """Synchronous metadata writes for each group: one, and a share of the one that clears the next metadata chunk.

    >>> commits_per_group(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536))
    1.015625
    """
    return 1.0 + group_size(cow, waiting) / records_per_area(cow)


def area_chunks(cow: CopyOnWriteParameters, area: float) -> int:
    """Chunks that a copy area can take: all but one header and one metadata chunk before every run of records.

    Parameters
    ----------
    cow
        The snapshot.
    area
        Bytes of the copy area.

    >>> area_chunks(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536), 2**20)
    126
    """
    inside = int(area // cow.chunk) - 1
    if inside <= 0:
        return 0
    return inside - math.ceil(inside / (records_per_area(cow) + 1))


def commit_distance(cow: CopyOnWriteParameters) -> float:
    """Mean bytes between the chunks being copied and the metadata chunk that records them: half an area.

    >>> commit_distance(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536))
    2097152.0
    """
    return min(records_per_area(cow) * cow.chunk / 2.0, 2.0**40)


def commits_per_copy(cow: CopyOnWriteParameters, update: float) -> float:
    """Metadata writes for each chunk that is copied because of an update at random, which touches a chunk of its own.

    The chunks of all waiting updates share one commit, within the copies in flight; the writes that clear the next
    metadata chunk come on top.

    Parameters
    ----------
    cow
        The snapshot.
    update
        Bytes of one update.

    >>> cow = CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536)
    >>> commits_per_copy(cow, update=8192)
    0.126953125
    """
    together = max(min(cow.commit_backlog / update, cow.in_flight / cow.chunk), 1.0)
    return 1.0 / together + 1.0 / records_per_area(cow)
