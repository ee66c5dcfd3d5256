"""Positions at which a byte is less than what numbers tell apart."""

import pytest

import simbackup as sb
from tests.cases import for_each

SITE = """\
title: A save set behind eleven petabytes
hosts:
  server: {model: host/linux-2020-server, owns: [pool, flash]}
devices:
  pool: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 600}
  flash: {model: ssd/nvme-gen4-2021}
data:
  old: {on: pool, size: 11 PB}
  new: {on: flash, size: SIZE}
jobs:
  save: {method: image, data: new, to: pool}
"""


@for_each("size", ["1 B", "3 B", "1234567 B", "123456789 B"])
def test_what_is_written_there_comes_to_an_end(size: str) -> None:
    result = sb.simulate(SITE.replace("SIZE", size))
    assert result.get("jobs.save.elapsed") > 0.0
    assert result.get("jobs.save.bytes") == pytest.approx(float(size.split(maxsplit=1)[0]))
