"""The rows of tables of jobs and devices, made from a trace, and how much of the trace a long run keeps for them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby, islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from simbackup.errors import ResultError
from simbackup.results.record import UsedValue
from simbackup.trace.activity import Activity, queue_of
from simbackup.trace.columns import Jobs
from simbackup.trace.levels import link_shares, used_outside
from simbackup.trace.trace import FULL, JOBS, NONE, DeviceRecord, JobRecord, Trace

if TYPE_CHECKING:
    from simbackup.results.result import Result


Row = dict[str, Any]
STILL = frozenset({
    Activity.MOUNT, Activity.DISMOUNT, Activity.SEEK, Activity.START, Activity.PREPARE,
    Activity.FLUSH, Activity.CHECK, Activity.CREATE, Activity.REMOVE, Activity.OBSERVE, Activity.WAIT,
    Activity.WAIT_FOR_RETRIEVAL,
})  # fmt: skip
"""Activities of jobs in which no byte of theirs moves, besides waits in queues and moves of a medium."""
PUTS_AWAY = frozenset({Activity.REWIND, Activity.UNLOAD, Activity.DISMOUNT})
"""Activities with which a restore ends when its data are back: the cartridge leaves the drive."""
MEDIA = frozenset({
    Activity.LOAD, Activity.INITIALISE, Activity.UNLOAD, Activity.LOCATE, Activity.REWIND, Activity.TAPE_MARKS,
    Activity.REPOSITION,
})  # fmt: skip
"""Moves of a medium in its drive: the drive is busy with them, too, though no byte passes it."""


class TimeSpan(NamedTuple):
    """Seconds from which and until which something lasts."""

    begin: float
    end: float

    def within(self, begin: float, end: float) -> float:
        """Seconds of it within a time.

        >>> TimeSpan(10.0, 20.0).within(15.0, 30.0), TimeSpan(10.0, 20.0).within(30.0, 40.0)
        (5.0, 0.0)
        """
        return max(min(self.end, end) - max(self.begin, begin), 0.0)


def job_rows(trace: Trace) -> list[Row]:
    """One row for each run of a job: times in seconds, bytes, files, status, and two rates in bytes a second.

    `rate` is all bytes over the whole elapsed time, `transfer_rate` the same bytes over the time in which any of them
    moved: without mounts, positioning, rewinding, waits for others, preparations and checks; 0 where none moved.
    Restores have `back`, the seconds after which their data are back; those until their end go to putting cartridges
    away. These three and `waits` are not there if the trace keeps neither spans nor what tables derive from them.
    """
    ordered = sorted(each_job(trace), key=lambda row: row["start"])
    together = (list(rows) for _, rows in groupby(ordered, key=lambda row: row["start"]))
    return [row for rows in together for row in (sorted(rows, key=_name_of) if len(rows) > 1 else rows)]


def _name_of(row: Row) -> list[tuple[bool, int, str]]:
    return _natural(row["job"])


def each_job(trace: Trace) -> Iterator[Row]:
    """The rows of `job_rows`, in the order in which the jobs ended."""
    if trace.keeps != FULL:
        for job in trace.jobs:
            yield {**job.data, "rate": _over(job.data["bytes"], job.data["elapsed"])}
        return
    waits: dict[str, float] = {}
    moves: dict[str, list[TimeSpan]] = {}
    back: dict[str, float] = {}
    spans = trace.spans
    texts, known = spans.names.texts, dict[tuple[int, int], str]()
    times = zip(spans.starts, spans.ends, spans.jobs, zip(spans.causes, spans.activities, strict=True), strict=True)
    for start, end, job, what in times:
        if (kind := known.get(what)) is None:
            kind = known[what] = _kind(texts[what[0]], texts[what[1]])
        if kind == WAITS:
            waits[job] = waits.get(job, 0.0) + end - start
        elif kind == MOVES:
            moves.setdefault(job, []).append(TimeSpan(start, end))
        if kind != WAITS and texts[what[1]] not in PUTS_AWAY:
            back[job] = max(end, back.get(job, 0.0))
    for job in trace.jobs:
        address = f"jobs.{job.data['job']}"
        rates = {
            "rate": _over(job.data["bytes"], job.data["elapsed"]),
            "transfer_rate": _over(job.data["bytes"], _length(union(moves.get(address, ())))),
        }
        if job.data.get("method") == "restore":
            rates["back"] = max(back.get(address, 0.0) - job.data["start"], 0.0)
        yield {**job.data, **rates, "waits": waits.get(address, 0.0)}


WAITS, MOVES, STANDS = "waits", "moves", "stands"
"""What a job does: waits in a queue, moves bytes, or neither."""


def _kind(cause: str, activity: str) -> str:
    """What a job does in an activity because of a cause."""
    if queue_of(activity):
        return WAITS
    return STANDS if activity in STILL or _moves_medium(cause, activity) else MOVES


def device_rows(trace: Trace, jobs: Iterable[Mapping[str, Any]]) -> list[Row]:
    """One row for each device: busy shares, seconds busy in the whole run, bytes, greatest bytes a second.

    `busy` is the share of the time from the first start to the last end of any job in which the device worked,
    `busy_window` that of the windows of all jobs together, from when each was due; only where jobs have windows. No
    rows if the trace keeps nothing but what jobs report.
    """
    if trace.keeps == NONE:
        return []
    if trace.keeps == JOBS:
        return [_device_row(device, device.data) for device in trace.devices]
    span, windows = first_to_last(jobs), union(windows_of(jobs))
    outside: dict[str, list[float]] = {}
    inside: dict[str, list[float]] = {}
    only = used_outside(trace, span.begin, span.end) if trace.shared_levels and not windows else None
    for device, begin, end, share in _worked(trace, only):
        if begin < span.begin or end > span.end:
            outside.setdefault(device, []).append(share * (end - begin - span.within(begin, end)))
        if windows and (within := _within(windows, begin, end)):
            inside.setdefault(device, []).append(share * within)
    rows: list[Row] = []
    for device in trace.devices:
        own = device.busy_s - sum(outside.get(device.address, ()))
        more = {"busy": _over(own, _length([span])), **device.data}
        if windows:
            more["busy_window"] = _over(sum(inside.get(device.address, ())), _length(windows))
        rows.append(_device_row(device, more))
    return rows


def _device_row(device: DeviceRecord, more: Mapping[str, Any]) -> Row:
    """The row of a device, with its busy share and more figures of its kind."""
    return {
        "device": device.address, "kind": device.kind, "busy": more["busy"], "busy_s": device.busy_s,
        "bytes": device.bytes_moved, "peak": device.peak_bytes_per_s, **more,
    }  # fmt: skip


OF_LOCKS = frozenset({"waited", "mean_wait", "longest_wait"})
"""Figures of users that say nothing where nobody waited for a lock."""


def reports(rows: Iterable[Mapping[str, Any]], key: str) -> bool:
    """Whether a figure of users says something in any of their rows.

    >>> reports([{"waited": 0, "lost": 0.0}], "waited"), reports([{"waited": 0, "lost": 0.0}], "lost")
    (False, True)
    """
    return any(row[key] or key not in OF_LOCKS for row in rows if key in row)


def first_to_last(jobs: Iterable[Mapping[str, Any]]) -> TimeSpan:
    """From the first start to the last end of those jobs that ran at all."""
    ran = [row for row in jobs if row["status"] != "skipped"]
    return TimeSpan(min((row["start"] for row in ran), default=0.0), max((row["end"] for row in ran), default=0.0))


def windows_of(jobs: Iterable[Mapping[str, Any]]) -> list[TimeSpan]:
    """The times in which jobs with a window or a deadline should run, from when each was due."""
    return [TimeSpan(row["due"], row["due"] + row["window"]) for row in jobs if row.get("window")]


def union(stretches: Iterable[TimeSpan]) -> list[TimeSpan]:
    """Times in their order, those that overlap as one.

    >>> union([TimeSpan(5.0, 9.0), TimeSpan(0.0, 2.0), TimeSpan(1.0, 3.0)])
    [TimeSpan(begin=0.0, end=3.0), TimeSpan(begin=5.0, end=9.0)]
    """
    found: list[TimeSpan] = []
    for one in sorted(stretches):
        if found and one.begin <= found[-1].end:
            found[-1] = TimeSpan(found[-1].begin, max(found[-1].end, one.end))
        else:
            found.append(one)
    return found


def _within(windows: Sequence[TimeSpan], begin: float, end: float) -> float:
    """Seconds of a time within windows, which are in order and do not overlap."""
    first = bisect_right(windows, begin, key=lambda window: window.end)
    return sum(one.within(begin, end) for one in takewhile(lambda one: one.begin < end, islice(windows, first, None)))


def _worked(trace: Trace, only: Collection[str] | None) -> Iterator[tuple[str, float, float, float]]:
    """When each device worked, or only some did: from when, until when, and with what share of what it can do."""
    last = {device.address: (0.0, 0.0) for device in trace.devices}
    end = 0.0
    for time, link, busy in link_shares(trace, only):
        since, share = last.get(link, (0.0, 0.0))
        if share:
            yield link, since, time, share
        last[link] = (time, busy)
        end = max(end, time)
    end = max(chain([end], trace.jobs.column("end")))
    for link, (since, share) in last.items():
        if share:
            yield link, since, end, share
    for span in trace.spans if not MEDIA.isdisjoint(trace.spans.names.texts) else ():
        if _moves_medium(span.cause, span.activity):
            yield span.cause, span.start, span.end, 1.0


def _moves_medium(cause: str, activity: str) -> bool:
    """Whether a drive moves its medium; a database at its host loads something else."""
    return activity in MEDIA and cause.startswith("devices.")


def _length(stretches: Iterable[TimeSpan]) -> float:
    return sum(one.end - one.begin for one in stretches)


def _over(amount: float, seconds: float) -> float:
    return amount / seconds if seconds > 0.0 else 0.0


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A key that sorts save-2 before save-10."""
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"([0-9]+)", name)]


