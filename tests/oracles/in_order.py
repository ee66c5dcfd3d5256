"""Requests at random places of a disk, made in the order of the places: each by itself."""

from typing import Any

from simbackup.equations import disk as equations
from simbackup.randomness import generator


def one_by_one(disk: Any, runs: int, run: float, extent: float, seed: int) -> float:
    """Seconds of a disk for so many requests of `run` bytes at random places of an extent, in their order."""
    rng, total, head = generator(seed, "places"), 0.0, 0.0
    for place in sorted(rng.uniform(0.0, extent - run) for _ in range(runs)):
        total += equations.request_time(disk, head, max(place, head), run)
        head = max(place, head) + run
    return total
