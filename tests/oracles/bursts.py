"""How long a device with burst credits takes, which only tests need."""

from simbackup.equations.burst import Bucket, time_to


def busy_time(bucket: Bucket, left: float, amount: float) -> float:
    """Seconds that a sequence of operations takes: L / (burst - baseline) at the burst rate, and then at the baseline.

    Range: nobody else uses credits, and the bucket is the only limit.

    >>> busy_time(Bucket(3000.0, 300.0, 5.4e6), 5.4e6, 6e6), busy_time(Bucket(3000.0, 300.0, 5.4e6), 5.4e6, 6.3e6)
    (2000.0, 3000.0)
    """
    lasts = time_to(bucket, left, bucket.burst, 0.0) if left > 0.0 else 0.0
    if amount <= bucket.burst * lasts:
        return amount / bucket.burst
    return lasts + (amount - bucket.burst * lasts) / bucket.baseline
