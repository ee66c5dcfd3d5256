import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.equations.change import DAY, YEAR, Change, differs, gap, grown, hits_a_day, touched
from tests.cases import for_each

SHARES = st.floats(0.01, 0.99)


@for_each("hot_data, hot_changes", [(1.0, 1.0), (0.2, 0.8), (0.1, 0.9), (0.05, 0.95)])
@for_each("hits", [0.05, 0.5, 3.0])
def test_places_that_changes_hit_one_by_one(hits: float, hot_data: float, hot_changes: float) -> None:
    places, draw, hit = 60_000, random.Random(7), set[int]()  # noqa: S311
    hot = int(hot_data * places)
    for _ in range(int(hits * places)):
        goes_hot = hot == places or draw.random() < hot_changes
        hit.add(draw.randrange(hot) if goes_hot else draw.randrange(hot, places))
    assert touched(hits, hot_data, hot_changes) == pytest.approx(len(hit) / places, rel=0.02)


@given(SHARES, SHARES, SHARES)
def test_a_day_changes_what_it_is_said_to(daily: float, hot_data: float, hot_changes: float) -> None:
    hits = hits_a_day(daily, hot_data, hot_changes)
    assert touched(hits, hot_data, hot_changes) == pytest.approx(daily, rel=1e-9)


def test_days_one_by_one() -> None:
    """Blocks that are changed, deleted and added day by day, and compared with those of thirty days ago."""
    draw, days, daily, replaced, growth = random.Random(3), 30, 0.03, 0.01, 1.0  # noqa: S311
    before = [0] * 10_000  # 0 is what it was, 1 is different or new
    each = hits_a_day(daily, 1.0, 1.0)
    for day in range(days):
        size = len(before)
        for _ in range(round(each * size)):
            before[draw.randrange(size)] = 1
        for i in range(size):
            if draw.random() < replaced:
                before[i] = 1
        before += [1] * (round(10_000 * grown(growth, (day + 1) * DAY)) - size)
    change = Change(daily=daily, replaced=replaced, growth=growth)
    assert differs(change, days * DAY) == pytest.approx(sum(before) / len(before), rel=0.02)


def test_hot_spots_make_long_times_change_less() -> None:
    even, spots = Change(daily=0.03), Change(daily=0.03, hot_data=0.1, hot_changes=0.9)
    assert differs(even, DAY) == pytest.approx(differs(spots, DAY))
    assert differs(spots, 7 * DAY) < differs(even, 7 * DAY) < 7 * 0.03


def test_what_never_changes_still_grows() -> None:
    assert differs(Change(growth=0.25), YEAR) == pytest.approx(0.2)
    assert differs(Change(), YEAR) == 0.0


@given(SHARES, st.floats(1.0, 1e9))
def test_runs_and_gaps_make_up_the_whole(share: float, run: float) -> None:
    assert run / (run + gap(run, share)) == pytest.approx(share)


@for_each("size, run", [(10_000, 1_000), (1_000, 1_000), (200, 2_000)])
def test_files_in_which_runs_fall_by_chance_are_as_many_as_the_law_says(size: int, run: int) -> None:
    """Runs that begin anywhere in 20 MB until 2 % of it has changed, and the files in which one byte has."""
    draw, whole = np.random.default_rng(7), 20_000_000
    marks = np.zeros(whole + 1, dtype=np.int32)
    starts = draw.integers(0, whole, round(-np.log(0.98) * whole / run))
    np.add.at(marks, starts, 1)
    np.add.at(marks, np.minimum(starts + run, whole), -1)
    changed = np.cumsum(marks[:-1]) > 0
    files = changed.reshape(-1, size).any(axis=1).mean()
    law = differs(Change(daily=float(changed.mean()), places=1.0 + size / run), DAY)
    assert law == pytest.approx(files, rel=0.1)
