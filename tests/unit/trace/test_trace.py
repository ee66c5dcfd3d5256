"""What is on record of a run: its lines, activities, columns and levels."""

from __future__ import annotations

import ast
import dataclasses
import json
import math
import pickle
from array import array
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simbackup.palette import PAPER
from simbackup.results.rows import device_rows
from simbackup.trace import columns
from simbackup.trace.activity import WORDS, Activity, Nature
from simbackup.trace.columns import JobRecord, Jobs, Rate, RateBatch, Rates, Span, SpanPart, Spans
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Trace
from tests.cases import for_each, some
from tests.shared import simulated


def full() -> Trace:
    trace = Trace()
    trace.span(0, 0.1 + 0.2, "jobs.full", "devices.sda", "read")
    trace.rate(1, "devices.sda", 0.5, 1 / 3)
    trace.event(2.5, "devices.jukebox", "mount", drive=1, volumes=("A1", "B2"), nested={"b": None, "a": True})
    trace.device("devices.sda", "disk", 3, units=10, bytes_moved=1e300, peak_bytes_per_s=5e-324, seeks=12)
    trace.job({"job": "jobs.full", "elapsed_s": math.inf, "files": 10})
    return trace


def test_round_trip_is_exact() -> None:
    trace = full()
    lines = list(trace.to_lines())
    again = Trace.from_lines(lines)
    assert again == trace
    assert list(again.to_lines()) == lines
    assert again.spans[0].end == 0.30000000000000004
    assert again.devices[0].peak_bytes_per_s == 5e-324


def test_records_are_facts() -> None:
    data = {"files": [1]}
    trace = Trace()
    trace.job(data)
    data["files"].append(2)
    assert trace.jobs[0].data == {"files": [1]}
    trace.rate(0, "links.lan", 0.0, 0.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.rates[0].busy = 1.0  # type: ignore[misc]


def test_a_span_cannot_end_before_it_starts() -> None:
    with pytest.raises(ValueError, match="before its start"):
        Trace().span(2.0, 1.0, "jobs.full", "devices.sda", "read")


def test_data_are_kept_as_they_come_back_from_json() -> None:
    trace = Trace()
    data: dict[str, Any] = {
        "list": (1, 2.5, None),
        "deep": {"a": [True, {"b": ("c",)}]},
        "numbers": {1: "one"},
        "word": Activity.READ,
    }
    trace.event(1.0, "jobs.a", "done", **data)
    assert trace.events[0].data == json.loads(json.dumps(data))
    assert type(trace.events[0].data["word"]) is str
    data["deep"]["a"].append(1)
    assert trace.events[0].data["deep"] == {"a": [True, {"b": ["c"]}]}


# Activities
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


# Columns
NUMBER = st.floats(allow_nan=False)
NAME = st.sampled_from(["devices.sda", "links.lan", "jobs.save.1", ""])


@given(st.lists(st.builds(Rate, NUMBER, NAME, NUMBER, NUMBER)), st.integers(1, 5))
def test_rates_come_back_as_they_were(records: list[Rate], length: int) -> None:
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


@given(st.lists(st.builds(Span, NUMBER, NUMBER, NAME, NAME, NAME, st.lists(
    st.builds(SpanPart, NAME, NAME, NUMBER)).map(tuple))))  # fmt: skip
def test_spans_come_back_as_they_were(records: list[Span]) -> None:
    _same(Spans(records), records)


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


# Levels that links share
LINKS = [f"links.{name}" for name in "abcde"]


def made(seed: int) -> tuple[Trace, list[dict[str, Any]]]:
    """A trace of rates and levels, before, during and after its one job."""
    rng, trace = Random(seed), Trace()  # noqa: S311
    for time in range(12):
        for link in rng.sample(LINKS, rng.randrange(3)):
            trace.rate(time, link, rng.choice([0.0, 0.25]), rng.choice([0.0, 1e6]))
        if rng.random() < 0.6:
            loads = {link: (rng.choice([0.0, 0.1]), rng.choice([0.0, 2.0])) for link in rng.sample(LINKS, 2)}
            trace.shared_level(time, rng.choice(LINKS[:2]), rng.choice([0.0, 1.0, 2.0]), loads)
    for link in LINKS:
        trace.device(link, "network", 100.0, units=1, bytes_moved=1.0, peak_bytes_per_s=1.0)
    begin, end = sorted(rng.sample(range(-1, 13), 2))
    job: dict[str, Any] = {"job": "a", "start": begin + 0.5, "end": end + 0.5, "status": "done", "due": begin}
    job["window"] = rng.choice([None, None, 3.0])
    trace.job(job)
    return trace, [job]


@for_each("seed", some(range(500), 60))
def test_shares_of_devices_are_those_of_the_rates_that_follow_from_levels(seed: int) -> None:
    levels, jobs = made(seed)
    plain, _ = made(seed)
    plain.rates, plain.shared_levels = type(plain.rates)(link_rates(levels)), []
    assert device_rows(levels, jobs) == device_rows(plain, jobs)
