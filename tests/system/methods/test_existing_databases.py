"""Backups of databases that exist at the start: they come back as if they had been made before."""

from typing import Any

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.shared import ROOT

ENGINE = (
    "transfer_size: 1 MiB, io_depth: 4, request_latency: 1 ms, compress_cpu: 1 ns/B, expand_cpu: 1 ns/B,"
    " buffer_sets: 1, memory_limit: 10 GB"
)
SITE = (ROOT / "tests" / "sites" / "database-server.yaml").read_text(encoding="utf-8") + "jobs:\n"
DATA = {"data.db.database": {"model": "database/mysql-5.0-innodb"}}
NATIVE = f"database_native, engine: {{{ENGINE}}}, compress: true"


def run(jobs: str, changes: dict[str, Any]) -> Result:
    result = sb.simulate(sb.load(SITE + jobs, DATA | changes))
    assert {row["status"] for row in result.job_rows} <= {"done"}, result.job_rows
    return result


@pytest.mark.parametrize("method", [NATIVE, "logical_dump"])
def test_it_comes_back_as_if_it_had_been_made(method: str) -> None:
    full = f"  full: {{method: {method}, data: db, to: d}}\n"
    made = run(full + "  back: {restore: full, after: full, begin: 1 d}\n", {})
    there = run(full + "  back: {restore: full, begin: 1 d}\n", {"jobs.full.exists": True})
    assert [row["job"] for row in there.job_rows] == ["back"]
    assert there.get("jobs.back.bytes") == made.get("jobs.back.bytes")
    assert there.get("jobs.back.elapsed") == pytest.approx(made.get("jobs.back.elapsed"), rel=1e-9)
    assert there.get("devices.d.bytes") == pytest.approx(made.get("devices.d.bytes") / 2)  # read, and not written


def test_logs_that_exist_are_replayed_and_copies_of_both_are_there() -> None:
    jobs = "  full: {method: logical_dump, data: db, to: d, exists: true}\n"
    jobs += "  log: {method: binary_log, data: db, to: d, changed: 10 %, exists: true}\n"
    jobs += "  back: {restore: full, replay: log}\n"
    result = run(jobs, {})
    size = sb.load(SITE + jobs, DATA).spec.data["db"].size.si
    alone = run(jobs.replace(", replay: log", ""), {})
    assert result.get("jobs.back.bytes") - alone.get("jobs.back.bytes") == pytest.approx(0.1 * size)
