import math
from typing import Any

import numpy as np
import pytest

from simbackup.devices.changes import Spread
from tests.cases import for_each

SEED = 20250
GRANULE = 8192.0


def hit(spread: Spread, granule: float, updates: int, draws: np.random.Generator) -> int:
    """Granules that so many updates touch, each drawn by itself: a run of whole granules, or a part of one."""
    granules = round(spread.working_set / granule)
    each = max(round(spread.size / granule), 1)
    hot = round(spread.hot_data * granules)
    is_hot = draws.random(updates) < spread.hot_updates
    first = np.where(is_hot, draws.integers(0, hot, updates), 0)
    if hot < granules:
        first = np.where(is_hot, first, draws.integers(hot, granules, updates))
    touched: np.ndarray[Any, np.dtype[np.bool_]] = np.zeros(granules, dtype=bool)
    for i in range(each):  # a run that would leave its part goes on at the part's beginning
        low = np.where(is_hot, 0, hot)
        size = np.where(is_hot, hot, max(granules - hot, 1))
        touched[low + (first - low + i) % size] = True
    return int(touched.sum())


@for_each("updates", [100, 5_000, 20_000, 100_000])
@for_each(
    "spread",
    [
        Spread(GRANULE, 20_000 * GRANULE),
        Spread(4 * GRANULE, 20_000 * GRANULE),
        Spread(GRANULE / 8, 20_000 * GRANULE),
        Spread(GRANULE, 20_000 * GRANULE, hot_data=0.2, hot_updates=0.72),
        Spread(2 * GRANULE, 20_000 * GRANULE, hot_data=0.05, hot_updates=0.95),
    ],
)
def test_updates_that_are_drawn_touch_as_many(spread: Spread, updates: int) -> None:
    """Within four standard deviations of the mean of ten draws; one has at most the root of what is touched."""
    scatter = spread.over(GRANULE)
    scatter.update(float(updates))
    draws = np.random.default_rng(SEED)
    mean = float(np.mean([hit(spread, GRANULE, updates, draws) for _ in range(10)]))
    assert scatter.touched == pytest.approx(mean, abs=4 * math.sqrt(mean * max(spread.size / GRANULE, 1) / 10) + 1)


def test_over_a_step_the_share_of_fresh_granules_falls_by_no_more_than_was_asked() -> None:
    scatter = Spread(2 * GRANULE, 1000 * GRANULE, 0.2, 0.8).over(GRANULE)
    steps = 0
    while math.isfinite(step := scatter.step(0.05)):
        before = scatter.fresh()
        scatter.update(step)
        assert 0.9 * before <= scatter.fresh() < before  # 5 % of one part, and a part that hardly counts any more
        steps += 1
    assert steps < 1000
    assert scatter.fresh() <= 1e-3 * scatter.hits
    assert scatter.touched == pytest.approx(1000, rel=0.01)
