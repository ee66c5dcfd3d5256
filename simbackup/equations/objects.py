"""Objects that are written and read by requests: how many requests a large object takes, and how many run at once."""

from __future__ import annotations

import math


def parts(size: float, part: float, most: float = math.inf) -> float:
    """Requests for an object if each carries a limited number of bytes: `min(max(ceil(s / p), 1), m)`.

    "Uploading and copying objects using multipart upload", Amazon S3 user guide; "Put Block", reference of Azure Blob
    Storage.

    Parameters
    ----------
    size
        Bytes of the object, s.
    part
        Bytes of a part, p.
    most
        Parts that an object has at most, m; those of a larger object are larger.

    >>> parts(100e6, 8e6), parts(10.0, 8e6)
    (13.0, 1.0)
    """
    return float(min(max(math.ceil(size / part), 1), most))


def at_once(connections: int, objects: float, each: float, most: float | None) -> int:
    """Requests of a job that run at once: one per connection, and no more than there are parts to move.

    `min(c, n min(p, m))`. Range: all objects have the same size, and the last ones, which leave connections idle, are
    a small part of the whole.

    Parameters
    ----------
    connections
        Connections of the job, c.
    objects
        Objects, n.
    each
        Parts of each, p.
    most
        Parts of one object that may be in flight at once, m; no limit if None.

    >>> at_once(16, objects=1.0, each=13.0, most=None), at_once(16, objects=1e6, each=1.0, most=4.0)
    (13, 16)
    """
    together = each if most is None else min(each, most)
    return max(min(connections, math.floor(objects * together)), 1)


def buffered_rate(filling: float, sending: float, buffers: float) -> float:
    """Bytes a second of a stream whose parts are filled one by one in a few buffers and then sent: `b / (f + t)`.

    Each buffer goes round: it is filled in `f` seconds a byte, sent in `t`, and is free again. Little, "A Proof for
    the Queuing Formula: L = lambda W", Operations Research 9(3), 1961, with b buffers in the system. Range: an upper
    bound, which constant times reach; with many buffers, filling itself is the limit.

    Parameters
    ----------
    filling
        Seconds to read or produce a byte, f.
    sending
        Seconds of a byte on a connection, including its share of the latency, t.
    buffers
        Buffers, b.

    >>> round(buffered_rate(1 / 100e6, 1 / 50e6, buffers=2) / 1e6, 1)
    66.7
    """
    return buffers / (filling + sending)
