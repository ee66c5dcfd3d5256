from __future__ import annotations

import math

import numpy as np
import pytest

from simbackup.uncertainty.inputs import Input, Use
from simbackup.uncertainty.sampling import correlated, latin_hypercube

INPUTS = [Input(name, (Use("0", name, 1.0, 0.5, 2.0, "1"),)) for name in "abcd"]
CASES = 200


def test_correlated_inputs_keep_their_values_and_the_others_their_order() -> None:
    """The correlation of scores that were put in order is a little off: by about 1 / cases for each pair of ranks."""
    plain = latin_hypercube(INPUTS, CASES, 1)
    found = np.array(correlated(plain, {(0, 2): 0.8, (2, 3): -0.5}))
    assert np.array_equal(np.sort(found, axis=0), np.sort(np.array(plain), axis=0))
    assert np.array_equal(found[:, 1], np.array(plain)[:, 1])
    pairs = np.corrcoef(found, rowvar=False)
    near = 1.0 / math.sqrt(CASES)
    assert pairs[0, 2] == pytest.approx(0.8, abs=near)
    assert pairs[2, 3] == pytest.approx(-0.5, abs=near)
    assert pairs[0, 3] == pytest.approx(0.0, abs=near)


def test_correlations_that_cannot_hold_together_are_refused() -> None:
    with pytest.raises(ValueError, match="contradict each other"):
        correlated(latin_hypercube(INPUTS, CASES, 1), {(0, 1): 0.9, (1, 2): 0.9, (0, 2): -0.9})
