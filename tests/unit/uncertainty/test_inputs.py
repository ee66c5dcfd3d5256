from __future__ import annotations

import math

import pytest

from simbackup.equations.uncertainty import SCORE
from simbackup.errors import Place
from simbackup.scenario import Value
from simbackup.schema.quantity import Unit
from simbackup.uncertainty.inputs import ends


def reach(uncertainty: str, plausible: tuple[str, str]) -> tuple[float, float]:
    given = Unit("s").read(
        {"value": "10 s", "basis": "fitted", "fitted_to": ["row"], "uncertainty": uncertainty, "plausible": plausible}
    )
    found = ends(Value("devices.cow.create_time", given, Place("file", 1, 1)))
    assert found is not None
    return found


def test_a_fit_varies_by_factors_within_what_is_plausible() -> None:
    """Fits are of logarithms: half of 10 s is a standard deviation of a factor of exp(0.5), downwards and upwards."""
    factor = math.exp(SCORE * 0.5)
    assert reach("5 s", ("1 s", "1 h")) == pytest.approx((10.0 / factor, 10.0 * factor))
    assert reach("5 s", ("6 s", "12 s")) == (6.0, 12.0)
    assert reach("1 h", ("1 s", "1 h")) == (1.0, 3600.0)