_NUMBER = ["address", "value", "unit", "text"]
SOURCE = [*_NUMBER, "basis", "source", "at"]
ASSUMPTION = [*_NUMBER, "low", "high", "why"]


def exact(values: Iterable[UsedValue]) -> dict[str, int]:
    """How many values of each basis have no range: intervals take them as exact."""
    return dict(Counter(value.basis for value in values if not value.varies).most_common())


def source_rows(values: Iterable[UsedValue], works: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each value with its basis and the title of the work that states it, or else its place."""
    return [
        {
            **_number(v), "basis": v.basis,
            "source": str(works[v.source]["title"]) if v.source and v.source in works else v.place, "at": v.at or "",
        }
        for v in values
    ]  # fmt: skip


def assumption_rows(values: Iterable[UsedValue]) -> list[dict[str, Any]]:
    """Each value that was assumed, with the ends of its range and why."""
    return [
        {**_number(v), "low": v.low, "high": v.high, "why": v.why}
        for v in values
        if v.basis == "assumed" and v.low is not None and v.high is not None
    ]


def _number(value: UsedValue) -> dict[str, Any]:
    """A value in SI, its unit, and how it is written."""
    return dict(zip(_NUMBER, (value.address, value.value, value.unit, value.text), strict=True))


LEFT = {
    JOBS: "only the tables of jobs and devices (--trace jobs)",
    NONE: "only what jobs report (--trace none)",
}
"""What a result keeps if that is not all, in words."""
FIGURES = ("busy", "busy_window")
"""Figures of devices that are derived from rates."""


def tables_only(trace: Trace) -> Trace:
    """A trace without rates and spans, whose jobs and devices have the figures that tables derive from those.

    >>> trace = Trace()
    >>> trace.rate(0.0, "devices.sda", 0.5, 1e6)
    >>> kept = tables_only(trace)
    >>> kept.keeps, len(kept.rates), kept.length
    ('jobs', 0, 1)
    """
    jobs = Jobs(map(JobRecord, each_job(trace)))
    devices = {str(row["device"]): row for row in device_rows(trace, _Rows(jobs))}
    return Trace(
        events=trace.events,
        devices=[
            replace(one, data={**one.data, **{key: own[key] for key in FIGURES if key in own}})
            for one in trace.devices for own in [devices[one.address]]
        ],
        jobs=jobs, keeps=JOBS, left_out=trace.length, last=trace.end,
    )  # fmt: skip


class _Rows:
    """The rows of all jobs, built anew at each iteration: all at once, they would need more memory than the trace."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return (job.data for job in self._jobs)


def whole(result: Result, what: str) -> Trace:
    """The trace of a result, if it holds all records.

    Parameters
    ----------
    result
        The result of a run.
    what
        What is made from the records, for the message.

    Raises
    ------
    ResultError
        They were not kept.
    """
    if result.trace.keeps != FULL:
        kept = LEFT[result.trace.keeps]
        whose = f"the result of '{result.record.scenario}'"
        raise ResultError(f"{what} needs the whole trace, and {whose} holds {kept}; run it again with --trace full")
    return result.trace
