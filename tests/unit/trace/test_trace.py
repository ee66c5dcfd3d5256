import dataclasses
import json
import math
from typing import Any

import pytest

from simbackup.trace.activity import Activity
from simbackup.trace.trace import Trace


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


def test_one_record_a_line_with_sorted_keys() -> None:
    lines = list(full().to_lines())
    assert len(lines) == 5
    for line in lines:
        row = json.loads(line)
        assert line == json.dumps(row, sort_keys=True, separators=(",", ":"))
        assert "\n" not in line


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


def test_traces_differ_when_a_record_does() -> None:
    other = full()
    other.rate(9, "devices.sda", 0.0, 0.0)
    assert other != full()


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
