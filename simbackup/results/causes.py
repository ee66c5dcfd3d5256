"""Why a job took as long as it did: all of its time, split along its critical path."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from simbackup.errors import ResultError, choices
from simbackup.trace.activity import Activity
from simbackup.trace.columns import Spans
from simbackup.trace.trace import Span, SpanPart

if TYPE_CHECKING:
    from simbackup.results.result import Result

Key = TypeVar("Key")


class Cause(NamedTuple):
    """What takes a job's time: an address, and what was done there."""

    address: str
    activity: str


def split(result: Result, job: str) -> dict[Cause, float]:
    """Seconds of one run of a job by cause, the greatest first; they sum to its elapsed time.

    The path goes back from the end of the job: from the step that ended last, to the step that had ended when that one
    began, and so on to the start. Of several streams that end together, the one counts that went on with the same, then
    the first by address. The seconds of a cycle are split among its steps.

    Raises
    ------
    ResultError
        The result has no such job, or does not hold the whole trace.

    >>> from simbackup import simulate
    >>> found = split(simulate("published/003-lvm-snapshots/same-disk"), "dd")
    >>> [cause.activity for cause in found][:4]
    ['queue', 'copy write', 'own write', 'copy read']
    """
    row = result.row_of.get(job)
    if row is None:
        raise ResultError(f"the result has no job '{job}'; {choices(job, [r['job'] for r in result.job_rows])}")
    path = _path(result, f"jobs.{job}", row["start"], row["end"])
    found = spent((Cause(part.cause, part.activity), part.seconds) for part in path)
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def by_address(causes: Mapping[Cause, float]) -> dict[str, float]:
    """Seconds of causes by their address alone.

    >>> by_address({Cause("devices.a", "read"): 1.0, Cause("devices.a", "write"): 2.0})
    {'devices.a': 3.0}
    """
    return spent((cause.address, seconds) for cause, seconds in causes.items())


def spent(parts: Iterable[tuple[Key, float]]) -> dict[Key, float]:
    """All seconds of each key, in order of appearance.

    >>> spent([("a", 1.0), ("b", 2.0), ("a", 3.0)])
    {'a': 4.0, 'b': 2.0}
    """
    found: dict[Key, float] = {}
    for key, seconds in parts:
        found[key] = found.get(key, 0.0) + seconds
    return found


class SpansOfJobs(Mapping[str, list[Span]]):
    """Spans by the addresses of their jobs, in order; they are made when they are asked for.

    >>> from simbackup.trace.columns import Spans
    >>> of = SpansOfJobs(Spans([Span(0.0, 2.0, "jobs.save", "devices.sda", "read")]))
    >>> of["jobs.save"][0].cause, "jobs.copy" in of
    ('devices.sda', False)
    """

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = spans
        self._places: dict[str, array[int]] = {}
        for place, job in enumerate(spans.jobs if isinstance(spans, Spans) else [span.job for span in spans]):
            if job not in self._places:
                self._places[job] = array("Q")
            self._places[job].append(place)

    def __getitem__(self, job: str) -> list[Span]:
        return [self._spans[place] for place in self._places[job]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _path(result: Result, job: str, start: float, end: float) -> Iterator[SpanPart]:
    """The critical path of a job from its end back to its start."""
    behind = sorted(
        (span for span in result.spans.get(job, ()) if span.end > span.start),
        key=lambda span: (span.end, _order(span)),
    )
    time, under_way, last = end, list[Span](), ("", "")
    while time > start:
        while behind and behind[-1].end >= time:
            under_way.append(behind.pop())
        under_way = [span for span in under_way if span.start < time]
        if not under_way and behind:  # a gap in the record, as for a job of a kind of its own
            yield SpanPart(job, str(Activity.WAIT), time - max(behind[-1].end, start))
            time = max(behind[-1].end, start)
            continue
        if not under_way:
            yield SpanPart(job, str(Activity.WAIT), time - start)
            return
        span = min(under_way, key=lambda span: (span.end, (span.cause, span.activity) != last, _order(span)))
        last = span.cause, span.activity
        begin = max(span.start, start)
        share = (time - begin) / (span.end - span.start)
        for cause, activity, seconds in span.split:
            yield SpanPart(cause, activity, seconds * share)
        time = begin


def _order(span: Span) -> tuple[str, str, float]:
    """Which of two spans that end together counts."""
    return span.cause, span.activity, span.start
