from collections.abc import Sequence
from itertools import product

import simpy
from hypothesis import given
from hypothesis import strategies as st

from simbackup.devices.job_queue.live import ORDERS, Claim, JobQueue, enter


def makespan(works: Sequence[int], drives: int, order: str) -> float:
    """When the last of some jobs, each of which takes as long as it is large, has ended."""
    env = simpy.Environment()
    queue = JobQueue(env, "devices.q", drives, order)

    def job(size: int) -> simpy.events.ProcessGenerator:
        place = enter([queue], Claim(size, 0.0, 0.0))
        yield place.admitted
        yield env.timeout(size)
        place.leave()

    for size in works:
        env.process(job(size))
    env.run()
    return float(env.now)


def shortest(works: Sequence[int], drives: int) -> int:
    """The shortest makespan of all ways to deal jobs out to drives."""
    return min(
        max(sum(size for size, at in zip(works, dealt, strict=True) if at == drive) for drive in range(drives))
        for dealt in product(range(drives), repeat=len(works))
    )


@given(st.lists(st.integers(1, 100), min_size=1, max_size=7), st.integers(1, 3))
def test_longest_first_takes_no_more_than_four_thirds_of_the_shortest(works: list[int], drives: int) -> None:
    """R. L. Graham, "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969: 4/3 - 1/(3 m)."""
    found, least = makespan(works, drives, "longest_first"), shortest(works, drives)
    assert least <= found <= (4 / 3 - 1 / (3 * drives)) * least + 1e-9


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60), st.integers(1, 8), st.sampled_from(sorted(ORDERS)))
def test_no_drive_is_idle_while_a_job_waits(works: list[int], drives: int, order: str) -> None:
    """Then the last job begins when all drives were busy, after no more than the others' work over the drives."""
    bound = max(sum(works) / drives, *works)
    found = makespan(works, drives, order)
    assert bound <= found <= sum(works) / drives + (1 - 1 / drives) * max(works) + 1e-9
