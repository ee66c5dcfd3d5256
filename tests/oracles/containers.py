"""A deduplicating store, run by run: generations of a backup, and a restore of the newest through a small memory."""

from collections import OrderedDict

import numpy as np

RUNS = 100_000
"""Runs of data in a backup."""


def simulated(container: int, daily: float, generations: int, memory: int) -> float:
    """Runs in the containers that a restore of the newest full backup reads, for each run of the backup.

    The first backup fills containers with all runs in order. Each later one replaces runs at random, and stores those
    in order in containers of its own. The restore asks for run after run, and keeps the containers used last.
    """
    rng, place = np.random.default_rng(5), np.arange(RUNS) // container
    for _ in range(generations):
        replaced = np.flatnonzero(rng.random(RUNS) < daily)
        place[replaced] = place.max() + 1 + np.arange(len(replaced)) // container
    kept: OrderedDict[int, None] = OrderedDict()
    reads = 0
    for where in place.tolist():
        if where not in kept:
            reads += 1
            kept[where] = None
            if len(kept) > memory:
                kept.popitem(last=False)
        kept.move_to_end(where)
    return reads * container / RUNS
