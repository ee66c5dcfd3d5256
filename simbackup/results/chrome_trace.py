"""The trace of a run in the Trace Event Format, which Perfetto and chrome://tracing open.

Times are whole microseconds, the unit of the format, so that consecutive steps leave no gap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.output.target import TRACE, check_file
from simbackup.output.whole import write_whole
from simbackup.results.rows import whole
from simbackup.trace.activity import queue_of
from simbackup.trace.levels import link_rates
from simbackup.trace.trace import Event, Span, Trace

if TYPE_CHECKING:
    from simbackup.results.result import Result


class LaneBar(NamedTuple):
    """A stretch of time in whole microseconds, and what it is shown with."""

    start: int
    end: int
    name: str
    cause: str
    job: str


def lanes(stretches: Sequence[LaneBar]) -> list[list[LaneBar]]:
    """The stretches on as few lanes as can be, each lane in order of time and without overlap.

    A stretch goes on the free lane that ended last, preferably one of its own cause, so that the steps of one of
    several parallel streams stay together.

    >>> a, b, c = (LaneBar(*times, "read", "disk", "job") for times in ((0, 4), (0, 2), (2, 4)))
    >>> [len(lane) for lane in lanes([a, b, c])]
    [1, 2]
    """
    found: list[list[LaneBar]] = []
    for stretch in sorted(stretches, key=lambda s: (s.start, -s.end)):
        free = [lane for lane in found if lane[-1].end <= stretch.start]
        if free:
            best = max(free, key=lambda lane: (lane[-1].cause == stretch.cause, lane[-1].end))
            best.append(stretch)
        else:
            found.append([stretch])
    return found


PROCESSES = {"jobs": 1, "devices": 2}
"""The groups of tracks, with the numbers that the format needs."""
CATEGORIES = {"jobs": "activity", "devices": "device"}
METADATA = "__metadata"


class Track(NamedTuple):
    """One track: its process and its number there."""

    process: int
    thread: int


def microseconds(seconds: float) -> int:
    """Whole microseconds of a time in seconds."""
    return round(seconds * 1e6)


@dataclass(slots=True)
class _Tracks:
    """Tracks by their process and name, numbered in the order in which they are asked for."""

    known: dict[tuple[str, str], Track] = field(default_factory=dict[tuple[str, str], Track])

    def at(self, process: str, name: str) -> Track:
        """The track of a name."""
        number = len(self.known) + 1
        return self.known.setdefault((process, name), Track(PROCESSES[process], number))

    def metadata(self) -> Iterator[dict[str, Any]]:
        """The names of the processes and tracks, and their order."""
        for name, process in PROCESSES.items():
            yield _named("process_name", Track(process, 0), name=name)
            yield _named("process_sort_index", Track(process, 0), sort_index=process)
        for (_, name), track in self.known.items():
            yield _named("thread_name", track, name=name)
            yield _named("thread_sort_index", track, sort_index=track.thread)


def _named(what: str, track: Track, **args: Any) -> dict[str, Any]:
    return {
        "ph": "M", "cat": METADATA, "name": what, "pid": track.process, "tid": track.thread, "ts": 0, "args": args,
    }  # fmt: skip


def chrome_trace(result: Result) -> dict[str, Any]:
    """The trace of a result as plain data in the Trace Event Format, times in microseconds.

    Processes are the jobs, and the devices: hosts, disks, drives, robots, links, and users. Each run of a job is one
    complete event that contains its steps; steps that overlap are on further tracks of the same job.
    Counters give the busy share and the bytes per second of each link, and the length of each queue.

    >>> from simbackup import simulate
    >>> trace = chrome_trace(simulate("published/003-lvm-snapshots/no-snapshot"))
    >>> sorted({event["ph"] for event in trace["traceEvents"]})
    ['C', 'M', 'X']
    """
    tracks, trace = _Tracks(), whole(result, "a timeline for Perfetto")
    timed = [*_job_events(trace, tracks), *_device_events(trace, tracks)]
    timed += [*_instants(trace.events, tracks), *_rates(trace), *_queues(trace.spans)]
    timed.sort(key=lambda event: (event["ts"], event["pid"], event["tid"], -event.get("dur", 0)))
    record = result.record
    return {
        "traceEvents": [*tracks.metadata(), *timed],
        "displayTimeUnit": "ms",
        "otherData": {
            "scenario": record.scenario, "title": record.title, "hash": record.hash, "seed": record.seed,
        },
    }  # fmt: skip


def text(trace: dict[str, Any]) -> str:
    """The JSON text of a trace, one event a line, the same bytes for the same trace."""
    rest = {name: value for name, value in trace.items() if name != "traceEvents"}
    lines = ",\n".join(_json(event) for event in trace["traceEvents"])
    return f'{{"traceEvents":[\n{lines}\n],{_json(rest)[1:]}\n'


def write(trace: dict[str, Any], path: str | Path) -> dict[str, Any]:
    """Write a trace to a file, and return it.

    Raises
    ------
    ResultError
        The name does not end with `.json`, the folder does not exist, or the file cannot be written.
    """
    check_file(path, TRACE)
    write_whole(path, text(trace))
    return trace


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _complete(stretch: LaneBar, track: Track, category: str, **args: Any) -> dict[str, Any]:
    return {
        "ph": "X", "cat": category, "name": stretch.name, "pid": track.process, "tid": track.thread,
        "ts": stretch.start, "dur": stretch.end - stretch.start, "args": args,
    }  # fmt: skip


def _stretch(span: Span) -> LaneBar:
    return LaneBar(microseconds(span.start), microseconds(span.end), span.activity, span.cause, span.job)


def _name_of(job: str) -> str:
    """The name of a job of the scenario, of the address of one of its runs."""
    return job.removeprefix("jobs.").split(".")[0]


def _job_events(trace: Trace, tracks: _Tracks) -> Iterator[dict[str, Any]]:
    """Each run of each job, and its steps."""
    spans: dict[str, list[LaneBar]] = {}
    for span in trace.spans:
        spans.setdefault(span.job.removeprefix("jobs."), []).append(_stretch(span))
    for job in sorted(trace.jobs, key=lambda job: (job.data["start"], job.data["job"])):
        data = job.data
        run, name = str(data["job"]), _name_of(data["job"])
        whole = LaneBar(microseconds(data["start"]), microseconds(data["end"]), run, "", run)
        shown = data.keys() - {"job", "start", "end"}
        reported = {key: data[key] for key in sorted(shown) if data[key] != ""}  # a trace read back is sorted
        yield _complete(whole, tracks.at("jobs", name), "job", **reported)
        own = spans.pop(run, [])
        inside = [part for part in own if _within(part, whole)]
        outside = [part for part in own if not _within(part, whole)]  # what it started goes on after its end
        yield from _laned(inside, tracks, "jobs", name)
        yield from _laned(outside, tracks, "jobs", f"{name}, after its end")
    for run, own in spans.items():
        yield from _laned(own, tracks, "jobs", _name_of(run))


def _within(part: LaneBar, whole: LaneBar) -> bool:
    return whole.start <= part.start and part.end <= whole.end


def _laned(stretches: Sequence[LaneBar], tracks: _Tracks, process: str, name: str) -> Iterator[dict[str, Any]]:
    """Trace events of bars, on as many tracks as overlap. A step of a job names its cause, any other bar its job."""
    for number, lane in enumerate(lanes(stretches)):
        track = tracks.at(process, f"{name} ({number + 1})" if number else name)
        for part in lane:
            category, args = CATEGORIES[process], {"cause": part.cause} if process == "jobs" else {"job": part.job}
            yield _complete(part, track, category, **args)


def _device_events(trace: Trace, tracks: _Tracks) -> Iterator[dict[str, Any]]:
    """The work of each device, drive, robot and link for jobs; waits for it are counted, not drawn."""
    known = [device.address for device in trace.devices]
    work: dict[str, list[LaneBar]] = {address: [] for address in known}
    for span in trace.spans:
        if queue_of(span.activity):
            continue
        for cause in span.cause.split(", "):
            if cause.split(".")[0] in {"devices", "hosts", "links"}:
                work.setdefault(_part_of(cause, known), []).append(_stretch(span))
    for address, stretches in work.items():
        yield from _laned(stretches, tracks, "devices", address)


def _part_of(cause: str, known: Iterable[str]) -> str:
    """The device that a cause is a part of, such as the repositioning of a drive; else the cause itself."""
    return max((name for name in known if f"{cause}.".startswith(f"{name}.")), key=len, default=cause)


def _instants(events: Iterable[Event], tracks: _Tracks) -> Iterator[dict[str, Any]]:
    """Events at an instant, each on the track of its part."""
    for event in events:
        of_job = event.address.startswith("jobs.")
        track = tracks.at("jobs", _name_of(event.address)) if of_job else tracks.at("devices", event.address)
        data = {key: value for key, value in sorted(event.data.items()) if key != "note"}
        yield {
            "ph": "i", "cat": "event", "name": event.what, "pid": track.process, "tid": track.thread,
            "ts": microseconds(event.time), "s": "t", "args": data,
        }  # fmt: skip


def _counter(name: str, time: int, **args: float) -> dict[str, Any]:
    return {"ph": "C", "cat": "counter", "name": name, "pid": PROCESSES["devices"], "tid": 0, "ts": time, "args": args}


def _rates(trace: Trace) -> Iterator[dict[str, Any]]:
    """Busy share and bytes per second of each link; of several changes at one instant the last counts."""
    rates = link_rates(trace)
    last = {(rate.link, microseconds(rate.time)): rate for rate in rates}
    moving = {rate.link for rate in rates if rate.bytes_per_s > 0}
    for (link, time), rate in last.items():
        yield _counter(f"{link} busy", time, share=rate.busy)
        if link in moving:
            yield _counter(f"{link} bytes per second", time, rate=rate.bytes_per_s)


def _queues(spans: Iterable[Span]) -> Iterator[dict[str, Any]]:
    """The length of each queue, whenever it changes."""
    changes: dict[str, dict[int, int]] = {}
    for span in spans:
        queue = queue_of(span.activity)
        if queue and span.end > span.start:
            place = span.cause.split(".cartridge.")[0]
            at = changes.setdefault(f"{place}: {queue}", {})
            for time, step in ((span.start, 1), (span.end, -1)):
                at[microseconds(time)] = at.get(microseconds(time), 0) + step
    for name, steps in changes.items():
        waiting = 0
        for time, step in sorted(steps.items()):
            waiting += step
            if step:
                yield _counter(name, time, waiting=float(waiting))
