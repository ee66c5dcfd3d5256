"""The share of work that one worker does while others wait, in programs, by hand and event by event."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.worker_groups import Case, Group, Job, simulate

from tests.analytic.test_program import FILES, elapsed, group

SHARE = 0.1


def seconds(*groups: tuple[float, int]) -> float:
    """Seconds of groups that wait so many milliseconds for each file, with so many workers."""
    named = {f"group{i}": group({"wait": f"{wait} ms"}, workers=many) for i, (wait, many) in enumerate(groups)}
    return elapsed(named, serial_share=f"{SHARE * 100} %")


def longest(*groups: tuple[float, int]) -> float:
    """The longest of what each group takes by itself: `(1 - s) T(n) + s T(1)`."""
    alone = [(FILES * wait * 1e-3, many) for wait, many in groups]
    return max((1.0 - SHARE) * each / many + SHARE * each for each, many in alone)


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (((4.0, 4),), 0.9 * 10.0 + 0.1 * 40.0),
        (((4.0, 4), (4.0, 4)), 0.9 * 10.0 + 0.1 * 40.0),  # both limit
        (((1.0, 1), (7.0, 32)), 10.0),  # one copies, and 32 compress: 0.9 x 2.2 s + 0.1 x 70 s are less than 10 s
        (((1.0, 1), (24.0, 32)), 0.9 * 7.5 + 0.1 * 240.0),  # now one of the 32 holds all up
    ],
)
def test_only_workers_of_the_group_that_limits_hold_a_job_up(
    groups: tuple[tuple[float, int], ...], expected: float
) -> None:
    assert longest(*groups) == pytest.approx(expected)
    assert seconds(*groups) == pytest.approx(expected, rel=1e-2)


@settings(max_examples=15, deadline=None)
@given(
    first=st.tuples(st.floats(0.5, 9.0), st.integers(1, 16)), second=st.tuples(st.floats(0.5, 9.0), st.integers(1, 16))
)
def test_it_takes_as_long_as_the_group_that_takes_longest(first: tuple[float, int], second: tuple[float, int]) -> None:
    groups = tuple((round(wait, 2), many) for wait, many in (first, second))
    assert seconds(*groups) == pytest.approx(longest(*groups), rel=1.5e-2)


@pytest.mark.parametrize("many", [2, 8, 64])
@pytest.mark.parametrize("work", [0.01, 1.0, 8.0, 60.0])
def test_who_waits_for_an_answer_from_afar_holds_nobody_up(many: int, work: float) -> None:
    steps = ({"at": "target", "do": "ask"}, {"at": "cpu", "item": f"{2.0 * work} ms"})

    def rate(servers: int) -> float:
        """Items a second, event by event, of workers who wait 41 ms, and work on so many cores or under a lock."""
        only = Job((Group(many, 0.041, ((0, work * 1e-3),)),), ())
        [found] = simulate(Case((servers,), (only,)), "exponential")
        return found.rate

    expected = FILES * ((1.0 - SHARE) / rate(64) + SHARE / rate(1))
    found = elapsed({"only": group(*steps, workers=many)}, serial_share=f"{SHARE * 100} %", target="bucket")
    assert found == pytest.approx(expected, rel=0.02)
