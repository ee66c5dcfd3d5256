"""An interval promises nothing that the lines on the way of the bytes cannot carry."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from tests.cases import for_each
from tests.shared import simulated


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


def test_a_window_that_the_line_cannot_meet_is_missed_for_certain() -> None:
    _, found = interval(window="9990 s")
    assert found.fits == 0.0
    assert found.sentence().startswith("misses its window")
    _, possible = interval(window="11000 s")
    assert possible.fits is not None
    assert 0.3 < possible.fits < 1.0


def test_a_study_bounds_times_and_rates() -> None:
    asked = {
        "title": "Night",
        "scenarios": {"it": "planning/offsite"},
        "show": ["jobs.night.elapsed", "jobs.night.rate", "jobs.night.transfer_rate"],
    }
    found, result = sb.study(asked), sb.simulate("planning/offsite")
    row, least = found.rows[0], result.least["night"].seconds
    assert 0.5 * least <= row["jobs.night.elapsed" + LOW] <= row["jobs.night.elapsed"]
    assert row["jobs.night.rate" + HIGH] * row["jobs.night.elapsed" + LOW] == pytest.approx(
        row["jobs.night.rate"] * row["jobs.night.elapsed"], rel=0.02
    )
    assert row["jobs.night.transfer_rate" + HIGH] <= 1.01 * result.get("jobs.night.bytes") / least


@pytest.mark.slow
@for_each(
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
