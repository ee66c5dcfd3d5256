"""Sessions of a library: which cartridges they go on with."""

from simbackup.planning.cartridges import Cartridges


def test_a_session_goes_on_with_what_is_not_full() -> None:
    """Of two cartridges, the first is full and the second is not: a single save set goes on the second."""
    tapes = Cartridges(10.0, streams=2)
    tapes.session([("a", 10.0, 2)])
    tapes.session([("b", 5.0, 1)])
    tapes.session([("c", 5.0, 1)])
    assert (tapes.in_use, tapes.bought) == (2, 2)


def test_save_sets_that_expire_apart_lie_on_as_few_cartridges_as_they_need() -> None:
    """Two save sets on two drives: when one has expired, its cartridge is empty."""
    tapes = Cartridges(10.0, streams=2, fresh=True)
    tapes.session([("a", 5.0, 1), ("b", 5.0, 1)])
    tapes.free({"a"})
    assert (tapes.in_use, tapes.empty) == (1, 1)
