"""Names of a site, times and rules that a plan could not use are reported at their place before anything runs."""

import pytest

from simbackup.errors import InputError
from simbackup.planning.loading import read_site
from simbackup.policies.calendar import end_of
from tests.cases import for_each

SITE = """\
title: Names
start: 2027-01-04
network: network/ten-gigabit-ethernet
machines:
  server: {host: host/linux-modern-server, storage: ssd/nvme-gen3-2018}
targets:
  pool: {host: host/linux-modern-server, device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 12}}
  vault:
    beside: pool
    link: {rate: 1 GB/s, latency: 0.1 ms}
    device: {model: tape_library/autoloader-8, drive: tape_drive/lto-9, drives: 1}
policies:
  nightly:
    at: "20:00"
    schedule: {full: daily}
    to: pool
    retention: {last: 7}
    copies: {tape: {to: vault, on: saturday, retention: {last: 4}}}
systems:
  files: {size: 1 TB, policy: nightly}
  other: {size: 1 GB, policy: nightly}
"""


@for_each("until", ["9999-12-31", "9999999999999 days", "3x"])
def test_an_end_beyond_all_plans_is_reported(until: str) -> None:
    with pytest.raises(InputError, match="--at: "):
        end_of(read_site(SITE).spec.start, until, "--at")
