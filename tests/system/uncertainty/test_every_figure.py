"""Every figure of a run has an interval, from the cases of the jobs' intervals."""

import json
import math
from typing import Any

import pytest
from typer.testing import CliRunner

import simbackup as sb
from simbackup.cli.app import app
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import Intervals, all_intervals, job_intervals
from simbackup.uncertainty.whole import CLOCK
from tests.shared import simulated

NAME = "teaching/one-file-from-tape"


@pytest.fixture(scope="module")
def found() -> Intervals:
    return all_intervals(simulated(NAME), effort=LEAN)


@pytest.mark.slow
def test_no_figure_but_times_on_the_clock_lacks_one(found: Intervals) -> None:
    figures = simulated(NAME).figures
    assert {address for address in figures if address.rpartition(".")[2] not in CLOCK} == found.figures.keys()
    assert {"jobs.full.rate", "hosts.filer.cores.busy", "links.lan.busy_s"} <= found.figures.keys()
    for address, one in found.figures.items():
        assert one.best == figures[address]
        assert one.low <= one.best <= one.high


@pytest.mark.slow
def test_those_of_jobs_are_the_same_alone_and_beside_others(found: Intervals) -> None:
    assert found.jobs == job_intervals(simulated(NAME), effort=LEAN)
    for job, one in found.jobs.items():
        assert found.figures[f"jobs.{job}.elapsed"] == one.elapsed


def test_data_that_are_back_are_as_unsure_as_the_job(found: Intervals) -> None:
    """What the model leaves out moves the time until the data are back as it moves the whole time."""
    back, elapsed = (found.figures[f"jobs.one_file.{column}"] for column in ("back", "elapsed"))
    assert math.log(back.high / back.low) > 0.5 * math.log(elapsed.high / elapsed.low)


def run(*options: str) -> dict[str, Any]:
    return json.loads(CliRunner().invoke(app, ["run", "teaching/short-backups", *options]).stdout)


@pytest.mark.slow
def test_a_table_and_json_have_them_and_blind_rows_only_where_asked_for() -> None:
    frame = sb.simulate("teaching/short-backups").intervals
    printed = run("--json")
    assert [row["address"] for row in printed["figures"]] == list(frame.index)
    for row in printed["figures"]:
        assert frame.loc[row["address"], ["low", "value", "high"]].to_list() == [row["low"], row["value"], row["high"]]
    assert all("nearest" not in one for one in printed["intervals"])
    more = run("--json", "--verbose")
    assert all("nearest" in one for one in more["intervals"])
    assert sb.simulate(NAME).intervals.loc["jobs.full.window", "unit"] == "s"
