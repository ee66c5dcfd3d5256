"""What a backup costs the users of a database: waits for the read lock, and queries slowed down by a busy array."""

from __future__ import annotations

import math
from typing import NamedTuple


class LockWaits(NamedTuple):
    """Transactions that find a lock held: their mean number, their mean wait and the longest wait in seconds."""

    transactions: float
    mean: float
    longest: float


def lock_waits(lock: float, rate: float) -> LockWaits:
    """Mean number of transactions that arrive while a lock is held, and their mean wait for its release.

    Transactions arrive independently (Poisson) at a constant mean rate; each waits until the lock is released, so the
    wait is uniform between nothing and the whole lock. The backlog is then served at once.

    Parameters
    ----------
    lock
        Seconds that the lock is held.
    rate
        Transactions a second that need the lock.

    >>> lock_waits(lock=60.0, rate=5.0)
    LockWaits(transactions=300.0, mean=30.0, longest=60.0)
    """
    return LockWaits(lock * rate, lock / 2.0 if rate > 0 else 0.0, lock if rate > 0 else 0.0)


def users_who_wait(lock: float, users: float, rate: float) -> LockWaits:
    """Mean number of users who come to wait for a lock while it is held, and their mean wait for its release.

    Each does one transaction after the other, and waits from the first one that needs the lock: after t seconds a share
    `1 - exp(-rate t)` of them. For few users, or a short lock, they are as many transactions as `lock_waits` counts.

    Parameters
    ----------
    lock
        Seconds that the lock is held.
    users
        How many there are.
    rate
        Transactions a second of each of them that need the lock, while he goes on.

    >>> users_who_wait(lock=60.0, users=1.0, rate=1.0).transactions  # one user waits once
    1.0
    """
    if lock <= 0.0 or rate <= 0.0:
        return LockWaits(0.0, 0.0, 0.0)
    share = -math.expm1(-rate * lock)
    return LockWaits(users * share, lock / share - 1.0 / rate, lock)


def slowdown(busy_by_others: float) -> float:
    """Factor by which a request slows down at a device that others keep busy for a share of the time.

    1 / (1 - u), for a processor-sharing server whose share u is taken, at light load of one's own (Kleinrock, Queueing
    Systems II, section 4.4). Infinite at u = 1.

    >>> slowdown(0.5)
    2.0
    """
    return 1.0 / (1.0 - busy_by_others) if busy_by_others < 1.0 else float("inf")


def log_beside_files(share: float) -> float:
    """Bytes of log that a hot copy saves in addition, over those written while its files are copied alone.

    Files and log share a way that carries R bytes a second. If users write L, files get R - L, or half of the way if
    that is more: two connections share a line evenly. Copying F bytes of files then takes `F / (R - min(L, R / 2))`,
    in which L times that is written, and all of it is saved: `1 / (1 - min(r, 1/2))` times what is written in F / R,
    with r = L / R. The whole copy takes `1 / (1 - r)` times as long as the files alone, or `1 + 2 r` times from r = 1/2
    on. Range: programs that copy the log beside the files until these are complete; the log is not limited elsewhere.

    Parameters
    ----------
    share
        Time in which the log that is written while the files are copied alone could be copied alone, over that time.

    >>> [round(log_beside_files(share), 3) for share in (0.0, 0.1, 0.5, 2.0)]
    [0.0, 0.111, 1.0, 1.0]
    """
    return 1.0 / (1.0 - min(share, 0.5)) - 1.0


def phases(size: float, workers: int, largest: float) -> list[tuple[float, int]]:
    """Bytes of tables or files that several workers process in parallel, and then those that one processes alone.

    One worker takes the largest table first, and the others share the rest. If each works at the rate `r`, the last
    one ends after `size max(1 / workers, largest) / r`, the least that any order of tables can reach. Holds if all
    other tables are small compared with a worker's share; otherwise, the schedule takes at most 4/3 of that (Graham,
    "Bounds on Multiprocessing Timing Anomalies", SIAM Journal on Applied Mathematics 17(2), 1969, theorem 2).

    Parameters
    ----------
    size
        Bytes of all tables.
    workers
        Workers at once.
    largest
        Share of the bytes that are in the largest table; zero where tables are divided.

    >>> phases(100.0, workers=4, largest=0.1), phases(100.0, workers=4, largest=0.625)
    ([(100.0, 4)], [(50.0, 4), (50.0, 1)])
    """
    if workers * largest <= 1.0 or workers == 1:
        return [(size, workers)]
    together = size * (1.0 - largest) * workers / (workers - 1)
    alone = (size - together, 1)
    return [(together, workers), alone] if together > 0.0 else [alone]
