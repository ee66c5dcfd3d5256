"""The twin of same-disk.yaml, by hand: dd over a file whose volume has a snapshot, request by request.

dd copies into the page cache until the cache may hold no more unwritten data. Behind it the kernel writes back, and
because a snapshot still needs the old data, each group of writes goes the long way: read the old chunks, write them to
the copy area, commit the records of the copies, and only then write the new data. On one disk the head travels
between the file and the copy area, and every request also waits half a revolution for its place to come round. All
requests but the commit stay in an idle queue of the kernel before, as nobody pushes them to the disk.
"""

import math
from collections.abc import Generator

import simpy

# The writer and its memory.
FILE = 2 * 2**30  # B
PAGES = 64 * 2**10  # B that dd hands over at a time; any small number will do
COPY_RATE = 245.3e6  # B/s, at which one core hands data to the cache
MEMORY = 2 * 2**30  # B
DIRTY_LIMIT, DIRTY_BACKGROUND = 0.40, 0.10  # shares of memory: writers wait; write-back begins

# The disk. Addresses begin in its outer, faster zone.
CAPACITY = 146e9  # B
OUTER_RATE, INNER_RATE = 80e6, 42e6  # B/s
REVOLUTION = 60 / 10_000  # s
SHORT_SEEK, MEAN_SEEK, LONG_SEEK = 0.4e-3, 4.7e-3, 10.5e-3  # s: next track, a third of the stroke, all of it
OVERHEAD = 0.2e-3  # s

# The snapshot. Its copy area lies behind the volume: a header, then one chunk of records before the chunks they record.
VOLUME = 24 * 2**30  # B
CHUNK = 8 * 2**10  # B
RECORD = 16  # B for each copied chunk
BACKLOG = 109_700  # B that wait to be written, in the mean; runs of them spread exponentially
GROUP = CHUNK / (1 - math.exp(-CHUNK / BACKLOG))  # B of the chunks that begin within a run, which share one commit
QUEUE = 3e-3  # s for which a request that nobody pushes stays in an idle queue; only a commit is pushed


class Disk:
    """A head that stays where the last request left it."""

    def __init__(self) -> None:
        self.head = 0.0

    def seconds(self, position: float, size: float) -> float:
        """Seconds of one request: seek, half a revolution, overhead, transfer."""
        near = abs(position - self.head) < GROUP + 1  # a group lies on one track, on which there is nothing to seek
        seek = 0.0 if near else seek_time(abs(cylinder(position) - cylinder(self.head)))
        self.head = position + size
        return seek + REVOLUTION / 2 + OVERHEAD + size / rate(position)


def rate(position: float) -> float:
    """Bytes a second: tracks of one density, so that the rate falls in step with the radius."""
    return math.sqrt(OUTER_RATE**2 - position / CAPACITY * (OUTER_RATE**2 - INNER_RATE**2))


def cylinder(position: float) -> float:
    """Share of the stroke at which a byte lies."""
    return (OUTER_RATE - rate(position)) / (OUTER_RATE - INNER_RATE)


def seek_time(distance: float) -> float:
    """Seconds: short seeks go with the root of the distance, long ones in proportion to it."""
    if distance < 1 / 3:
        return SHORT_SEEK + (MEAN_SEEK - SHORT_SEEK) * math.sqrt(3 * distance)
    return MEAN_SEEK + (LONG_SEEK - MEAN_SEEK) * (3 * distance - 1) / 2


def elapsed(*, second_disk: bool = False) -> float:
    """Seconds that dd takes, with the copy area on the same disk or on a second one."""
    env = simpy.Environment()
    dirty = simpy.Container(env, capacity=MEMORY * DIRTY_LIMIT)
    enough = env.event()
    data_disk = Disk()
    area_disk, area = (Disk(), 0) if second_disk else (data_disk, VOLUME)

    def dd() -> Generator[simpy.Event, None, None]:
        for _ in range(FILE // PAGES):
            yield env.timeout(PAGES / COPY_RATE)
            yield dirty.put(PAGES)
            if dirty.level >= MEMORY * DIRTY_BACKGROUND and not enough.triggered:
                enough.succeed()

    def write_back() -> Generator[simpy.Event, None, None]:
        yield enough
        recorded = CHUNK // RECORD * CHUNK  # B whose records fill one chunk
        records, place = area + CHUNK, area + 2 * CHUNK
        begin = 0.0
        while begin < FILE:
            size = min(GROUP, FILE - begin)
            yield env.timeout(QUEUE + data_disk.seconds(begin, size))  # read what was there
            yield env.timeout(QUEUE + area_disk.seconds(place, size))  # copy it
            yield env.timeout(area_disk.seconds(records, CHUNK))  # commit the records, synchronously
            yield env.timeout(QUEUE + data_disk.seconds(begin, size))  # write what is new
            begin += size
            yield dirty.get(size)
            place += size
            if place - records > recorded:  # full: clear the next chunk of records and go on behind it
                records, place = place, place + CHUNK
                yield env.timeout(area_disk.seconds(records, CHUNK))

    env.process(write_back())
    env.run(until=env.process(dd()))
    return float(env.now)


if __name__ == "__main__":
    print(f"same disk {elapsed():.1f} s, second disk {elapsed(second_disk=True):.1f} s")  # noqa: T201
