"""Images that another host asks for one request after the other, on an array whose controller reads ahead."""

import pytest
from oracles.read_ahead import Cache, reader_rates

import simbackup as sb
from tests.cases import for_each

SCENARIO = """\
title: Disks of virtual machines that a proxy asks for
hosts:
  esx: {cores: 8, memory: 32 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, owns: [array]}
  proxy: {cores: 8, memory: 32 GiB, dirty_limit: 40 %, dirty_background: 10 %, copy_rate: 1000 GB/s, owns: [nowhere]}
devices:
  nowhere: {kind: nul}
  array: {kind: raid, level: "0", disks: 4, stripe_unit: 64 KiB, controller_overhead: 0 s, prefetches: true,
    read_ahead: 4 MiB, disk: {capacity: 100 GB, rotation_speed: 6000 rpm, track_to_track_seek: 5 ms,
    average_seek: 5 ms, full_stroke_seek: 5 ms, outer_rate: 100 MB/s, inner_rate: 100 MB/s, command_overhead: 0 s,
    stream_turn: 64 KiB}}
links:
  lan: {joins: [esx, proxy], rate: 100 GB/s, latency: PAUSE}
data: {d0: {on: array, size: 20 GB}, d1: {on: array, size: 20 GB}, d2: {on: array, size: 20 GB}}
jobs:
"""
MIB = 2**20


def rates(readers: int, pause: str) -> list[float]:
    job = "{method: image, data: dN, to: nowhere, share: {host: proxy, calls: 0, request: 256 KiB}}"
    jobs = "".join(f"  j{i}: {job.replace('dN', f'd{i}')}\n" for i in range(readers))
    found = sb.simulate(SCENARIO.replace("PAUSE", pause) + jobs)
    return [found.get(f"jobs.j{i}.rate") for i in range(readers)]


@for_each("readers", [1, 2, 3])
@for_each("pause", [0.1, 2.0, 10.0])
def test_what_is_read_ahead_waits_for_no_turn(readers: int, pause: float) -> None:
    expected = reader_rates(readers, MIB / 4, pause / 1000.0, Cache(4 * MIB, 0.01, 400e6))
    assert rates(readers, f"{pause} ms") == pytest.approx(expected, rel=0.02)
