"""Permutations against those of numpy, which are drawn from the same stream."""

from simbackup.randomness import generator
from simbackup.uncertainty.permutation import permutation
from tests.cases import for_each


@for_each("size", [0, 1, 2, 3, 10, 20, 64, 65, 200, 500])
def test_they_are_those_of_numpy(size: int) -> None:
    for seed in range(40):
        path = f"uncertainty {seed % 3} devices.disk-{seed}.seek"
        assert permutation(seed, path, size) == generator(seed, path).permutation(size).tolist()


def test_each_seed_and_each_path_has_its_own() -> None:
    drawn = {tuple(permutation(seed, path, 20)) for seed in range(5) for path in ("a", "b", "c")}
    assert len(drawn) == 15
    assert all(sorted(order) == list(range(20)) for order in drawn)
