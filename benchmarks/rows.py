"""Measured costs as rows: what was measured, on which data, beside which peer, and their ratio in one run."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import simpy

RUNS = 3
TIMEOUTS = 200_000
TIMEOUT = "timeout of bare SimPy"
SMALL = 0.1
"""Ratio below which a row says how many times less the peer costs."""


@dataclass(frozen=True, slots=True)
class Row:
    """One ratio: the peer's cost over ours, CPU microseconds of ours a unit, and the runs of which this is the median.

    One unit of ours costs `cpu_us`, one of the peer `ratio` times as much: above one, ours is cheaper.
    """

    name: str
    dataset: str
    subject: str
    peer: str
    ratio: float
    cpu_us: float
    unit: str
    runs: int

    @property
    def peer_us(self) -> float:
        """CPU microseconds of the peer a unit."""
        return self.ratio * self.cpu_us


Cost = Callable[[], float]
"""Runs something once, and gives the CPU microseconds of a unit."""


def options(text: str) -> argparse.ArgumentParser:
    """What every measurement may be asked for."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--quick", action="store_true", help="few jobs, one run: is all in order?")
    parser.add_argument("--json", action="store_true", help="rows as JSON, one a line")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"runs, of which the median counts ({RUNS})")
    return parser


def compared(costs: Sequence[Cost], runs: int) -> list[float]:
    """The median cost of each, when they take turns."""
    found: list[list[float]] = [[] for _ in costs]
    for _ in range(runs):
        for cost, values in zip(costs, found, strict=True):
            values.append(cost())
    return [statistics.median(values) for values in found]


def bare_timeout() -> float:
    """CPU microseconds of one timeout of one process, the least that an event in SimPy costs."""
    env = simpy.Environment()

    def clock() -> Generator[simpy.Event, Any]:
        for _ in range(TIMEOUTS):
            yield env.timeout(1.0)

    began = time.process_time()
    env.run(until=env.process(clock()))
    return (time.process_time() - began) / TIMEOUTS * 1e6


def show(row: Row, *, as_json: bool) -> None:
    """Print one row."""
    print(json.dumps(asdict(row)) if as_json else sentence(row), flush=True)


def sentence(row: Row) -> str:
    """What it costs beside its peer, in words.

    >>> sentence(Row("points", "40", "two processes", "one process", 1.6, 500.0, "run", 3))
    '40               two processes: 500.0 us a run; one process: 800.00 us, 1.60 times as much'
    """
    times = f"{row.ratio:.2f} times as much" if row.ratio >= SMALL else f"{1.0 / row.ratio:,.0f} times less"
    return (
        f"{row.dataset:<16} {row.subject}: {row.cpu_us:.1f} us a {row.unit}; {row.peer}: {row.peer_us:.2f} us, {times}"
    )
