"""Results that keep less than the whole trace."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simbackup import explain, report
from simbackup.errors import ResultError
from simbackup.results.result import Result
from simbackup.run import simulate
from tests.cases import for_each
from tests.shared import Say, simulated

NAMES = [
    "published/000-netbackup-frozen-images/tape", "teaching/snapshot-slows-writes", "teaching/mount-queue",
    "planning/spread-starts",
]  # fmt: skip
DERIVED = {"back", "transfer_rate", "waits"}


@pytest.mark.slow
@for_each("name", NAMES)
def test_tables_are_the_same_without_rates_and_spans(name: str, tmp_path: Path) -> None:
    whole, tables = simulated(name), simulate(name, trace="jobs")
    assert tables.as_dict() == whole.as_dict()
    assert tables.end == whole.end
    assert tables.trace.length == whole.trace.length
    assert not tables.trace.spans
    assert not tables.trace.rates
    assert not tables.trace.shared_levels
    again = Result.load(tables.save(tmp_path / "saved"))
    assert again.as_dict() == whole.as_dict()
    assert again.trace == tables.trace


@pytest.mark.slow
@for_each("name", NAMES)
def test_jobs_alone_report_the_same(name: str, tmp_path: Path) -> None:
    whole, jobs = simulated(name), simulate(name, trace="none")
    assert jobs.job_rows == [{k: v for k, v in row.items() if k not in DERIVED} for row in whole.job_rows]
    assert jobs.device_rows == []
    assert jobs.trace.length == whole.trace.length
    assert jobs.end == whole.end
    again = Result.load(jobs.save(tmp_path / "saved"))
    assert again.as_dict() == jobs.as_dict()
    assert again.end == whole.end


WHAT: dict[str, Callable[[Result, Path], Any]] = {
    "an explanation": lambda result, _: explain(result),
    "a report": lambda result, folder: report([result], folder / "report.html"),
    "a plot of drives": lambda result, _: result.plot.drives(),
    "a plot of rates": lambda result, _: result.plot.utilisation(),
    "a timeline for Perfetto": lambda result, _: result.chrome_trace(),
    "a timeline of each job": lambda result, _: result.plot.timeline(),
    "'devices.jukebox.drive.1.saturated'": lambda result, _: result.get("devices.jukebox.drive.1.saturated"),
}


@for_each("what", WHAT)
def test_what_needs_the_whole_trace_says_how_to_get_it(what: str, tmp_path: Path) -> None:
    result = simulate("teaching/one-file-from-tape", trace="jobs")
    with pytest.raises(ResultError) as caught:
        WHAT[what](result, tmp_path)
    assert str(caught.value) == (
        f"{what} needs the whole trace, and the result of 'teaching/one-file-from-tape' holds only the tables of jobs "
        "and devices (--trace jobs); run it again with --trace full"
    )


def test_an_unknown_trace_is_refused() -> None:
    with pytest.raises(ResultError, match="there is no trace 'all'; choose from: full, jobs, none"):
        simulate("teaching/one-file-from-tape", trace="all")


@pytest.mark.slow
def test_the_command_prints_what_is_there(say: Say) -> None:
    name = "planning/spread-starts"
    whole, tables, jobs = (
        say("run", name, "--intervals", "none", "--trace", each) for each in ("full", "jobs", "none")
    )
    known = whole.out.splitlines()
    assert [line for line in tables.out.splitlines() if line not in known] == []
    assert "devices." in tables.out
    assert "devices." not in jobs.out
    assert "waits" in tables.out
    assert "waits" not in jobs.out
