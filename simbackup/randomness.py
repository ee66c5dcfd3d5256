"""One stream of random numbers per component, so that adding a component disturbs no other's draws."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def generator(seed: int, path: str) -> np.random.Generator:
    """A generator of random numbers that depends on `seed` and `path` alone.

    Parameters
    ----------
    seed
        The seed of the run.
    path
        The address of the component that draws, such as ``"devices.jukebox.drives"``.

    Notes
    -----
    The hash (BLAKE2b, 256 bits) does not change between processes or versions of Python, and the bit
    generator is named (PCG64), so a seed means the same draws everywhere.

    Examples
    --------
    >>> generator(1, "jobs.full").random() == generator(1, "jobs.full").random()
    True
    >>> generator(1, "jobs.full").random() == generator(1, "jobs.daily").random()
    False
    """
    from numpy.random import PCG64, Generator, SeedSequence  # noqa: PLC0415 - numpy costs start-up time

    digest = hashlib.blake2b(f"{seed}\0{path}".encode(), digest_size=32).digest()
    return Generator(PCG64(SeedSequence(int.from_bytes(digest, "big"))))
