"""A site of which plans are made in tests."""

from typing import Any

from simbackup.schema.yaml_file import parse

TEXT = """
title: A small site
start: 2027-01-02
zone: Europe/Berlin
network: network/ten-gigabit-ethernet
machines:
  guest: {host: host/linux-modern-server, storage: ssd/nvme-gen3-2018}
targets:
  pool:
    host: host/linux-modern-server
    device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 12}
  vault:
    beside: pool
    link: {rate: 800 MB/s, latency: 0.1 ms}
    device: {model: tape_library/storagetek-sl8500-small, drive: tape_drive/lto-9, drives: 1}
    offsite: true
    place: vault
policies:
  nightly:
    to: pool
    at: "20:00"
    window: 20:00 to 06:00
    schedule: {full: saturday, incremental: daily}
    retention: {age: 5 weeks}
    copies:
      tape: {to: vault, which: full, retention: {age: 13 weeks}}
systems:
  first: {size: 1 TB, change: {daily: 3 %, run: 256 KiB}, policy: nightly}
  second: {size: 2 TB, files: 100_000, filesystem: filesystem/xfs, change: {daily: 1 %}, policy: nightly}
"""


def site(**parts: Any) -> dict[str, Any]:
    """The site with some sections replaced, as a mapping."""
    return parse(TEXT, "site").plain() | parts
