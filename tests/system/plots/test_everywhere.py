"""Every scenario that can be run can be drawn."""

import pytest

from simbackup.palette import PAPER
from simbackup.plots.fills import look
from simbackup.plots.rates import MOST
from simbackup.results.causes import split
from simbackup.results.figures import greatest_of_each
from simbackup.trace.activity import WORDS
from tests.shared import RUNNABLE, each_scenario, simulated

SECONDS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0}


def test_there_are_scenarios_of_all_three_kinds() -> None:
    assert {name.partition("/")[0] for name in RUNNABLE} >= {"published", "planning", "teaching"}
    assert len(RUNNABLE) > 60


@each_scenario(RUNNABLE)
def test_a_scenario_can_be_drawn(name: str) -> None:
    result = simulated(name)
    plot = result.plot
    timeline = plot.timeline()
    drawn = sum(len(c.get_paths()) for c in timeline.axes[0].collections if c.get_gid() == "bars")
    assert drawn == sum(span.job.startswith("jobs.") for span in result.trace.spans)
    causes = plot.causes()
    unit = SECONDS[causes.axes[0].get_xlabel().removeprefix("elapsed, ")]
    widths = sum(patch.get_width() for patch in causes.axes[0].patches) * unit
    took = {f"jobs.{row['job']}": row["elapsed"] for row in result.job_rows}
    shown = [address.removeprefix("jobs.") for address in greatest_of_each(result.record.fleets, took)]
    if len(shown) <= MOST:
        assert widths == pytest.approx(sum(sum(split(result, job).values()) for job in shown), rel=1e-9)
    assert plot.utilisation().axes
    moving = {rate.link: 1.0 for rate in result.trace.rates if rate.bytes_per_s > 0}
    assert len(plot.throughput().axes) == max(min(len(greatest_of_each(result.record.fleets, moving)), MOST), 1)
    if any(device.kind == "tape drive" for device in result.trace.devices):
        assert plot.drives().axes
    whole = {(span.cause, span.activity) for span in result.trace.spans}
    parts = {(cause, activity) for span in result.trace.spans for cause, activity, _ in span.split}
    for seen in (whole, parts):
        colours: dict[str, set[str]] = {}
        for cause, activity in seen:
            one = look(cause, activity)
            ours = activity in WORDS  # the groups of a program have colours by their names, which may be equal
            if ours and one.colour != PAPER and one.limit != "repositioning":  # which has a hatch
                colours.setdefault(one.colour, set()).add(activity)
        assert not {colour: some for colour, some in colours.items() if len(some) > 1}
    timeline.set_dpi(10)
    timeline.draw_without_rendering()
