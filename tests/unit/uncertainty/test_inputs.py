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


def test_a_fitted_value_goes_with_what_its_fit_made_up_for() -> None:
    unknown = [one("fitted", size=-0.8, rate=0.3, absent=0.5), one("size"), one("rate")]
    drawn = latin_hypercube(unknown, CASES, 1)
    found = np.array([joined(unknown, case) for case in drawn])
    assert np.array_equal(found[:, 1:], np.array(drawn)[:, 1:])
    pairs = np.corrcoef(found, rowvar=False)
    assert (pairs[0, 1], pairs[0, 2]) == pytest.approx((-0.8, 0.3), abs=NEAR)
    assert found[:, 0].std() == pytest.approx(1.0, abs=NEAR)


def test_constants_of_one_fit_go_with_each_other_through_others() -> None:
    unknown = [one("second", first=1.0), one("first", size=0.6), one("size")]
    assert joined(unknown, [1.0, 1.0, 1.0]) == pytest.approx([1.4, 1.4, 1.0])


def test_correlations_of_three_are_as_stated_for_each_pair() -> None:
    unknown = [one("start"), one("file", start=-0.7), one("byte", start=-0.5, file=0.6)]
    found = np.array([joined(unknown, case) for case in latin_hypercube(unknown, CASES, 1)])
    pairs = np.corrcoef(found, rowvar=False)
    assert (pairs[0, 1], pairs[0, 2], pairs[1, 2]) == pytest.approx((-0.7, -0.5, 0.6), abs=NEAR)
    assert found.std(axis=0) == pytest.approx(np.ones(3), abs=NEAR)


def test_correlations_in_a_circle_end() -> None:
    first, second = joined([one("a", b=0.6), one("b", a=0.6)], [1.0, 0.0])
    assert (first, second) == pytest.approx((0.8 + 0.6 * 0.6, 0.6))


def test_without_correlations_nothing_changes() -> None:
    scores = (0.5, -1.0)
    assert joined([one("a"), one("b", absent=0.9)], scores) == pytest.approx(scores)
    assert joined([one("a"), one("b")], scores) is scores
