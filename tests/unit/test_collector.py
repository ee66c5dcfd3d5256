"""Objects that a program which uses the package has frozen stay so."""

import gc

from simbackup.collector import seldom


def test_what_somebody_else_froze_stays_frozen() -> None:
    before = gc.get_freeze_count()
    with seldom(kept=True):
        pass
    assert gc.get_freeze_count() == before
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with seldom(kept=True):
            pass
        assert 0 < gc.get_freeze_count() <= frozen  # some of what was frozen may be gone, but nothing was set free
    finally:
        gc.unfreeze()
