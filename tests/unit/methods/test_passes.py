"""What of a cartridge is read together."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from simbackup.catalogue import Extent
from simbackup.methods.tape_reader import passes, width

SIZES = st.floats(1e4, 1e9)
PLACES = st.floats(0.0, 1e9)
SPREADS = st.floats(1.0, 8.0)


BYTE_APART = [Extent(0.0, 1e4, "c1", 0.0), Extent(1e4, 1e4, "c1", 1.0)]


@st.composite
def runs(draw: st.DrawFn) -> list[Extent]:
    """Runs of a save set, one behind the other in it, anywhere on a cartridge."""
    found, begin = list[Extent](), 0.0
    for _ in range(draw(st.integers(1, 6))):
        found.append(Extent(begin, draw(SIZES), "c1", draw(PLACES), draw(SPREADS)))
        begin += found[-1].size
    return found


@given(runs(), st.floats(0.5, 4.0))
@example(BYTE_APART, 1.0)
def test_all_that_is_wanted_is_read_once(wanted: list[Extent], compression: float) -> None:
    found = [run for each in passes(wanted, compression) for run in each]
    for run in wanted:
        mine = sorted(r for r in found if run.begin <= r.begin + 1e-6 < run.begin + run.size)
        assert abs(sum(r.size for r in mine) - run.size) <= 1e-9 * run.size + 1e-3 * len(found) + 20.0 * compression


@given(runs(), st.floats(0.5, 4.0))
def test_passes_go_forward_and_over_no_place_twice(wanted: list[Extent], compression: float) -> None:
    found = passes(wanted, compression)
    if len(found) == len(wanted):
        return  # nothing lies interleaved, and the order is that of the save set
    for one, other in pairwise(found):
        assert one[0].position + width(one, compression) <= other[0].position + 20.0
