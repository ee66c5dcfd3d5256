import math

from simbackup.planning.cartridges import Cartridges
from tests.cases import for_each


@for_each("size", [5.0, 18.0, 20.0, 54.0])
def test_a_rotation_needs_what_one_counts_by_hand(size: float) -> None:
    tapes, weeks = Cartridges(18.0, fresh=True), 6
    for week in range(52):
        tapes.session([(week, size, 9)])
        tapes.free({week - weeks})
    each = math.ceil(size / 18.0)
    assert tapes.in_use == weeks * each
    assert tapes.bought == (weeks + 1) * each  # the new week is written before the oldest is let go
