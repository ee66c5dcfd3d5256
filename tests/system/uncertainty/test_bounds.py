"""An interval promises nothing that the lines on the way of the bytes cannot carry."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import JobInterval, job_intervals
from tests.cases import for_each
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
    assert result.least["save"][:3] == (pytest.approx(10_000.0), "links.line", 1)
    assert found.elapsed.low == pytest.approx(10_000.0)
    assert found.floor.line == "links.line"
    assert "links.line sets the lower end" in found.sentence()
    assert found.elapsed.high > 12_000.0  # slower it may well be


def test_a_line_whose_rate_is_assumed_bounds_nothing() -> None:
    """At the end of its range it takes 8,000 s; who assumed the range may be wrong."""
    _, found = interval(rate=RATE)
    assert 5_000.0 < found.elapsed.low < 8_000.0


def test_what_is_compressed_before_the_line_takes_less_of_it() -> None:
    result, _ = interval(compressor={"model": "compressor/lz4", "at": "client"})
    crossed = result.get("links.line.bytes")
    assert crossed < 80e9
    assert result.least["save"][:3] == (pytest.approx(crossed / 10e6), "links.line", 1)


def test_a_window_that_the_line_cannot_meet_is_missed_for_certain() -> None:
    _, found = interval(window="9990 s")
    assert found.fits == 0.0
    assert found.sentence().startswith("misses its window")
    _, possible = interval(window="11000 s")
    assert possible.fits is not None
    assert 0.3 < possible.fits < 1.0


def test_jobs_that_share_a_line_are_bound_by_what_it_carries_until_each_has_ended() -> None:
    """Two of 100 and 50 GB share 10 MB/s: the shorter has half of it for 10,000 s, and 15,000 s carry all bytes."""
    both = site()
    both["data"]["more"] = {"on": "source", "size": "50 GB"}
    both["jobs"]["other"] = {"method": "image", "data": "more", "to": "target"}
    result = sb.simulate(both)
    assert result.get("jobs.other.elapsed") == pytest.approx(10_000.0, rel=0.01)
    assert result.least["other"][:3] == (pytest.approx(5_000.0), "links.line", 1)
    assert result.least["save"][:3] == (pytest.approx(15_000.0), "links.line", 2)
    found = job_intervals(result, effort=LEAN)
    assert 5_000.0 <= found["other"].elapsed.low < 9_000.0
    assert found["save"].elapsed.low == pytest.approx(15_000.0)
    assert "links.line sets the lower end with the bytes of 2 jobs" in found["save"].sentence()


def test_jobs_that_end_together_are_bound_alike() -> None:
    both = site()
    both["data"]["more"] = {"on": "source", "size": "100 GB"}
    both["jobs"]["other"] = {"method": "image", "data": "more", "to": "target"}
    least = sb.simulate(both).least
    assert least["save"] == least["other"] == (pytest.approx(20_000.0), "links.line", 2, pytest.approx(10_000.0))


def test_a_job_that_queues_for_a_drive_waits_for_what_the_drive_carries_before() -> None:
    """Restores that wait for one drive: the last of three takes what the drive reads for all three."""
    tape = sb.load({
        "title": "Three jobs and one drive",
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk", "library"]}},
        "devices": {
            "disk": {"model": "ssd/nvme-gen3-2018"},
            "library": {"model": "tape_library/autoloader-8", "drive": "tape_drive/lto-5", "drives": 1},
        },
        "data": {f"d{n}": {"on": "disk", "size": "100 GB"} for n in range(3)},
        "jobs": {f"j{n}": {"method": "image", "data": f"d{n}", "to": "library"} for n in range(3)},
    })  # fmt: skip
    result = sb.simulate(tape)
    last = max(result.least.values())
    assert last.runs == 3
    assert last.seconds == pytest.approx(3.0 * min(result.least.values()).seconds, rel=0.01)
    slowest = max(job_intervals(result, effort=LEAN).values(), key=lambda one: one.elapsed.best)
    assert slowest.elapsed.low >= 0.95 * last.seconds


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
