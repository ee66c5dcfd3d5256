import math

import numpy as np
import pytest

from simbackup.randomness import generator
from simbackup.uncertainty.inputs import Input, Use
from simbackup.uncertainty.sampling import correlated, latin_hypercube, permutation
from tests.cases import for_each

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


@for_each("size", [0, 1, 2, 3, 10, 20, 64, 65, 200, 500])
def test_permutations_are_those_of_numpy_from_the_same_stream(size: int) -> None:
    for seed in range(40):
        path = f"uncertainty {seed % 3} devices.disk-{seed}.seek"
        assert permutation(seed, path, size) == generator(seed, path).permutation(size).tolist()


def test_each_seed_and_each_path_has_a_permutation_of_its_own() -> None:
    drawn = {tuple(permutation(seed, path, 20)) for seed in range(5) for path in ("a", "b", "c")}
    assert len(drawn) == 15
    assert all(sorted(order) == list(range(20)) for order in drawn)
