"""The impact of a job on a workload."""

from __future__ import annotations

IMPACT = "impact"
"""The event of a trace that has it."""


def throughput(offered: float, served: float, seconds: float, rounding: float) -> dict[str, float]:
    """What was asked for and what was served, also a second, and the share that was lost, over some seconds.

    A loss of no more than `rounding` is none.

    >>> throughput(offered=100.0, served=80.0, seconds=10.0, rounding=1e-9)
    {'offered': 100.0, 'served': 80.0, 'rate': 8.0, 'lost': 0.19999999999999996}
    """
    lost = 1.0 - served / offered if offered else 0.0
    return {
        "offered": offered,
        "served": served,
        "rate": served / seconds if seconds else 0.0,
        "lost": lost if lost > rounding else 0.0,
    }
