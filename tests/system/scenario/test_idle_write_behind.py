"""What a host writes of a stream at once is warned about where its disks and controllers write more, and only there."""

import simbackup as sb
from simbackup.run import warnings_of

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


def test_a_volume_on_an_array_of_another_host_counts() -> None:
    text = site("model: disk/nearline-6tb-2018", "64 MiB").replace("owns: [source, target]", "owns: [source, volume]")
    text = text.replace("hosts: {", "hosts: {keeper: {model: host/linux-modern-server, owns: [target]}, ")
    text = text.replace("on: target", "on: volume").replace("data:\n", VOLUME)
    assert warnings_of(sb.load(text)) == []
