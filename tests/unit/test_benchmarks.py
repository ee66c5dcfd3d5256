from __future__ import annotations

from benchmarks.rows import TIMEOUT, Row, sentence


def test_a_row_says_what_the_peer_costs_and_how_many_times_that_is() -> None:
    assert sentence(Row("points", "40", "two processes", "one process", 1.6, 500.0, "run", 3)).split(None, 1)[1] == (
        "two processes: 500.0 us a run; one process: 800.00 us, 1.60 times as much"
    )
    assert sentence(Row("fleet", "night_25", "program", TIMEOUT, 0.002, 500.0, "job", 3)).split(None, 1)[1] == (
        "program: 500.0 us a job; timeout of bare SimPy: 1.00 us, 500 times less"
    )
