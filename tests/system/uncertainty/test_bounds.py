"""An interval promises nothing that the lines on the way of the bytes cannot carry."""

from __future__ import annotations

from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from tests.shared import simulated

RATE = {"value": "10 MB/s", "basis": "assumed", "range": ["8 MB/s", "12.5 MB/s"], "why": "a test"}


def site(rate: Any = "10 MB/s", **job: Any) -> dict[str, Any]:
    return {
        "title": "A line",
        "hosts": {
            "client": {"model": "host/linux-modern-server", "owns": ["source"]},
            "server": {"model": "host/linux-modern-server", "owns": ["target"]},
        },
        "devices": {"source": {"model": "ssd/nvme-gen3-2018"}, "target": {"model": "ssd/nvme-gen3-2018"}},
        "links": {"line": {"rate": rate, "latency": "1 ms", "joins": ["client", "server"]}},
        "data": {"files": {"on": "source", "size": "100 GB", "compression": 2}},
        "jobs": {"save": {"method": "image", "data": "files", "to": "target", **job}},
    }  # fmt: skip


def interval(**job: Any) -> tuple[sb.Result, JobInterval]:
    result = sb.simulate(site(**job))
    return result, job_intervals(result, effort=LEAN)["save"]


def test_bytes_over_the_rate_of_the_line_are_the_least() -> None:
    result, found = interval()
    assert result.least["save"] == (pytest.approx(10_000.0), "links.line")
    assert found.elapsed.low == pytest.approx(10_000.0)
    assert found.line == "links.line"
    assert "never less, as links.line carries its bytes no faster" in found.sentence()
    assert found.elapsed.high > 12_000.0  # slower it may well be


def test_an_uncertain_line_may_be_as_fast_as_its_range_says() -> None:
    _, found = interval(rate=RATE)
    assert found.elapsed.low == pytest.approx(8_000.0, rel=0.01)
    assert found.elapsed.low >= 8_000.0


def test_what_is_compressed_before_the_line_takes_less_of_it() -> None:
    result, _ = interval(compressor={"model": "compressor/lz4", "at": "client"})
    crossed = result.get("links.line.bytes")
    assert crossed < 80e9
    assert result.least["save"] == (pytest.approx(crossed / 10e6), "links.line")


def test_a_window_that_the_line_cannot_meet_is_missed_for_certain() -> None:
    _, found = interval(window="9990 s")
    assert found.fits == 0.0
    assert found.sentence().startswith("misses its window")
    _, possible = interval(window="11000 s")
    assert possible.fits is not None
    assert 0.3 < possible.fits < 1.0


def test_jobs_that_share_a_line_are_each_bound_by_their_own_bytes() -> None:
    both = site()
    both["data"]["more"] = {"on": "source", "size": "50 GB"}
    both["jobs"]["other"] = {"method": "image", "data": "more", "to": "target"}
    result = sb.simulate(both)
    assert result.least["other"].seconds == pytest.approx(5_000.0)
    assert result.get("jobs.other.elapsed") == pytest.approx(10_000.0, rel=0.01)
    assert 5_000.0 <= job_intervals(result, effort=LEAN)["other"].elapsed.low < 9_000.0


def test_a_study_bounds_times_and_rates() -> None:
    asked = {
        "title": "Night",
        "scenarios": {"it": "planning/offsite"},
        "show": ["jobs.night.elapsed", "jobs.night.rate"],
    }
    found = sb.study(asked)
    row, least = found.rows[0], sb.simulate("planning/offsite").least["night"].seconds
    assert 0.5 * least <= row["jobs.night.elapsed" + LOW] <= row["jobs.night.elapsed"]
    assert row["jobs.night.rate" + HIGH] * row["jobs.night.elapsed" + LOW] == pytest.approx(
        row["jobs.night.rate"] * row["jobs.night.elapsed"], rel=0.02
    )


@pytest.mark.parametrize(
    "name",
    [
        "planning/backup-levels", "planning/disk-then-tape", "planning/frozen-then-tape", "planning/object-store",
        "planning/offsite", "planning/spooled", "planning/tape-drives-lto9", "planning/tape-drives-lto9-disks",
        "planning/compress-where", "planning/redirect-oltp", "planning/copy-on-write-oltp", "teaching/mount-queue",
        "planning/adapter-speed", "planning/mysql-innodb-snapshot", "planning/streams-of-files-memory",
    ],
)  # fmt: skip
def test_no_job_is_faster_than_its_lines(name: str) -> None:
    result = simulated(f"scenarios/{name}.yaml")
    for row in result.job_rows:
        assert result.least[row["job"]].seconds <= row["elapsed"] * (1.0 + 1e-9)
