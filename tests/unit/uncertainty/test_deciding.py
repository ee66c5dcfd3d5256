"""The inputs that decide are found among many, with few runs, also where others work against them."""

import math
from collections.abc import Mapping, Sequence

from simbackup.equations.uncertainty import CentralInterval
from simbackup.randomness import generator
from simbackup.uncertainty.deciding import deciding, leaning
from simbackup.uncertainty.sampling import Case

COUNT = 40
INTERVAL = {"elapsed": CentralInterval(100.0, 50.0, 200.0)}


class Model:
    """A time that some inputs move by a factor for each standard deviation; counts how often it is asked."""

    def __init__(self, effects: Mapping[int, float]) -> None:
        self.effects, self.runs = effects, 0

    def __call__(self, cases: Sequence[Case]) -> list[dict[str, float]]:
        self.runs += len(cases)
        return [{"elapsed": 100.0 * math.exp(sum(case[i] * e for i, e in self.effects.items()))} for case in cases]


def sample(count: int) -> list[Case]:
    """Cases in which each input takes each of its parts once, in a random order of its own."""
    drawn = generator(0, "a test")
    columns: list[list[int]] = [drawn.permutation(count).tolist() for _ in range(COUNT)]
    return [tuple((column[row] - (count - 1) / 2.0) / count * 4.0 for column in columns) for row in range(count)]


def found(model: Model, most: int | None, count: int = 16) -> dict[int, tuple[float, float]]:
    cases = sample(count)
    lean = leaning(["elapsed"], cases, model(cases))
    model.runs = 0
    return {i: (ends.low["elapsed"], ends.high["elapsed"]) for i, ends in deciding(INTERVAL, lean, most, model).items()}


def test_what_does_not_move_anything_costs_two_runs_a_group() -> None:
    model = Model({})
    assert all(low == high == 100.0 for low, high in found(model, 20).values())
    assert model.runs == 2 * 6
