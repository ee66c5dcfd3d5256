import math

import pytest

from simbackup.devices.changes import Spread

GRANULE = 8192.0


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
