"""Why a job took its time: the split of traces with a known answer, and of every scenario."""

import math

import pytest
import simpy

from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.engine.network import FlowNetwork
from simbackup.errors import ResultError
from simbackup.experiments.what_if import by_part, faster, resource
from simbackup.results.causes import Cause, by_address, split
from simbackup.results.result import Result
from simbackup.scenario import Scenario
from simbackup.trace.activity import Activity
from simbackup.trace.columns import Spans
from simbackup.trace.trace import Span, SpanPart, Trace
from tests.cases import for_each
from tests.shared import RUNNABLE, each_scenario, loaded, parts_of_flows, simulated

LARGE = {"planning/midnight", "planning/spread-starts", "planning/spread-starts-night"}
"""Fleets, where one of the equal jobs is enough."""


def is_part(scenario: Scenario, address: str) -> bool:
    """Whether an address is that of a part of a scenario, or lies within one."""
    section, _, rest = address.partition(".")
    if section == "catalogue":
        return not rest
    there = getattr(scenario.spec, section)
    return rest.partition(".")[0] in there


@each_scenario(RUNNABLE)
def test_every_job_is_split_without_remainder(name: str) -> None:
    scenario, result, parts = loaded(name), simulated(name), parts_of_flows(name)
    assert parts == pytest.approx([1.0] * len(parts), rel=1e-9)
    bottlenecks: set[str] = set()
    for row in result.job_rows:
        causes = split(result, row["job"])
        assert sum(causes.values()) == pytest.approx(row["elapsed"], rel=1e-9)
        assert all(seconds > 0.0 for seconds in causes.values())
        for cause in causes:
            assert cause.activity not in {"", Activity.WAIT, "other"}
            assert is_part(scenario, cause.address), cause
        removable = {part for cause in causes if (part := resource(cause, scenario))}
        bottlenecks |= set([part for part in by_part(causes, scenario) if part in removable][:1])
    for part in sorted(bottlenecks)[: 3 if name in LARGE else None]:
        assert faster(scenario, part, 2.0).spec != scenario.spec, part


@for_each(
    "name, job, activities",
    [
        ("000-netbackup-frozen-images/tape", "database", {"mount", "load", "transfer", "rewind"}),
        ("000-netbackup-frozen-images/tape", "item", {"mount", "load", "locate", "transfer", "rewind"}),
        ("000-netbackup-frozen-images/tape", "datafile", {"mount", "load", "locate", "transfer", "rewind"}),
        ("001-networker-small-files/guest-1100k-new", "small", {"walk", "open", "index"}),
        ("001-networker-small-files/guest-550k-old", "small", {"walk", "open", "index"}),
        ("003-lvm-snapshots/same-disk", "dd", {"copy read", "copy write", "metadata commit", "own write"}),
        ("003-lvm-snapshots/second-disk", "dd", {"copy read", "copy write", "metadata commit", "own write"}),
    ],
)
def test_the_documents_show_what_they_spend_their_time_on(name: str, job: str, activities: set[str]) -> None:
    causes = split(simulated(f"published/{name}"), job)
    assert activities <= {cause.activity for cause in causes}


def made(spans: list[Span], end: float) -> Result:
    """A result of one job with some spans."""
    one = simulated("teaching/snapshot-slows-writes")
    trace = Trace(spans=Spans(spans))
    trace.job({"job": "a", "start": 0.0, "end": end, "elapsed": end, "bytes": 1.0})
    return Result(one.record, one.values, trace, one.layout)


def test_the_path_is_that_of_the_stream_that_ended_last() -> None:
    spans = [
        Span(0.0, 4.0, "jobs.a", "devices.x", "load"),
        Span(4.0, 9.0, "jobs.a", "devices.x", "read"),
        Span(0.0, 3.0, "jobs.a", "devices.y", "load"),
        Span(3.0, 10.0, "jobs.a", "devices.y", "read"),
        Span(0.0, 10.0, "jobs.b", "devices.z", "read"),
    ]
    assert split(made(spans, 10.0), "a") == {Cause("devices.y", "read"): 7.0, Cause("devices.y", "load"): 3.0}


def test_streams_that_end_together_count_by_address() -> None:
    spans = [Span(0.0, 10.0, "jobs.a", f"devices.{name}", "read") for name in ("y", "x", "z")]
    for order in (spans, spans[::-1]):
        assert split(made(order, 10.0), "a") == {Cause("devices.x", "read"): 10.0}


def test_a_stream_that_goes_on_counts_for_what_lies_before_the_step_that_was_waited_for() -> None:
    spans = [Span(0.0, 10.0, "jobs.a", "devices.y", "read"), Span(6.0, 10.0, "jobs.a", "devices.x", "read")]
    assert split(made(spans, 10.0), "a") == {Cause("devices.y", "read"): 6.0, Cause("devices.x", "read"): 4.0}


