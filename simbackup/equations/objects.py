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


def at_once(connections: int, objects: float, each: float) -> int:
    """Requests of a job that run at once: one per connection, and no more than there are parts to move.

    `min(c, n p)`. Range: all objects have the same size, and the last ones, which leave connections idle, are
    a small part of the whole.

    Parameters
    ----------
    connections
        Connections of the job, c.
    objects
        Objects, n.
    each
        Parts of each, p.

    >>> at_once(16, objects=1.0, each=13.0), at_once(16, objects=1e6, each=1.0)
    (13, 16)
    """
    return max(min(connections, math.floor(objects * each)), 1)
