"""Readers of a controller that reads ahead: disks in order of arrival, and a cache that is a step ahead of each."""

import heapq
from typing import NamedTuple


class Cache(NamedTuple):
    """Bytes that are read ahead at once, seconds of a turn of the disks, and bytes a second that they read."""

    ahead: float
    turn: float
    rate: float


def reader_rates(readers: int, request: float, pause: float, cache: Cache) -> list[float]:
    """Bytes a second of readers, each of which pauses between two requests, one request at a time.

    When a reader begins with a part of what is read ahead, the disks are asked for the next one. They serve one part
    after the other, which takes its bytes at a rate and a turn where the one before was of somebody else. A request is
    answered at once if its part is there.
    """
    each = round(cache.ahead / request)
    coming = [(0.001 * i, i) for i in range(readers)]  # the next request of each
    there = [[0.0] for _ in range(readers)]  # when each of its parts is in the cache
    free, last, done, now = 0.0, -1, [0] * readers, 0.0
    while min(done) < 400 * each:
        now, who = heapq.heappop(coming)
        part, first = divmod(done[who], each)
        if first == 0:
            free = max(free, now) + cache.ahead / cache.rate + (cache.turn if last != who else 0.0)
            there[who].append(free)
            last = who
        done[who] += 1
        heapq.heappush(coming, (max(now, there[who][part]) + pause, who))
    return [count * request / now for count in done]
