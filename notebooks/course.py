"""What the notebooks use to ask: predictions that are compared with the simulation, and exercises that are checked."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType

import simbackup as sb
from exercises import EXERCISES

Answer = float | str
NEAR = 1.25
"""A prediction within this factor is near."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What somebody expects, before anything has been run."""

    value: float
    unit: str

    def compare(self, simulated: float) -> None:
        """Print how far the prediction is from what was simulated, both in the unit of the prediction.

        >>> Prediction(2.0, "min").compare(8.0)
        predicted 2 min, simulated 8 min: too low by a factor of 4
        """
        shown = f"predicted {self.value:.4g} {self.unit}, simulated {simulated:.4g} {self.unit}"
        factor = max(self.value, simulated) / max(min(self.value, simulated), 1e-300)
        side = "low" if self.value < simulated else "high"
        print(f"{shown}: {'near' if factor <= NEAR else f'too {side} by a factor of {factor:.2g}'}")


def predict(value: float, unit: str) -> Prediction:
    """Write down what you expect; the number in the notebook is only somebody's first guess.

    >>> guess = predict(5, "times as long")
    your prediction: 5 times as long
    """
    print(f"your prediction: {value:.4g} {unit}")
    return Prediction(value, unit)


def check(name: str, answer: Answer | EllipsisType) -> None:
    """Say whether the answer to an exercise is right, and give a hint if not.

    A number is right when it is near enough, as the exercise has it; a word has to be the word.

    >>> check("00.1", ...)
    exercise 00.1: write your answer in the place of the three dots
    """
    exercise = EXERCISES[name]
    if isinstance(answer, EllipsisType):
        said = "write your answer in the place of the three dots"
    else:
        said = "right" if exercise.accepts(answer, exercise.truth(sb)) else f"not yet. {exercise.hint}"
    print(f"exercise {name}: {said}")
