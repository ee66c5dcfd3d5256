"""The words of activities, their natures and their colours."""

import ast
from pathlib import Path

import pytest

from simbackup.palette import PAPER
from simbackup.trace.activity import OTHERS, WORDS, Activity, Nature, colour_of, nature_of, queue_of
from tests.cases import for_each

ROOT = Path(__file__).parents[3] / "simbackup"
LIVE = sorted(p for room in ("devices", "methods") for p in (ROOT / room).rglob("*.py") if p.name != "spec.py")


def test_who_stands_in_a_line_waits() -> None:
    lines = {activity: activity.queue for activity in Activity if activity.queue}
    assert {activity.nature for activity in lines} == {Nature.WAITING}
    assert {activity.colour for activity in lines} == {PAPER}
    assert set(lines.values()) == {
        "wait for a drive",
        "wait for a cartridge",
        "mount queue",
        "wait for room",
        "job queue",
    }


@pytest.mark.parametrize("word", ["wait for a courier", "courier queue"])
def test_an_activity_of_another_package_waits_if_its_word_says_so(word: str) -> None:
    assert (nature_of(word), colour_of(word), queue_of(word)) == (Nature.WAITING, PAPER, word)


def test_any_other_word_has_a_colour_of_its_own() -> None:
    assert nature_of("deduplicate") is Nature.MOVING
    assert colour_of("deduplicate") in OTHERS


@pytest.mark.slow
@for_each("path", LIVE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_live_code_writes_no_activity_as_text(path: Path) -> None:
    """In calls that record time, an activity is a member."""
    found = [
        call.lineno
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        and call.func.attr in {"span", "start", "after", "write_through"}
        for argument in call.args
        if isinstance(argument, ast.Constant) and argument.value in WORDS
    ]  # fmt: skip
    assert found == []
