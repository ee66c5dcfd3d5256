import pytest

from simbackup.equations.read_ahead import whole_stripes, window_wait
from tests.cases import for_each

MANY = 2000


def begun(request_time: float, work_time: float, windows: int = MANY) -> float:
    """Seconds between two windows, window by window: at the first page of each the next is asked for.

    A window has come so many seconds after it was asked for, however many are on the way.
    """
    came: dict[int, float] = {0: request_time}
    now = 0.0
    middle = 0.0
    for number in range(windows):
        came[number + 1] = now + request_time  # the page is marked, whether it is there or not
        now = max(now, came[number]) + work_time
        middle = now if number == windows // 2 else middle
    return (now - middle) / (windows - 1 - windows // 2)


@for_each("work", [0.0, 0.1, 0.5, 0.9, 1.0, 1.5, 4.0])
def test_waits_are_those_of_windows_one_by_one(work: float) -> None:
    assert window_wait(1.0, work) + work == pytest.approx(begun(1.0, work), rel=2e-3)


@for_each("work", [0.1, 1.0, 4.0])
def test_reading_ahead_gains_half_of_all_at_most(work: float) -> None:
    ahead = window_wait(1.0, work) + work
    assert 0.5 * (1.0 + work) <= ahead < 1.0 + work


def test_two_stripes() -> None:
    assert whole_stripes(64 * 1024, 6, 2.0) == 12 * 64 * 1024
