import math
from datetime import UTC, datetime

import pytest

from simbackup.planning.recovery import Recovery, Restored
from simbackup.planning.restore_interval import Bounds, bounds_of


def restored(name: str, back: float, reason: str = "") -> Restored:
    return Restored(name, 1.0, "pool", None, 1, 1.0, 0, 0.0, back, 0.0, reason)


def test_a_restore_that_fails_early_counts_as_the_last() -> None:
    """Of four systems, one fails after a second: half are back with the second of the others, and never all."""
    found = Recovery("site", datetime(2027, 1, 4, tzinfo=UTC), "", (
        restored("slow", 30.0), restored("fails", 1.0, "no drive"), restored("first", 10.0), restored("second", 20.0),
    ))  # fmt: skip
    assert [found.until(share) for share in (0.5, 0.75, 0.9, 1.0)] == [20.0, 30.0, math.inf, math.inf]
    assert {name: one.system for name, one in found.returns.items() if "%" in name} == {
        "50%": "second", "90%": "fails", "100%": "fails",
    }  # fmt: skip
    assert found.returns["slow"].back == 30.0


def test_what_waits_for_a_restore_is_as_unsure_as_that_and_no_sooner() -> None:
    """Half an hour that may be far off, and then a minute that is sure; beside them, another lane."""
    slow, after, beside = (
        restored(name, back)._replace(starts=starts, free=back)
        for name, starts, back in (("slow", 0.0, 1800.0), ("after", 1800.0, 1860.0), ("beside", 0.0, 600.0))
    )
    own = {"slow": Bounds(0.5, 900.0), "after": Bounds(0.0, 50.0), "beside": Bounds(0.1, 300.0)}
    found = bounds_of([after, slow, beside], own.__getitem__)
    assert found["slow"] == (pytest.approx(0.5), 900.0)
    assert found["beside"] == (pytest.approx(0.1), 300.0)
    assert 0.45 < found["after"].deviation < 0.5
    assert found["after"].least == 950.0
