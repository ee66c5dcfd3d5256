import json
import math
from collections import defaultdict
from typing import Any

import pytest

from simbackup.results.chrome_trace import chrome_trace, text
from simbackup.results.record import Record
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.trace.trace import Trace
from tests.shared import ROOT, RUNNABLE, each_scenario, simulated

GOLDEN = ROOT / "tests" / "golden" / "two-tapes.yaml"
NEEDED = {
    "M": {"args"}, "X": {"dur", "args"}, "i": {"s"}, "C": {"args"},
}  # fmt: skip
METADATA = {"process_name", "process_sort_index", "thread_name", "thread_sort_index"}


def made_of(trace: Trace) -> Result:
    return Result(Record("x", "x", "0", 0, None, [], "0"), [], trace)


def test_the_mark_of_a_note_is_no_argument() -> None:
    trace = Trace()
    trace.note(90.0, "devices.cow", "is full", chunks=3)
    assert [event["args"] for event in of_phase(chrome_trace(made_of(trace)), "i")] == [{"chunks": 3}]


def ended(trace: Trace, job: str, start: float, end: float) -> None:
    trace.job({"job": job, "method": "copy", "start": start, "end": end, "elapsed": end - start, "bytes": 1.0})


def of_phase(trace: dict[str, Any], phase: str) -> list[dict[str, Any]]:
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def obeys(trace: dict[str, Any]) -> None:
    """Assert what the Trace Event Format asks for."""
    events = json.loads(text(trace))["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    tracks: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    counters: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        assert {"name", "ph", "pid", "tid", "ts"} | NEEDED[event["ph"]] <= event.keys(), event
        assert math.isfinite(event["ts"])
        assert event["ts"] >= 0
        assert event["ph"] in {"M", "C"} or (event["pid"], event["tid"]) in named, event
        if event["ph"] == "M":
            assert event["name"] in METADATA
        elif event["ph"] == "X":
            assert event["dur"] >= 0
            tracks[event["pid"], event["tid"]].append(event)
        elif event["ph"] == "C":
            assert all(math.isfinite(value) and value >= 0 for value in event["args"].values()), event
            counters[event["pid"], event["name"]].append(event)
    for track in tracks.values():
        nests(track)
    for counter in counters.values():
        times = [event["ts"] for event in counter]
        assert times == sorted(set(times))
    assert [e["ts"] for e in events if e["ph"] != "M"] == sorted(e["ts"] for e in events if e["ph"] != "M")


def nests(track: list[dict[str, Any]]) -> None:
    """Assert that no complete event of a track begins inside another and ends outside it."""
    open_ends: list[int] = []
    for event in track:
        while open_ends and open_ends[-1] <= event["ts"] and event["dur"] > 0:
            open_ends.pop()
        assert not open_ends or event["ts"] + event["dur"] <= open_ends[-1], event
        open_ends.append(event["ts"] + event["dur"])


def inside(part: dict[str, Any], run: dict[str, Any]) -> bool:
    return run["ts"] <= part["ts"] and part["ts"] + part["dur"] <= run["ts"] + run["dur"]


def covered(parts: list[dict[str, Any]]) -> int:
    """Microseconds that at least one of the events covers."""
    total, reached = 0, -1
    for part in sorted(parts, key=lambda event: event["ts"]):
        total += max(0, part["ts"] + part["dur"] - max(part["ts"], reached))
        reached = max(reached, part["ts"] + part["dur"])
    return total


@each_scenario(RUNNABLE)
def test_every_scenario_gives_a_trace_whose_durations_sum_up(name: str) -> None:
    result = simulated(name)
    trace = result.chrome_trace()
    obeys(trace)
    complete = of_phase(trace, "X")
    runs = [event for event in complete if event["cat"] == "job"]
    elapsed = {row["job"]: row["elapsed"] for row in result.job_rows}
    assert {run["name"] for run in runs} == elapsed.keys()
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in of_phase(trace, "M") if e["name"] == "thread_name"}
    for run in runs:
        assert run["dur"] == pytest.approx(elapsed[run["name"]] * 1e6, abs=1.0)
        job = run["name"].split(".")[0]
        own = {track for track, thread in threads.items() if track[0] == 1 and thread.split(" ")[0] == job}
        parts = [e for e in complete if e["cat"] == "activity" and (e["pid"], e["tid"]) in own and inside(e, run)]
        assert covered(parts) == run["dur"]
        if len({event["tid"] for event in parts}) == 1:
            assert sum(event["dur"] for event in parts) == run["dur"]


def test_what_happens_to_a_job_is_on_its_track_and_what_happens_to_a_device_on_that_of_the_device() -> None:
    trace = Trace()
    ended(trace, "a.2", 0.0, 3.0)
    trace.event(1.0, "jobs.a.2", "is tried again")
    trace.event(2.0, "devices.d", "is full")
    shown = chrome_trace(made_of(trace))
    obeys(shown)
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in of_phase(shown, "M") if e["name"] == "thread_name"}
    at = {e["name"]: (e["pid"], names[e["pid"], e["tid"]]) for e in of_phase(shown, "i")}
    assert at == {"is tried again": (1, "a"), "is full": (2, "devices.d")}


def test_parallel_streams_of_a_job_lie_on_tracks_of_their_own() -> None:
    trace = simulated("teaching/mount-queue").chrome_trace()
    names = {e["args"]["name"] for e in of_phase(trace, "M") if e["name"] == "thread_name"}
    assert {"full", "full (2)", "full (8)"} <= names
    assert "full (9)" not in names


def test_drives_and_robots_show_what_they_do_but_not_who_waits() -> None:
    trace = simulate(GOLDEN).chrome_trace()
    threads = {e["args"]["name"]: e["tid"] for e in of_phase(trace, "M") if e["name"] == "thread_name"}
    robot = [e for e in of_phase(trace, "X") if e["tid"] == threads["devices.jukebox.robot"]]
    assert {event["name"] for event in robot} == {"mount", "dismount"}
    drive = [e for e in of_phase(trace, "X") if e["tid"] == threads["devices.jukebox.drive.2"]]
    assert {event["name"] for event in drive} == {"load", "transfer", "rewind", "unload", "locate"}


def test_what_goes_on_behind_the_end_of_its_job_has_a_track_of_its_own() -> None:
    trace = Trace()
    ended(trace, "a", 0.0, 2.0)
    trace.span(0.0, 2.0, "jobs.a", "devices.d", "write")
    trace.span(1.0, 4.0, "jobs.a", "devices.d", "write-back")
    shown = chrome_trace(made_of(trace))
    obeys(shown)
    jobs = [e["args"]["name"] for e in of_phase(shown, "M") if e["name"] == "thread_name" and e["pid"] == 1]
    assert jobs == ["a", "a, after its end"]
