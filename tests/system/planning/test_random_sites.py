"""Plans of random sites beside those in which every night is simulated."""

import pytest
from oracles.every_night import off_by


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3])
def test_windows_of_a_plan_are_those_of_every_night(seed: int) -> None:
    """Ten to fifteen systems with growths of their own, two policies and a copy, over four months."""
    one = off_by(seed, "4 months")
    assert one.differing == {}
    assert one.error <= max(one.found.nights.error, 0.05)
