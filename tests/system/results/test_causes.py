"""Why a job took its time: the split of traces with a known answer, and of every scenario."""

import math

import pytest

from simbackup.devices.shape import FlowShape
from simbackup.engine.link import Link
from simbackup.errors import ResultError
from simbackup.experiments.what_if import by_part, faster, resource
from simbackup.results.causes import Cause, split
from simbackup.results.result import Result
from simbackup.scenario import Scenario
from simbackup.trace.activity import Activity
from simbackup.trace.columns import Spans
from simbackup.trace.trace import Span, Trace
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


def test_a_time_of_which_nothing_is_known_is_a_wait_of_the_job() -> None:
    spans = [Span(1.0, 3.0, "jobs.a", "devices.x", "read"), Span(5.0, 8.0, "jobs.a", "devices.x", "read")]
    assert split(made(spans, 10.0), "a") == {Cause("devices.x", "read"): 5.0, Cause("jobs.a", Activity.WAIT): 5.0}


def test_an_unknown_job_is_reported() -> None:
    with pytest.raises(ResultError, match="has no job 'b'"):
        split(made([], 1.0), "b")


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
