import math

from hypothesis import given
from hypothesis import strategies as st

from simbackup.planning.declared import Declared
from simbackup.planning.recovery import Restored
from tests.cases import for_each


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
