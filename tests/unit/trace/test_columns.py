import errno
import io
import pickle
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.trace import columns
from simbackup.trace.columns import Jobs, RateBatch, Rates, Spans
from simbackup.trace.records import JobRecord, Rate, Span, SpanPart
from tests.shared import simulated

NUMBER = st.floats(allow_nan=False)
NAME = st.sampled_from(["devices.sda", "links.lan", "jobs.save.1", ""])
PLAIN = st.one_of(NUMBER, st.text(), st.integers(), st.booleans(), st.none(), st.lists(NUMBER))
DATA = st.dictionaries(st.text(max_size=3), PLAIN)


@given(st.lists(st.builds(Rate, NUMBER, NAME, NUMBER, NUMBER)), st.integers(1, 5))
def test_rates_in_a_file_come_back_as_they_were(records: list[Rate], length: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BATCH", length)
        rates = Rates(records)
        _same(rates, records)
        assert [len(batch.times) for batch in rates.batches()][:-1] == [length] * (len(records) // length)
        assert rates.end == max((one.time for one in records), default=0.0)
        again = Rates()
        for batch in rates.batches():
            numbers = [again.names.number(rates.names.texts[link]) for link in batch.links]
            again.extend_by(RateBatch(batch.times, array("I", numbers), batch.busy, batch.bytes_per_s))
        _same(again, records)


class _Full(io.BytesIO):
    """A file system that takes no more than so many bytes."""

    def write(self, data: Any, /) -> int:
        if self.tell() > 2 * 28 * 3:
            raise OSError(errno.ENOSPC, "no space left")
        return super().write(data)


def test_rates_stay_in_memory_if_the_file_takes_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BATCH", 3)
    monkeypatch.setattr(columns, "TemporaryFile", lambda **_: _Full())
    for number in (20, 21):
        records = [Rate(float(i), f"links.{i % 4}", 0.5, float(i)) for i in range(number)]
        rates = Rates(records)
        _same(rates, records)
        with monkeypatch.context() as patch:
            patch.setattr(columns, "TemporaryFile", lambda **_: io.BytesIO())
            assert list(rates.batches()) == list(Rates(records).batches())  # so that a saved result has the same bytes


@given(st.lists(st.builds(Span, NUMBER, NUMBER, NAME, NAME, NAME, st.lists(
    st.builds(SpanPart, NAME, NAME, NUMBER)).map(tuple))))  # fmt: skip
def test_spans_come_back_as_they_were(records: list[Span]) -> None:
    _same(Spans(records), records)


@given(st.lists(st.builds(JobRecord, DATA)))
def test_jobs_come_back_as_they_were(records: list[JobRecord]) -> None:
    _same(Jobs(records), records)


def _same(columns: Any, records: list[Any]) -> None:
    assert list(columns) == records
    assert [repr(one) for one in columns] == [repr(one) for one in records]  # -0.0 and types, too
    assert [columns[i] for i in range(-len(records), len(records))] == [*records, *records]
    assert columns[1:] == records[1:]
    assert columns[::-2] == records[::-2]
    assert columns == records
    assert pickle.loads(pickle.dumps(columns)) == records  # noqa: S301 (as worker processes send them)
    if records:
        assert columns != records[1:]
    with pytest.raises(IndexError):
        columns[len(records)]


def test_a_column_of_jobs_with_different_keys() -> None:
    rows: list[dict[str, Any]] = [{"a": 1.0, "b": "x", "end": 2.0}, {"end": 3, "c": None}, {"end": 4.0, "a": 5.0}]
    assert list(Jobs(map(JobRecord, rows)).column("end")) == [2.0, 3, 4.0]
    with pytest.raises(KeyError, match="gone"):
        Jobs(map(JobRecord, rows)).column("gone")


def test_what_a_run_keeps_of_jobs_that_have_ended() -> None:
    """Columns hold the records of a run: no object for each."""
    trace = simulated("published/003-lvm-snapshots/same-disk").trace
    assert type(trace.rates) is Rates
    assert type(trace.spans) is Spans
    assert type(trace.jobs) is Jobs
