"""What a host writes of a stream at once is warned about where its disks and controllers write more, and only there."""

import pytest

import simbackup as sb
from simbackup.run import warnings_of
from tests.cases import for_each

ARRAY = "kind: raid, level: '5', disk: disk/nearline-6tb-2018, stripe_unit: 64 KiB, controller_overhead: 50 us"
SITE = """\
title: Two files onto one device
hosts: {server: {model: host/linux-modern-server, owns: [source, target], write_behind: HOST}}
devices:
  source: {model: ssd/nvme-gen3-2018, capacity: 1 TB}
  target: {TARGET}
data:
  one: {on: source, size: 20 GB}
  other: {on: source, size: 20 GB}
  there: {on: target, size: 20 GB}
  beside: {on: target, size: 20 GB}
jobs:
  first: {method: copy, data: one, to: there}
  second: {method: copy, data: other, to: beside}
"""
VOLUME = """\
  volume: {kind: logical_volume, on: target, size: 100 GB}
links: {san: {model: network/fibre-channel-16g, joins: [server, target]}}
data:
"""


def site(target: str, host: str) -> str:
    return SITE.replace("TARGET", target).replace("HOST", host)


@for_each(
    "target, host, idle",
    [
        ("model: disk/nearline-6tb-2018", "64 MiB", False),
        ("model: ssd/nvme-gen3-2018", "64 MiB", True),
        (f"{ARRAY}, disks: 4, write_cache: 1 GiB, write_behind: 32 MiB", "64 MiB", False),
        (f"{ARRAY}, disks: 4", "16 MiB", False),
        (f"{ARRAY}, disks: 4, write_cache: 16 MiB", "10 MiB", False),  # two streams share the cache
    ],
)
def test_it_is_warned_about_where_it_moves_nothing(target: str, host: str, idle: bool) -> None:
    text = site(target, host)
    found = [str(warning) for warning in warnings_of(sb.load(text))]
    assert sum("hosts.server.write_behind: has no effect here" in text for text in found) == idle
    least = sb.simulate(site(target, "1 KiB" if idle else host)).get("jobs.second.elapsed")
    other = sb.simulate(site(target, host if idle else "1 KiB")).get("jobs.second.elapsed")
    assert (least == other) is idle


def test_a_volume_on_an_array_of_another_host_counts() -> None:
    text = site("model: disk/nearline-6tb-2018", "64 MiB").replace("owns: [source, target]", "owns: [source, volume]")
    text = text.replace("hosts: {", "hosts: {keeper: {model: host/linux-modern-server, owns: [target]}, ")
    text = text.replace("on: target", "on: volume").replace("data:\n", VOLUME)
    assert warnings_of(sb.load(text)) == []


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("model: disk/nearline-6tb-2018", "4 KiB"),
        (f"{ARRAY}, disks: 4, write_cache: 1 GiB, write_behind: 32 MiB", "16 MiB"),
    ],
)
def test_a_value_that_others_exceed_is_compared_with_theirs_and_so_is_used(target: str, host: str) -> None:
    """A limit that does not bind has done its work: a larger one would have moved the result."""
    text = site(target, host)
    assert warnings_of(sb.load(text)) == []
    elapsed = sb.simulate(text).get("jobs.second.elapsed")
    assert sb.simulate(site(target, "64 MiB")).get("jobs.second.elapsed") < elapsed
