"""Guests: apart from each other, bounded, and gone with their files."""

import itertools
from collections.abc import Iterator

import pytest

from simbackup.web import guests as module
from simbackup.web.cards import ABSENT, charts, differences, side_by_side
from simbackup.web.guests import MOST_DOCUMENTS, MOST_RUNNING, MOST_VARIANTS, PASSING, Guest, Guests, RefusedError


@pytest.fixture
def guests() -> Iterator[Guests]:
    made = Guests()
    yield made
    made.close()


def opened(guests: Guests) -> tuple[Guest, str]:
    _, guest = guests.new()
    return guest, guest.opened(guest.folder)


def test_keys_are_long_and_lead_to_one_guest(guests: Guests) -> None:
    keys = [guests.new()[0] for _ in range(5)]
    assert len({*keys}) == 5
    assert all(len(key) >= 43 for key in keys)  # 32 bytes
    assert len({id(guests.of(key)) for key in keys}) == 5
    assert guests.of("") is guests.of(None) is guests.of("x" * 43) is None


def test_the_visit_unused_for_longest_is_forgotten_with_its_files(
    guests: Guests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_GUESTS", 3)
    ticks = itertools.count()
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(ticks)))
    made = [guests.new() for _ in range(3)]
    room = made[1][1].room("files")
    guests.of(made[0][0])
    guests.new()
    assert guests.of(made[0][0]) is not None
    assert guests.of(made[1][0]) is None
    assert not room.exists()


def test_variants_that_are_not_kept_give_way(guests: Guests) -> None:
    guest, document = opened(guests)
    first = guest.begun(document, "tab")
    guest.keep(first.key, "first")
    for _ in range(10):
        guest.begun(document, "tab")
    assert len(guest.variants) == PASSING + 1
    assert first.key in guest.variants
    assert len([*guest.folder.iterdir()]) == PASSING + 1


def test_a_run_under_way_keeps_its_files_whatever_other_tabs_do(guests: Guests) -> None:
    guest, document = opened(guests)
    slow = guest.begun(document, "slow")
    for _ in range(PASSING + 2):
        guest.begun(document, "busy")
    assert slow.folder.exists()
    guest.ended(slow, "slow")
    for _ in range(PASSING):
        guest.begun(document, "busy")
    assert not slow.folder.exists()


def test_somebody_waits_for_the_newest_run_of_a_tab_and_for_kept_ones(guests: Guests) -> None:
    guest, document = opened(guests)
    first, second = guest.begun(document, "tab"), guest.begun(document, "tab")
    assert (guest.waits_for(first, "tab"), guest.waits_for(second, "tab")) == (False, True)
    guest.keep(first.key, "first")
    assert guest.waits_for(first, "tab")
    guest.drop(first.key)
    guest.drop(second.key)
    assert not guest.waits_for(first, "tab")
    assert not guest.waits_for(second, "tab")


def test_only_so_many_tabs_run_at_once(guests: Guests) -> None:
    guest, document = opened(guests)
    runs = [guest.begun(document, f"tab {i}") for i in range(MOST_RUNNING)]
    with pytest.raises(RefusedError, match="tabs of this browser are busy"):
        guest.begun(document, "one more")
    guest.ended(runs[0], "tab 1")  # a newer run of that tab
    assert guest.begun(document, "tab 1").key == guest.running["tab 1"]
    guest.ended(runs[0], "tab 0")
    guest.begun(document, "one more")


def test_uploads_are_removed_with_the_document_that_gives_way(guests: Guests) -> None:
    _, guest = guests.new()
    rooms = [guest.room("files") for _ in range(MOST_DOCUMENTS + 1)]
    for room in rooms:
        guest.opened(room)
    assert [room.exists() for room in rooms] == [False] + [True] * MOST_DOCUMENTS


def test_no_more_than_so_many_are_kept(guests: Guests) -> None:
    guest, document = opened(guests)
    kept = [guest.keep(guest.begun(document, "tab").key, "x") for _ in range(MOST_VARIANTS + 1)]
    assert kept == [True] * MOST_VARIANTS + [False]
    assert guest.keep(guest.kept[0].key, "another name")


def test_a_variant_is_named_by_what_differs(guests: Guests) -> None:
    guest, document = opened(guests)
    first, second = guest.begun(document, "tab"), guest.begun(document, "tab")
    first.values, second.values = {"drives": "2", "window": "8 h"}, {"drives": "4", "window": "8 h"}
    assert (guest.named(first), guest.named(second)) == ("as opened", "drives 4")
    guest.drop(first.key)
    assert guest.named(second) == "drives 4"


def test_variants_side_by_side(guests: Guests) -> None:
    guest, document = opened(guests)
    first, second = guest.begun(document, "tab"), guest.begun(document, "tab")
    first.figures = {"a": {"text": "2 min", "verdict": "done", "value": 120.0, "range": "1 min to 3 min"}}
    second.figures = {
        "a": {"text": "1 min", "verdict": "late", "value": 60.0},
        "b": {"text": "", "verdict": "failed", "value": None},
    }
    first.figures["windows"] = {"text": "to the end", "verdict": "fits", "value": None, "range": "5 h to 9 h"}
    second.figures["windows"] = {"text": "to the end", "verdict": "fits", "value": None, "range": ""}
    first.values, second.values = {"drives": "2", "window": "8 h"}, {"drives": "4", "window": "8 h"}
    rows = [[cell.text for cell in row] for row in side_by_side([first, second]).rows]
    assert rows == [
        ["a", "2 min; 1 min to 3 min", "1 min (-50.0 %); late"],
        ["windows", "to the end; 5 h to 9 h; fits", "to the end; fits"],
        ["b", ABSENT, "failed"],
    ]
    assert [[cell.text for cell in row] for row in differences([first, second]).rows] == [["drives", "2", "4"]]


def test_bars_of_variants_have_one_scale(guests: Guests) -> None:
    guest, document = opened(guests)
    first, second = guest.begun(document, "tab"), guest.begun(document, "tab")
    first.name = second.name = "of one name"
    first.figures = {
        "a": {"text": "2 min", "verdict": "done", "value": 120.0, "low": 60.0, "high": 200.0, "range": "r"}
    }
    second.figures = {"a": {"text": "1 min", "verdict": "done", "value": 60.0}, "b": {"text": "", "value": None}}
    first.figures["b"] = {"text": "1 min", "verdict": "done", "value": 60.0}
    found = charts([first, second])
    assert [(name, [bar.text for bar in bars]) for name, bars in found.items()] == [("a", ["2 min; r", "1 min"])]
    one, two = (bar.strip for bar in found["a"])
    assert (one.best, one.high, two.best) == pytest.approx((2.0 * two.best, one.best / 0.6, 60.0 / 2.1), abs=0.01)
