import pytest

from benchmarks import frozen
from benchmarks.rows import TIMEOUT, Row, sentence


def test_a_row_says_what_the_peer_costs_and_how_many_times_that_is() -> None:
    assert sentence(Row("points", "40", "two processes", "one process", 1.6, 500.0, "run", 3)).split(None, 1)[1] == (
        "two processes: 500.0 us a run; one process: 800.00 us, 1.60 times as much"
    )
    assert sentence(Row("fleet", "night_25", "program", TIMEOUT, 0.002, 500.0, "job", 3)).split(None, 1)[1] == (
        "program: 500.0 us a job; timeout of bare SimPy: 1.00 us, 500 times less"
    )


@pytest.mark.parametrize("case", ["teaching/one-file-from-tape", "random/7"])
def test_what_is_frozen_is_what_a_simulation_gives(case: str) -> None:
    on_file = {key: one for key, one in frozen.kept().items() if key[0] == case}
    assert list(frozen.moved(on_file, {(one.case, one.part): one for one in frozen.frozen(case)})) == []


def test_what_moved_is_named_with_both_values() -> None:
    before = frozen.Frozen("case", "job", (10.0).hex(), (5.0).hex(), "a")
    now = before._replace(elapsed=(11.0).hex())
    key = ("case", "job")
    assert list(frozen.moved({key: before}, {key: now})) == ["case job: elapsed 10 to 11, bytes 5"]
    assert list(frozen.moved({key: before}, {key: before._replace(digest="b")})) == [
        "case job: the causes of its time moved"
    ]
    assert list(frozen.moved({key: before}, {})) == ["case job: is gone"]
