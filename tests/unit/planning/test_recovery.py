"""What a restore comes to: when systems are back, how sure that is, and the times that a site declares."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.uncertainty import SCORE
from simbackup.planning.recovery import Declared, Restored, deviation_of, least_until
from tests.cases import for_each


def restored(name: str, back: float, reason: str = "") -> Restored:
    return Restored(name, 1.0, "pool", None, 1, 1.0, 0, 0.0, back, 0.0, reason)


def test_a_recovery_is_as_unsure_as_its_restores_by_their_time_and_no_sooner_than_they_are() -> None:
    """Half an hour that may be far off, and then a minute that is sure; beside them, another lane."""
    restores = [
        restored(name, back)._replace(starts=starts, free=back)
        for name, starts, back in (("after", 1800.0, 1860.0), ("slow", 0.0, 1800.0), ("beside", 0.0, 600.0))
    ]
    deviations, least = {"slow": 0.5, "after": 0.0, "beside": 0.1}, {"slow": 900.0, "after": 50.0, "beside": 300.0}
    longer = 1800.0 * math.exp(SCORE * 0.5) + 60.0 + 600.0 * math.exp(SCORE * 0.1)
    assert deviation_of(restores, deviations.__getitem__) == pytest.approx(math.log(longer / 2460.0) / SCORE)
    assert deviation_of(restores[1:2], deviations.__getitem__) == pytest.approx(0.5)
    assert least_until(restores, least.__getitem__) == {"slow": 900.0, "after": 950.0, "beside": 300.0}


def one_drive(lengths: list[float]) -> list[Restored]:
    """Restores one after the other."""
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return [
        Restored(f"s{i}", 0.0, "vault", None, 1, 1.0, 1, end - length, end, 0.0, targets=("vault",))
        for i, (end, length) in enumerate(zip(ends, lengths, strict=True))
    ]


@given(st.lists(st.floats(1.0, 100.0), min_size=1, max_size=20), st.floats(0.0, 60.0), st.integers(1, 5))
def test_people_before_one_drive_are_a_line_of_two_stages(lengths: list[float], each: float, people: int) -> None:
    """A system begins when it is prepared and the one before is back: of three people, each prepares every third."""
    timed = Declared(operator=each, people=people).timed(one_drive(lengths))
    free, prepared = 0.0, [0.0] * people
    for i, (length, found) in enumerate(zip(lengths, timed, strict=True)):
        prepared[i % people] += each
        free = max(free, prepared[i % people]) + length
        assert math.isclose(found.back, free, rel_tol=1e-9)
        assert math.isclose(found.back - found.starts, length, rel_tol=1e-6)


@for_each("people, back", [(1, [4.0, 7.0, 10.0, 13.0, 16.0, 19.0]), (2, [4.0, 5.0, 7.0, 8.0, 10.0, 11.0]),
                           (3, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), (6, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0])])  # fmt: skip
def test_people_work_side_by_side(people: int, back: list[float]) -> None:
    """Six systems of 1 h from one drive, each prepared in 3 h: two people have the third ready after 6 h, and three in
    time for the drive, which the fourth then holds up."""
    found = Declared(operator=3.0, people=people).timed(one_drive([1.0] * 6))
    assert [one.back for one in found] == back
