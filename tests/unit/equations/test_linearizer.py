import math
import random

import pytest

from simbackup.equations.linearizer import Linearizer


def test_kinds_that_share_nothing_are_as_if_each_were_alone() -> None:
    kinds = [(3, 0.5, [(0, 1.0, 1.0, 1.0)]), (2, 0.0, [(1, 0.2, 0.2, 1.0), (2, 0.3, 0.3, 1.0)])]
    alone = [Linearizer([kind], [0.0] * 3, [None] * 3).solved()[0] for kind in kinds]
    assert Linearizer(kinds, [0.0] * 3, [None] * 3).solved() == [
        (pytest.approx(rate), pytest.approx(seconds)) for rate, seconds in alone
    ]


def test_nobody_goes_on_where_others_take_all_of_a_queue() -> None:
    (stopped, seconds), (going, _) = Linearizer(
        [(1, 0.0, [(0, 1.0, 1.0, 1.0)]), (1, 1.0, [(1, 1.0, 1.0, 1.0)])], [1.0, 0.0], [None, None]
    ).solved()
    assert stopped == 0.0
    assert seconds == (math.inf,)
    assert going == pytest.approx(0.5)


def test_each_customer_spends_its_round_somewhere() -> None:
    """Little's law over the round of each of forty kinds, `N = X (Z + sum R)`; no queue serves 2 % more than it can."""
    draw = random.Random(4)  # noqa: S311
    kinds = [
        (
            draw.choice([1, 1, 4, 16]),
            draw.uniform(0.0, 1.0),
            [(q, w := draw.uniform(0.0, 0.1), w, 0.0) for q in range(3)],
        )
        for _ in range(40)
    ]
    found = Linearizer(kinds, [0.0] * 3, [None] * 3).solved()
    for (customers, delay, _), (rate, seconds) in zip(kinds, found, strict=True):
        assert customers == pytest.approx(rate * (delay + sum(seconds)), rel=1e-6)
    for q in range(3):
        assert sum(rate * visits[q][2] for (*_, visits), (rate, _) in zip(kinds, found, strict=True)) <= 1.02
