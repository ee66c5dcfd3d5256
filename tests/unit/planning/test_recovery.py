import pytest

from simbackup.planning.recovery import Restored
from simbackup.planning.restore_interval import bounds


def restored(name: str, back: float, reason: str = "") -> Restored:
    return Restored(name, 1.0, "pool", None, 1, 1.0, 0, 0.0, back, 0.0, reason)


def test_what_waits_for_a_restore_is_as_unsure_as_that_and_no_sooner() -> None:
    """Half an hour that may be far off, and then a minute that is sure; beside them, another lane."""
    restores = [
        restored(name, back)._replace(starts=starts, free=back)
        for name, starts, back in (("after", 1800.0, 1860.0), ("slow", 0.0, 1800.0), ("beside", 0.0, 600.0))
    ]
    own = {"slow": (0.5, 900.0), "after": (0.0, 50.0), "beside": (0.1, 300.0)}
    found = bounds(restores, own.__getitem__)
    assert (found["slow"], found["beside"]) == (pytest.approx(own["slow"]), pytest.approx(own["beside"]))
    assert 0.45 < found["after"].deviation < 0.5
    assert found["after"].least == 950.0
