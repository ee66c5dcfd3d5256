import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.page_cache import writer_time

from tests.cases import for_each

RATES = st.floats(1e6, 1e9)


@for_each(
    "size, seconds",
    [
        (100e6, 0.5),  # below the background limit: memory only
        (1400e6, 7.0),  # just fills the cache: 1 s to 200 MB, then 6 s at a difference of 100 MB/s to 800 MB
        (1500e6, 8.0),  # from there on at the pace of the disk
    ],
)
def test_by_hand(size: float, seconds: float) -> None:
    assert writer_time(size, write_rate=200e6, disk_rate=100e6, limit=800e6, background=200e6) == pytest.approx(seconds)


def test_a_writer_slower_than_the_disk_is_never_held() -> None:
    assert writer_time(1e12, write_rate=50e6, disk_rate=100e6, limit=1e6, background=0.0) == 20_000.0


@given(st.floats(1.0, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.0, 1.0))
def test_between_memory_and_disk(size: float, write: float, disk: float, limit: float, share: float) -> None:
    time = writer_time(size, write, disk, limit, share * limit)
    assert size / write * (1 - 1e-12) <= time
    assert time <= max(size / write, share * limit / write + size / disk) * (1 + 1e-9)
    # never may more than the limit be dirty
    written = max(time - share * limit / write, 0.0) * disk
    assert size - written <= limit * (1 + 1e-9) or write <= disk


@given(st.floats(1e6, 1e11), RATES, RATES, st.floats(1e6, 1e10), st.floats(0.0, 1.0))
def test_more_memory_or_a_faster_disk_never_slows(
    size: float, write: float, disk: float, limit: float, share: float
) -> None:
    time = writer_time(size, write, disk, limit, share * limit)
    assert writer_time(size, write, disk * 2, limit, share * limit) <= time * (1 + 1e-9)
    assert writer_time(size, write, disk, limit * 2, share * limit) <= time * (1 + 1e-9)
    assert writer_time(size / 2, write, disk, limit, share * limit) <= time * (1 + 1e-9)
