import math

import numpy as np
import pytest

from simbackup.uncertainty.inputs import Input, Use, joined
from simbackup.uncertainty.sampling import latin_hypercube

CASES = 2000
NEAR = 3.0 / math.sqrt(CASES)
"""Three standard errors of a correlation of independent inputs."""


def one(name: str, **correlations: float) -> Input:
    return Input(name, (Use("0", name, 1.0, 0.5, 2.0, "1"),), name, tuple(correlations.items()))


def test_correlations_of_three_are_as_stated_for_each_pair() -> None:
    unknown = [one("start"), one("file", start=-0.7), one("byte", start=-0.5, file=0.6)]
    found = np.array([joined(unknown, case) for case in latin_hypercube(unknown, CASES, 1)])
    pairs = np.corrcoef(found, rowvar=False)
    assert (pairs[0, 1], pairs[0, 2], pairs[1, 2]) == pytest.approx((-0.7, -0.5, 0.6), abs=NEAR)
    assert found.std(axis=0) == pytest.approx(np.ones(3), abs=NEAR)
