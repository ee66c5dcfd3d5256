"""A few of the random systems that `python -m benchmarks systems` draws in great number."""

import pytest

from benchmarks.random_systems import system
from benchmarks.systems import UNEXPLAINED, exceeded, findings, run
from simbackup.devices.store import Store
from tests.cases import for_each, some


@pytest.mark.slow
@for_each("number", some(range(20), 6))
def test_a_random_system_keeps_what_all_keep(number: int) -> None:
    found = [what for what, _ in findings(system(0, number))]
    assert found[0] == "ran"
    assert not [what for what in found if what.startswith("broken") or UNEXPLAINED in what]


@pytest.mark.slow
@for_each(
    "seed, number",
    [
        (77, 154),  # a dump that a full cache holds up, beside a copy: it does not come oftener than it can
        (77, 203),  # a tape before a full cache goes on when that is written back faster
        (77, 821),  # who has the cartridge that a job waits for
        (0, 52),  # a mirror is brought up to date beside what others write, which is cheaper than before
        (0, 614),  # others use the network while the disk limits the job
    ],
)
def test_no_job_gains_by_more_work_without_a_reason(seed: int, number: int) -> None:
    assert not [what for what, _ in findings(system(seed, number)) if UNEXPLAINED in what]


def test_systems_are_drawn_from_seed_and_number_alone() -> None:
    assert system(3, 4) == system(3, 4)
    assert system(3, 4) != system(4, 4)


@for_each("number", [5, 42, 127])
def test_two_streams_of_unlike_sizes_do_not_exceed_a_disk(number: int) -> None:
    assert run(system(7, number)).wrong == ()


def test_a_link_that_carries_too_much_is_found() -> None:
    ran = run(system(0, 0))
    link = ran.system.of(Store)["disk"].link
    flow = ran.system.network.start("jobs.x", "read", 1e9, {link: 1.0})
    flow.assign(ran.system.env.now, 2.0 * link.capacity, link, (link.name, {}))
    assert list(exceeded(ran.system)) == ["devices.disk carries more than its capacity"]
