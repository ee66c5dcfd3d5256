from simbackup.uncertainty.sampling import permutation


def test_each_seed_and_each_path_has_a_permutation_of_its_own() -> None:
    drawn = {tuple(permutation(seed, path, 20)) for seed in range(5) for path in ("a", "b", "c")}
    assert len(drawn) == 15
    assert all(sorted(order) == list(range(20)) for order in drawn)
