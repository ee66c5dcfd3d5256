import subprocess
import sys

from simbackup.randomness import generator


def test_the_draws_of_a_path_never_change() -> None:
    # Written down once: another hash or bit generator would change the result of every seeded run.
    assert generator(7, "devices.jukebox.robot").random(2).tolist() == [0.978944637647777, 0.1513501986964143]


def test_paths_and_seeds_are_apart() -> None:
    first = {generator(seed, path).random() for seed in range(20) for path in ("a", "b", "a.b", "", "1", "11")}
    assert len(first) == 120


def test_another_stream_disturbs_no_draws() -> None:
    alone = generator(1, "a").random(5).tolist()
    beside, other = generator(1, "a"), generator(1, "b")
    mixed: list[float] = []
    for _ in range(5):
        mixed.append(beside.random())
        other.random()
    assert mixed == alone


def test_numpy_is_not_imported_with_the_engine() -> None:
    program = "import sys, simbackup.engine.buffer, simbackup.randomness; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
