"""Copy-on-write in the volume manager: chunks per commit, how they are copied, capacity of the copy area.

The mechanism is that of the Linux device mapper (dm-snap.c, dm-exception-store.c and kcopyd.c of Linux 2.6.9 and
2.6.18, dm-snap-persistent.c and dm-kcopyd.c after that). The first write to a chunk waits until the chunk has been read
from the origin and written to the copy area, and until its record has been committed by a synchronous write of a
metadata chunk.
One thread copies. It commits when no copy is pending, or when a metadata chunk is full, so that all chunks that wait
together share one commit.
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
        Greatest number of bytes being copied at once; if they are fewer than a chunk, it is copied in rounds.
    commit_backlog
        Mean bytes waiting to be written for a program that does not wait for each write.
    unplug_delay
        Seconds that a request which nobody flushes stays in an idle queue of the block layer.
    unplug_requests
        Requests in that queue from which on they do not stay.
    map_time
        Seconds that a request to the origin spends on each chunk, to be divided and looked up.
    gathers
        Whether copies that wait together lie side by side in the copy area and are written as one.

    """

    chunk: float
    record: float
    in_flight: float
    commit_backlog: float
    unplug_delay: float = 0.0
    unplug_requests: float = 1.0
    map_time: float = 0.0
    gathers: bool = False


def begun(backlog: float, piece: float) -> float:
    """Mean pieces of a given size that a run of waiting bytes needs, over the runs that need any.

    k = 1 / (1 - exp(-c / W)): runs follow each other, their lengths are exponential with mean W, and each needs the
    pieces of c bytes that begin within it. k is 1 for pieces much larger than a run, and W / c + 1/2 for much smaller
    ones, without a step in between.

    Parameters
    ----------
    backlog
        Mean bytes of a run, W.
    piece
        Bytes of a piece, c.

    >>> round(begun(65536.0, 8192.0), 3), round(begun(65536.0, 524288.0), 3)
    (8.51, 1.0)
    """
    return -1.0 / math.expm1(-piece / backlog)


def group_size(cow: CopyOnWriteParameters, waiting: float | None = None) -> float:
    """Chunks that share one commit when writes are sequential.

    If `waiting` is given, the bytes of one request of a writer that waits for each, these are the chunks of that
    request, at least one. Otherwise, they are those of a page cache's backlog (`begun`).

    >>> cow = CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536)
    >>> round(group_size(cow), 3), group_size(cow, waiting=16384.0), group_size(cow, waiting=512.0)
    (8.51, 2.0, 1.0)
    """
    return begun(cow.commit_backlog, cow.chunk) if waiting is None else max(waiting / cow.chunk, 1.0)


def copy_rounds(cow: CopyOnWriteParameters, size: float) -> float:
    """Times that the copy buffer is filled and emptied for a run of chunks: reads and writes alternate that often.

    Parameters
    ----------
    cow
        The snapshot.
    size
        Bytes of the run.

    >>> cow = CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536)
    >>> copy_rounds(cow, 65536.0), copy_rounds(cow, 3 * 2**20)
    (1.0, 3.0)
    """
    return max(size / cow.in_flight, 1.0)


