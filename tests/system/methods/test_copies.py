"""Copies between two disks in both directions, and writers on both: two full page caches that share disks and cores."""

import re
from pathlib import Path

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

MIB = 2.0**20

SCENARIO = """\
title: Copies in both directions between two disks that are written
hosts:
  server: {model: host/linux-2.6.9-dual-xeon-2800, owns: [first, second]}
devices:
  first: {model: disk/scsi-10k-146gb-2004}
  second: {model: disk/scsi-10k-146gb-2004}
data:
  here: {on: first, size: 3 GiB}
  there: {on: second, size: 2 GiB}
  copy_of_here: {on: second, size: 3 GiB}
  copy_of_there: {on: first, size: 2 GiB}
  log_here: {on: first, size: 2500 MiB}
  log_there: {on: second, size: 1500 MiB}
jobs:
  out: {method: copy, data: here, to: copy_of_here}
  back: {method: copy, data: there, to: copy_of_there, begin: BACK}
  write_here: {method: write, data: log_here, begin: HERE}
  write_there: {method: write, data: log_there, begin: THERE}
"""
JOBS = {"out": 3072 * MIB, "back": 2048 * MIB, "write_here": 2500 * MIB, "write_there": 1500 * MIB}


def simulated(folder: Path, starts: tuple[int, int, int]) -> Result:
    """The result of the scenario with these starts of `back`, `write_here` and `write_there`, seconds."""
    text = SCENARIO
    for name, start in zip(("BACK", "HERE", "THERE"), starts, strict=True):
        text = re.sub(rf"\b{name}\b", f"{start} s", text)
    path = folder / "coupled.yaml"
    path.write_text(text, encoding="utf-8")
    return sb.simulate(path)


@for_each("starts", [(0, 0, 0), (5, 0, 12), (20, 30, 0), (1, 2, 3)])
def test_all_bytes_arrive(tmp_path: Path, starts: tuple[int, int, int]) -> None:
    result = simulated(tmp_path, starts)
    jobs = {str(job.data["job"]): job.data for job in result.trace.jobs}
    assert {name: jobs[name]["bytes"] for name in JOBS} == JOBS
    moved = {device.address: device.bytes_moved for device in result.trace.devices}
    # Each disk reads what is copied from it and writes what is copied to it and what is logged on it.
    assert moved["devices.first"] == pytest.approx(JOBS["out"] + JOBS["back"] + JOBS["write_here"], rel=1e-6)
    assert moved["devices.second"] == pytest.approx(JOBS["out"] + JOBS["back"] + JOBS["write_there"], rel=1e-6)
