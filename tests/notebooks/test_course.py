"""Predictions are compared, and exercises are checked with a hint."""

import sys
from pathlib import Path

import pytest

import simbackup as sb

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))  # where those who read the notebooks run them

from course import Prediction, check, predict
from exercises import EXERCISES, Exercise


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_the_right_answer_is_accepted_and_a_wrong_one_gets_a_hint(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exercise = EXERCISES[name]
    truth = exercise.truth(sb)
    check(name, truth)
    assert capsys.readouterr().out == f"exercise {name}: right\n"
    check(name, "links.nowhere" if isinstance(truth, str) else 1.5 * truth)
    assert capsys.readouterr().out == f"exercise {name}: not yet. {exercise.hint}\n"


def test_an_exercise_that_nobody_has_answered_asks_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    check("00.1", ...)
    assert capsys.readouterr().out == "exercise 00.1: write your answer in the place of the three dots\n"


@pytest.mark.parametrize(
    ("simulated", "said"), [(8.0, "too low by a factor of 4"), (1.0, "too high by a factor of 2"), (2.2, "near")]
)
def test_a_prediction_is_compared(simulated: float, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    predict(2, "min").compare(simulated)
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["your prediction: 2 min", f"predicted 2 min, simulated {simulated:g} min: {said}"]
    assert Prediction(2, "min") == Prediction(2, "min")


def test_words_have_to_be_the_words() -> None:
    word = Exercise(lambda _: "links.lan", "")
    assert word.accepts(" links.lan", "links.lan")
    assert not word.accepts(3.0, "links.lan")
