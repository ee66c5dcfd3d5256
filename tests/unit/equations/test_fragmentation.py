import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.fragmentation import broken_share, fetch_time, longest_queue
from tests.cases import for_each


def test_a_neighbour_is_lost_when_either_block_moved() -> None:
    assert [broken_share(share) for share in (0.0, 0.1, 1.0)] == pytest.approx([0.0, 0.19, 1.0])


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_are_shares(share: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        broken_share(share)


@pytest.mark.parametrize(("requests", "disks"), [(-1.0, 2), (1.0, 0)])
def test_queues_need_disks(requests: float, disks: int) -> None:
    with pytest.raises(ValueError, match="a disk"):
        longest_queue(requests, disks)


@pytest.mark.parametrize(("mean", "disks"), [(1.0, 2), (3.0, 3)])
def test_the_longest_queue_is_the_mean_of_the_greatest_of_poisson_numbers(mean: float, disks: int) -> None:
    each = [math.exp(-mean / disks) * (mean / disks) ** k / math.factorial(k) for k in range(15)]
    by_hand = sum(max(ks) * math.prod(each[k] for k in ks) for ks in product(range(15), repeat=disks))
    assert longest_queue(mean, disks) == pytest.approx(by_hand, rel=1e-6)


def test_one_request_waits_for_itself_and_many_share_the_disks() -> None:
    assert longest_queue(1e-3, 16) == pytest.approx(1e-3, rel=1e-3)
    assert longest_queue(1e6, 16) / (1e6 / 16) == pytest.approx(1.0, abs=0.01)


@given(st.floats(0.001, 1e5), st.integers(1, 100), st.floats(1.0, 3.0))
def test_the_longest_queue_lies_between_a_fair_share_and_all(requests: float, disks: int, more: float) -> None:
    queue = longest_queue(requests, disks)
    assert requests / disks * (1 - 1e-9) <= queue <= requests * (1 + 1e-9)
    assert longest_queue(requests * more, disks) >= queue * (1 - 1e-9)
    assert longest_queue(requests, disks + 1) <= queue * (1 + 1e-9)


@given(st.floats(0.0, 1.0), st.integers(1, 64), st.integers(1, 64))
def test_more_asked_at_once_is_never_slower_a_byte(breaks: float, disks: int, times: int) -> None:
    one = fetch_time(65536.0, 16 * breaks, disks, 0.008, 60e6)
    assert fetch_time(65536.0 * times, 16 * breaks * times, disks, 0.008, 60e6) <= one * times * (1 + 1e-9)


def test_data_in_one_piece_come_at_their_rate() -> None:
    assert fetch_time(1e6, 0.0, 8, 0.008, 50e6) == pytest.approx(0.02)
    assert fetch_time(1e6, 4.0, 1, 0.008, 50e6) == pytest.approx(0.052)


@for_each("requests", [5e-324, 1e-9, 1e-6])
def test_hardly_any_requests_never_meet(requests: float) -> None:
    assert longest_queue(requests, 32) == pytest.approx(requests, rel=1e-5)
