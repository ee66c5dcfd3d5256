"""A closed loop of buffers between readers and writers: the number of buffers, and how fast they circulate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simbackup.equations.queueing import mva_closed, mva_pooled


def default_buffers(files: int, volumes: int, depth: int) -> int:
    """Buffers that SQL Server takes by default: (depth + 1) for each backup file, and two for each volume.

    Kehayias, quoting Banerjee: files x depth + files + 2 x volumes.

    Parameters
    ----------
    files
        Backup files.
    volumes
        Volumes of the database.
    depth
        Requests in flight for each file.

    >>> default_buffers(files=1, volumes=1, depth=4), default_buffers(files=2, volumes=1, depth=4)
    (7, 12)
    """
    return files * depth + files + 2 * volumes


class LoopState(NamedTuple):
    """Bytes per second that pass through a loop, and the mean share of its buffers at each centre; the others wait."""

    rate: float
    standing: tuple[float, ...]


def loop(
    buffer: float, buffers: int, latency: float, demands: Sequence[float], pool: tuple[float, int] | None = None
) -> LoopState:
    """Bytes per second through a closed loop of buffers in the steady state, and the mean share of them at each centre.

    Buffers wait out their latencies in parallel, and queue at each centre: exact mean value analysis
    (`queueing.mva_closed`), X = n B / (Z + sum of residences). By Little's law, the share of the buffers at a centre is
    the share of each round that a buffer spends there. Holds for exponential service. Short runs begin with all buffers
    empty and are a little slower. If a centre has no capacity left, all buffers queue there.

    Parameters
    ----------
    buffer
        Bytes of one buffer.
    buffers
        Buffers in the loop.
    latency
        Seconds of one round outside all queues.
    demands
        Seconds that a byte needs at each centre; infinite where a centre has no capacity left.
    pool
        Seconds that a byte needs of one of several equal threads, and how many there are (`queueing.mva_pooled`): one
        centre more, the last. None by default.

    >>> loop(1e6, 1, 0.09, [10e-9])
    LoopState(rate=10000000.0, standing=(0.1,))
    >>> round(loop(1e6, 1000, 0.09, [10e-9]).rate / 1e6, 3)
    100.0
    """
    stuck = [math.isinf(demand) for demand in (*demands, *(pool or ())[:1])]
    if any(stuck):
        return LoopState(0.0, tuple(float(halted) / sum(stuck) for halted in stuck))
    seconds = [demand * buffer for demand in demands]
    if pool is None or not pool[0]:
        found = mva_closed(seconds if pool is None else [*seconds, 0.0], buffers, latency)
    else:
        found = mva_pooled(seconds, buffers, latency, (pool[0] * buffer, pool[1]))
    return LoopState(buffer * found.throughput, tuple(length / buffers for length in found.queue_lengths))