def test_parts_of_a_span_that_the_path_cuts_keep_their_proportion() -> None:
    parts = (SpanPart("devices.x", "read", 6.0), SpanPart("hosts.h.cores", "copy", 2.0))
    spans = [Span(0.0, 8.0, "jobs.a", "devices.x", "copy", parts), Span(4.0, 8.0, "jobs.a", "devices.a", "read")]
    found = split(made(spans, 8.0), "a")
    assert found == {
        Cause("devices.a", "read"): 4.0, Cause("devices.x", "read"): 3.0, Cause("hosts.h.cores", "copy"): 1.0,
    }  # fmt: skip
    assert by_address(found)["devices.x"] == 3.0


def test_a_time_of_which_nothing_is_known_is_a_wait_of_the_job() -> None:
    spans = [Span(1.0, 3.0, "jobs.a", "devices.x", "read"), Span(5.0, 8.0, "jobs.a", "devices.x", "read")]
    assert split(made(spans, 10.0), "a") == {Cause("devices.x", "read"): 5.0, Cause("jobs.a", Activity.WAIT): 5.0}


def test_an_unknown_job_is_reported() -> None:
    with pytest.raises(ResultError, match="has no job 'b'"):
        split(made([], 1.0), "b")


def test_parts_come_back_from_json_lines() -> None:
    trace = Trace()
    cycle = {("devices.x", "read"): 1.0, ("hosts.h.cores", ""): 2.0, ("devices.y", "write"): 0.0}
    trace.span(0.0, 1.0 / 3.0, "jobs.a", "devices.x", "copy", cycle=cycle)
    trace.span(1.0, 2.0, "jobs.a", "devices.x", "copy")
    again = Trace.from_lines(trace.to_lines())
    assert again.spans == trace.spans
    first, second = again.spans
    assert [part[:2] for part in first.split] == [("devices.x", "read"), ("hosts.h.cores", "copy")]
    assert sum(part.seconds for part in first.split) == pytest.approx(1.0 / 3.0, rel=1e-12)
    assert second.split == (SpanPart("devices.x", "copy", 1.0),)


def test_times_that_the_same_thing_limits_are_one_segment() -> None:
    env = simpy.Environment()
    network, disk, wire = FlowNetwork(env), Link("devices.d", 100.0), Link("links.w", 40.0)
    flow = network.start("jobs.a", "read", 1000.0, {disk: 1.0})
    env.run(until=2.0)
    network.advance()  # cuts nothing
    other = network.start("jobs.b", "read", 100.0, {disk: 1.0})
    env.run(until=other.done)
    assert [segment[:3] for segment in flow.segments] == [(0.0, 4.0, "devices.d")]  # at other rates
    network.set_cap(flow, 10.0, "hosts.h")
    env.run(until=6.0)
    network.start("jobs.c", "send", 10.0, {wire: 1.0})
    env.run(until=flow.done)
    assert [segment.cause for segment in flow.segments][-1] == "hosts.h"
    assert all(one.end == other.begin for one, other in zip(flow.segments, flow.segments[1:], strict=False))
    assert flow.waited == pytest.approx({"devices.d": 4.0, "hosts.h": 70.0})


A, B = Link("devices.a", 1.0), Link("devices.b", 1.0)
SHAPE = FlowShape({A: 2.0}, {A: 1.0}).cycle({("devices.a", "read"): 3.0, ("devices.b", "write"): 1.0})


@for_each(
    "shape",
    [
        SHAPE,
        SHAPE.plus({B: 1.0}),
        SHAPE.part(0.25),
        SHAPE.part(0.0),
        SHAPE.times(512.0),
        SHAPE.after(2.0, B),
        SHAPE.after(2.0, "devices.image", "lookup"),
        SHAPE.after(0.0, "devices.image", "lookup"),
        SHAPE.following({("devices.a", "read"): 1.0, ("links.w", "travel"): 0.5}),
        SHAPE.at_most(0.1, "links.w"),
        SHAPE.at_most(10.0, "links.w"),
        SHAPE.cycle({("links.w", ""): 10.0}),
        SHAPE.cycle({("links.w", ""): 1.0}),
        SHAPE.part(0.5).after(1.0, A, "turn").times(3.0).at_most(0.01, "hosts.h"),
        FlowShape().after(1.0, A).part(0.1),
    ],
)
def test_the_parts_of_a_shape_sum_to_the_seconds_of_a_unit(shape: FlowShape) -> None:
    seconds = 0.0 if math.isinf(shape.cap) else 1.0 / shape.cap
    assert sum(shape.parts.values()) == pytest.approx(seconds, rel=1e-12)
    assert (shape.cause is None) == math.isinf(shape.cap)