def records_per_area(cow: CopyOnWriteParameters) -> int:
    """Copied chunks whose records fill one metadata chunk.

    >>> records_per_area(CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536))
    512
    """
    return max(int(cow.chunk // cow.record), 1) if cow.record else 2**62


def commits(cow: CopyOnWriteParameters, chunks: float, together: float = 1.0) -> float:
    """Synchronous metadata writes per run of chunks, for a mean number of runs that wait together.

    1 / m of a commit, or one commit per full metadata chunk if that is more. Each full metadata chunk adds one write,
    which clears the next one. None if copies are not recorded.

    Parameters
    ----------
    cow
        The snapshot.
    chunks
        Chunks of the run.
    together
        Runs that share a commit, m.

    >>> cow = CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536)
    >>> commits(cow, 8.0), commits(cow, 1.0, together=8.0), commits(cow, 1024.0)
    (1.015625, 0.126953125, 4.0)
    """
    filled = chunks / records_per_area(cow)
    return max(1.0 / together, filled) + filled if cow.record else 0.0


def destaged_commits(cow: CopyOnWriteParameters, chunks: float, together: float = 1.0, cache: float = 0.0) -> float:
    """Metadata writes per run of chunks that reach the disks behind a write cache; all of them if there is no cache.

    min(n, 2 f + R / W): of n commits, those that find their metadata chunk in the cache replace it there ("write on
    top", RAID Array 3000 Pedestal Storage Subsystem, Hardware User's Manual, page 2-11). It goes to the disks when it
    is full, as does the write that clears the next, f of each per run, and whenever the R bytes of copies written
    meanwhile have filled the cache of W bytes once. Holds for a cache that writes in order of arrival.

    Parameters
    ----------
    cow
        The snapshot.
    chunks
        Chunks of the run.
    together
        Runs that share a commit, m.
    cache
        Bytes of the write cache, W.

    >>> cow = CopyOnWriteParameters(chunk=8192, record=16, in_flight=2**20, commit_backlog=65536)
    >>> destaged_commits(cow, 1.0), round(destaged_commits(cow, 1.0, cache=2**26), 6)
    (1.001953125, 0.004028)
    """
    each = commits(cow, chunks, together)
    if cache <= 0.0:
        return each
    return min(each, 2.0 * chunks / records_per_area(cow) + chunks * cow.chunk / cache)


def writers_together(clients: float, copying: float, outside: float) -> float:
    """Mean number of writers that share one commit when each waits for its own write.

    The m that solves m = 1 + (N - 1) (1 - exp(-m s / o)). The copies of the waiting writers are made one after the
    other, s seconds each. Each of the others reaches an uncopied chunk after o seconds on average (exponential), and
    joins the wait if that is before the last copy is done. m is 1 for a single writer, and N if nobody has anything
    else to do. For up to sixteen writers, the writes a second that follow from m are within 2 % of an event-by-event
    count of commits. m itself is too low where other work of the writers fills the device and commits matter little.

    Parameters
    ----------
    clients
        Writers, N.
    copying
        Seconds to read and to write one copy, s.
    outside
        Seconds from a commit until a writer needs the next copy, o.

    >>> writers_together(1.0, 0.01, 0.02), writers_together(8.0, 0.01, 0.0)
    (1.0, 8.0)
    >>> round(writers_together(4.0, 0.01, 0.02), 2)
    3.47
    """
    if outside <= 0.0 or clients <= 1.0:
        return max(clients, 1.0)
    together = clients  # from above, where the fixed point is reached from any start
    for _ in range(_TURNS):
        before, together = together, 1.0 - (clients - 1.0) * math.expm1(-together * copying / outside)
        if before - together <= _PRECISION * before:
            break
    return together


_TURNS = 200
_PRECISION = 1e-9


def copy_writes(cow: CopyOnWriteParameters, together: float) -> float:
    """Writes to the copy area per run of chunks, for a mean number of runs that are copied together.

    min(2 / m, 1) if they are gathered: reads go before writes, so all but the last run wait for the last read and are
    written as one; the last run follows. One each if they are not.

    Parameters
    ----------
    cow
        The snapshot.
    together
        Runs that are copied together, m.

    >>> cow = CopyOnWriteParameters(8192, 16, 2**20, 65536, gathers=True)
    >>> copy_writes(cow, together=1.0), copy_writes(cow, together=8.0)
    (1.0, 0.25)
    """
    return min(2.0 / together, 1.0) if cow.gathers else 1.0


def arrivals_together(rate: float, copying: float, most: float) -> float:
    """Mean number of copies that share one commit when writers arrive at a given rate, independent of waits.

    m = 1 / (1 - r s), the copies made in one busy period of the copying thread (Kleinrock, Queueing Systems, volume 1,
    section 5.8), at most those of a full metadata chunk.

    Parameters
    ----------
    rate
        Writes a second that need a copy, r.
    copying
        Seconds to read and to write one copy, s.
    most
        Copies at which the records are committed in any case.

    >>> arrivals_together(50.0, 0.01, 512.0), arrivals_together(200.0, 0.01, 512.0)
    (2.0, 512.0)
    """
    idle = 1.0 - rate * copying
    return max(min(1.0 / idle, most), 1.0) if idle > 0.0 else most


def unplug_time(cow: CopyOnWriteParameters, requests: float = 1.0) -> float:
    """Seconds that a request waits in an idle queue of the block layer before it is unplugged.

    The whole delay for a single request, none from `unplug_requests` on, and in proportion in between. Holds for a
    device that does nothing else; the queue of a busy device is not plugged.

    Parameters
    ----------
    cow
        The snapshot.
    requests
        Requests that come together.

    >>> cow = CopyOnWriteParameters(8192, 16, 2**20, 65536, unplug_delay=0.003, unplug_requests=4)
    >>> unplug_time(cow), unplug_time(cow, requests=4.0)
    (0.003, 0.0)
    """
    if cow.unplug_requests <= 1.0:
        return 0.0
    return cow.unplug_delay * min(max((cow.unplug_requests - requests) / (cow.unplug_requests - 1.0), 0.0), 1.0)


def area_chunks(cow: CopyOnWriteParameters, area: float) -> int:
    """Chunks that fit into a copy area: all but one header and one metadata chunk before every run of records.

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
