"""Nothing in the simulator has a size or a time of its own: what is stated in other units of either gives the same.

Where all bytes are eight times as many, and all rates eight times as high, everything takes as long as before. Where
all times are four times as long, it takes four times as long.
"""

import re

import pytest

import simbackup as sb
from simbackup.results.result import Result
from tests.cases import for_each

ARM = """capacity: 500e9 B, rotation_speed: 7200 rpm, track_to_track_seek: 0.001 s, average_seek: 0.008 s,
    full_stroke_seek: 0.016 s, outer_rate: 120e6 B/s, inner_rate: 60e6 B/s, command_overhead: 1e-4 s,
    stream_turn: 256e3 B"""
HOST = """cores: 4, speed: 1, memory: 4e9 B, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 10e9 B/s,
    read_ahead: 512e3 B"""
SCENARIO = f"""\
title: A client and a server over a network, with a bucket
hosts:
  client: {{owns: [source], {HOST}}}
  server: {{owns: [pool, other], {HOST}}}
devices:
  source: {{SOURCE}}
  pool: {{kind: disk, {ARM}}}
  other: {{kind: ssd, capacity: 500e9 B, read_latency: 1e-4 s, write_latency: 1e-4 s, read_rate: 400e6 B/s,
    write_rate: 200e6 B/s}}
  bucket: {{kind: object_store, write_latency: 0.05 s, read_latency: 0.02 s, connection_rate: 50e6 B/s, part: 8e6 B,
    read_requests: 5000 /s, write_requests: 3000 /s}}
links:
  lan: {{joins: [client, server, bucket], rate: 125e6 B/s, latency: 2e-4 s}}
data:
  d: {{on: source, size: 5e9 B, files: 2000, layout: 0.5, change: {{daily: 2 %, run: 256e3 B}}, filesystem:
    {{cpu_per_file: 1e-4 s/file, reads_per_file: 2, record: 4096 B, fragment: 65536 B, create_cpu: 1e-4 s/file,
    create_writes: 0.1, attribute_cpu: 1e-5 s/file, log_record: 1000 B/file}}}}
workloads:
  random: {{data: d, transactions: 5 /s, reads: 2, read_size: 65536 B, cpu: 1e-3 s, writes: 0 %}}
  users: {{data: d, clients: 5, think_time: 0.1 s, reads: 1, read_size: 8192 B, cpu: 0 s, writes: 20 %, updates: 1,
    update_size: 16384 B}}
jobs:
  full: {{METHOD, data: d, to: pool}}
"""
ARRAY = f'kind: raid, level: "5", disks: 4, stripe_unit: 65536 B, controller_overhead: 1e-4 s, disk: {{{ARM}}}'
DEVICES = {"disk": f"kind: disk, {ARM}", "array": f"{ARRAY}, prefetches: true"}
JOBS = {
    "inline": "  twin: {method: copy_save_set, save_set: full, to: bucket, inline: true}\n",
    "reverse": "  next: {METHOD, data: d, to: pool, level: reverse, since: 24 h, after: full}\n",
    "incremental": "  next: {METHOD, data: d, to: bucket, level: incremental, since: 24 h, after: full}\n",
    "restore": "  back: {restore: full, after: full}\n",
}
SIZES = {"B": 1, "B/s": 1, "B/file": 1}
TIMES = {"s": 1, "s/file": 1, "B/s": -1, "/s": -1, "rpm": -1}
STATED = re.compile(r"([0-9.e-]+) (B/s|B/file|B|s/file|s|/s|rpm)\b")


def run(text: str, size: float, time: float) -> Result:
    """The scenario in other units of size and time."""

    def scaled(stated: re.Match[str]) -> str:
        unit = stated[2]
        value = float(stated[1]) * size ** SIZES.get(unit, 0) * time ** TIMES.get(unit, 0)
        return f"{value!r} {unit}"

    return sb.simulate(STATED.sub(scaled, text))


def figures(result: Result) -> list[float]:
    """Seconds of jobs, and of transactions meanwhile."""
    jobs = [row["job"] for row in result.job_rows]
    users = [
        f"workloads.{name}.{job}.response" for name in ("random", "users") for job in jobs if job in {"full", "next"}
    ]
    return [result.get(name) for name in (*(f"jobs.{job}.elapsed" for job in jobs), *users)]


@pytest.mark.slow
@for_each("jobs", JOBS)
@for_each("device", DEVICES)
@for_each("method", ["image", "file_level"])
def test_other_units_of_size_and_time_give_the_same(method: str, device: str, jobs: str) -> None:
    text = (SCENARIO + JOBS[jobs]).replace("{SOURCE}", f"{{{DEVICES[device]}}}").replace("METHOD", f"method: {method}")
    before = figures(run(text, 1.0, 1.0))
    assert figures(run(text, 8.0, 1.0)) == pytest.approx(before, rel=1e-6)
    assert figures(run(text, 1.0, 4.0)) == pytest.approx([4.0 * seconds for seconds in before], rel=1e-6)
