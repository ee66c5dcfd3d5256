"""Equations of disk that only tests need."""

from random import Random

from simbackup.equations.disk import MEAN_SEEK_SHARE, DiskParameters, request_time, seek_time
from simbackup.equations.disk_turns import turn_time


def stream_efficiency(
    disk: DiskParameters, streams: int, rate: float, distance_share: float = MEAN_SEEK_SHARE
) -> float:
    """Share of the media rate that is left when sequential streams take turns of `stream_turn` bytes.

    Each turn transfers for `stream_turn / rate` and then pays a seek to the next stream, half a revolution
    and the command overhead. One stream alone pays nothing, and from two on the share does not depend on
    their number. Holds while streams are served in turn; a scheduler that favours one stream, or read-ahead
    that grows with the load, is a larger `stream_turn`.

    Parameters
    ----------
    disk
        The drive.
    streams
        Sequential streams at once.
    rate
        Media rate where they run, bytes per second.
    distance_share
        Mean seek between two streams as a share of the stroke; a third for streams anywhere on the disk.

    Raises
    ------
    ValueError
        If the rate is not positive or the distance is no share.

    Examples
    --------
    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> stream_efficiency(disk, 1, 32e6), round(stream_efficiency(disk, 4, 32e6), 3)
    (1.0, 0.325)

    """
    if rate <= 0:
        raise ValueError(f"a media rate is positive, not {rate}")
    lost = turn_time(disk, distance_share)
    if streams <= 1:
        return 1.0
    moving = disk.stream_turn / rate
    return moving / (moving + lost)


def mean_seek(disk: DiskParameters, span: float, places: int = 400) -> float:
    """Mean seconds of a seek between all pairs of places that lie evenly within a span of cylinders.

    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 25e6, 0.0003, 128 * 1024)
    >>> round(mean_seek(disk, 1 / 3), 4)
    0.0031
    """
    # each distance of k steps occurs 2 (n - k) times
    distances = ((2 * (places - k), span * k / places) for k in range(1, places))
    return sum(times * seek_time(disk, distance) for times, distance in distances) / places**2


def served_in_turn(disk: DiskParameters, streams: list[tuple[float, float]], run: float) -> float:
    """Seconds of one disk that serves several streams run by run, sweeping over them from the outside inwards.

    Each request is a seek from where the head is to where the stream goes on, half a revolution, the overhead and the
    transfer.

    Parameters
    ----------
    disk
        The drive.
    streams
        Position and bytes of each.
    run
        Bytes of a stream before the next has its turn.

    >>> disk = DiskParameters(18.2e9, 10_000 / 60, 0.0006, 0.0052, 0.012, 40e6, 40e6, 0.0003, 128 * 1024)
    >>> round(served_in_turn(disk, [(0.0, 40e6), (9e9, 40e6)], 40e6), 3)
    2.013
    """
    left, head, seconds = [[begin, size] for begin, size in sorted(streams)], 0.0, 0.0
    while left:
        for stream in list(left):
            begin, size = stream
            part = min(run, size)
            seconds += request_time(disk, head, begin, part)
            head = begin + part
            stream[:] = head, size - part
            if stream[1] <= 0.0:
                left.remove(stream)
    return seconds


def runs_beside_users(rate: float, user: float, run: float, back: float) -> float:
    """Runs a second of a stream on a disk that serves all requests in order of arrival, one by one.

    Users come at random, and take so many seconds each. A run is asked for when the one before is done, takes so many
    seconds, and those of a return if users came before it.
    """
    random, now, number = Random(1), 0.0, 40_000  # noqa: S311 (no secrets)
    comes = random.expovariate(rate)
    for _ in range(number):
        asked, before = now, False
        while comes <= asked:
            now, comes, before = now + user, comes + random.expovariate(rate), True
        now += run + (back if before else 0.0)
    return number / now
