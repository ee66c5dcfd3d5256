import inspect
from pathlib import Path

import pytest

from tests.cases import Extent, examples, for_each, grid, some
from tests.shared import RUNNABLE, covering, loaded


def test_all_cases_are_tried_and_those_that_fail_are_listed() -> None:
    tried: list[tuple[int, str]] = []

    @for_each("number", [1, 2])
    @for_each("word, length", [("a", 1), pytest.param("bb", 2, id="two letters")])
    def check(number: int, word: str, length: int) -> None:
        tried.append((number, word))
        assert length == number
        if number == 2:
            raise ValueError(word)

    with pytest.raises(AssertionError) as failed:
        check()
    assert tried == [(1, "a"), (1, "bb"), (2, "a"), (2, "bb")]
    first, *others = str(failed.value).splitlines()
    assert first == "3 of 4 cases failed:"
    assert [line.split(" (line")[0] for line in others if "(line" in line] == [
        "  1, two letters", "  2, a, 1", "  2, two letters",
    ]  # fmt: skip
    assert "ValueError: bb" in others[-1]
    assert isinstance(failed.value.__cause__, AssertionError)


def test_fixtures_are_asked_for_and_each_case_has_a_folder(tmp_path: Path) -> None:
    @for_each("name", ["a", "b"])
    def check(name: str, tmp_path: Path, other: int) -> None:
        assert other == 7
        (tmp_path / "same").mkdir()
        del name

    assert [*inspect.signature(check).parameters] == ["tmp_path", "other"]
    check(tmp_path=tmp_path, other=7)
    assert len(list(tmp_path.rglob("same"))) == 2


def test_a_family_without_members_fails() -> None:
    @for_each("name", [])
    def check(name: str) -> None:
        del name

    with pytest.raises(AssertionError):
        check()


def test_a_choice_has_every_value_and_everything_all_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    values = ([1, 2, 3, 4], "ab", [True, False])
    monkeypatch.setattr(Extent, "everything", False)
    found = grid(*values)
    assert len(found) == len(set(found)) < 16
    assert all({case[i] for case in found} == set(every) for i, every in enumerate(values))
    assert (some(range(9), 2), examples(7).max_examples) == ([0, 1], 7)
    monkeypatch.setattr(Extent, "everything", True)
    assert len(grid(*values)) == 16
    assert (some(range(9), 2), examples(7).max_examples) == ([*range(9)], 70)


@pytest.mark.slow
def test_few_scenarios_have_every_method() -> None:
    methods = {type(job) for name in RUNNABLE for job in loaded(name).spec.jobs.values()}
    assert {type(job) for name in covering() for job in loaded(name).spec.jobs.values()} == methods
    assert len(covering()) < len(RUNNABLE) / 3
