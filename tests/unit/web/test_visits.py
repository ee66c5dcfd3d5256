"""Visits: apart from each other, bounded, and gone with their files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from simbackup.web import visits as module
from simbackup.web.comparison import ABSENT, differences, side_by_side
from simbackup.web.visits import MOST_VARIANTS, PASSING, Document, Visit, Visits


@pytest.fixture
def visits() -> Iterator[Visits]:
    made = Visits()
    yield made
    made.close()


def opened(visits: Visits) -> tuple[Visit, str]:
    _, visit = visits.new()
    return visit, visit.opened(Document("a", "title: A\n", visit.folder))


def test_keys_are_long_and_lead_to_one_visit(visits: Visits) -> None:
    keys = [visits.new()[0] for _ in range(5)]
    assert len({*keys}) == 5
    assert all(len(key) >= 43 for key in keys)  # 32 bytes
    assert len({id(visits.of(key)) for key in keys}) == 5
    assert visits.of("") is visits.of(None) is visits.of("x" * 43) is None


def test_the_visit_unused_for_longest_is_forgotten_with_its_files(
    visits: Visits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_VISITS", 3)
    ticks = itertools.count()
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(ticks)))
    made = [visits.new() for _ in range(3)]
    room = made[1][1].room("files")
    visits.of(made[0][0])
    visits.new()
    assert visits.of(made[0][0]) is not None
    assert visits.of(made[1][0]) is None
    assert not room.exists()


def test_variants_that_are_not_kept_give_way(visits: Visits) -> None:
    visit, document = opened(visits)
    first = visit.begun(document, "", "tab")
    visit.keep(first.key, "first")
    for _ in range(10):
        visit.begun(document, "", "tab")
    assert len(visit.variants) == PASSING + 1
    assert first.key in visit.variants
    assert len([*visit.folder.iterdir()]) == PASSING + 1


def test_no_more_than_so_many_are_kept(visits: Visits) -> None:
    visit, document = opened(visits)
    kept = [visit.keep(visit.begun(document, "", "tab").key, "x") for _ in range(MOST_VARIANTS + 1)]
    assert kept == [True] * MOST_VARIANTS + [False]


def test_a_variant_is_named_by_what_differs(visits: Visits) -> None:
    visit, document = opened(visits)
    first, second = visit.begun(document, "", "tab"), visit.begun(document, "", "tab")
    first.values, second.values = {"drives": "2", "window": "8 h"}, {"drives": "4", "window": "8 h"}
    assert (visit.named(first), visit.named(second)) == ("as opened", "drives 4")


def test_variants_side_by_side(visits: Visits) -> None:
    visit, document = opened(visits)
    first, second = visit.begun(document, "", "tab"), visit.begun(document, "", "tab")
    first.figures = {"a": {"text": "2 min", "verdict": "done", "value": 120.0, "range": "1 min to 3 min"}}
    second.figures = {
        "a": {"text": "1 min", "verdict": "late", "value": 60.0},
        "b": {"text": "", "verdict": "failed", "value": None},
    }
    first.values, second.values = {"drives": "2", "window": "8 h"}, {"drives": "4", "window": "8 h"}
    rows = [[cell.text for cell in row] for row in side_by_side([first, second]).rows]
    assert rows == [["a", "2 min; 1 min to 3 min", "1 min (-50.0 %); late"], ["b", ABSENT, "failed"]]
    assert [[cell.text for cell in row] for row in differences([first, second]).rows] == [["drives", "2", "4"]]
