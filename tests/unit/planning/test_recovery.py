import math
from datetime import UTC, datetime

from simbackup.planning.recovery import Recovery, Restored


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
