import math

from hypothesis import given
from hypothesis import strategies as st

from simbackup.planning.stored import Cartridges
from tests.cases import for_each

SESSIONS = st.lists(st.floats(1.0, 50.0), min_size=1, max_size=40)


@given(SESSIONS, st.integers(1, 3), st.booleans(), st.integers(1, 6))
def test_nothing_that_is_kept_is_written_over(sizes: list[float], streams: int, fresh: bool, kept: int) -> None:
    tapes = Cartridges(18.0, streams, fresh)
    for i, size in enumerate(sizes):
        tapes.session([(i, size, 9)])
        tapes.free({i - kept})
        live = sum(sizes[max(i - kept + 1, 0) : i + 1])
        assert sum(cartridge.used for cartridge in tapes.written) >= live * (1 - 1e-9)
        assert tapes.in_use + tapes.empty == tapes.bought
        assert all(cartridge.used <= 18.0 * (1 + 1e-9) for cartridge in tapes.written)
    everything = {name for cartridge in tapes.written for name in cartridge.holds}
    assert everything == set(range(max(len(sizes) - kept, 0), len(sizes)))


@for_each("size", [5.0, 18.0, 20.0, 54.0])
def test_a_rotation_needs_what_one_counts_by_hand(size: float) -> None:
    tapes, weeks = Cartridges(18.0, fresh=True), 6
    for week in range(52):
        tapes.session([(week, size, 9)])
        tapes.free({week - weeks})
    each = math.ceil(size / 18.0)
    assert tapes.in_use == weeks * each
    assert tapes.bought == (weeks + 1) * each  # the new week is written before the oldest is let go
