"""Several writers of one volume fill a copy area no further than it goes, and together as one would alone."""

import pytest

from simbackup.results.result import Result
from simbackup.run import simulate

SITE = """\
title: Writers of one volume
hosts: {{server: {{model: host/linux-modern-server, owns: [disk, spare, other]}}}}
devices:
  disk: {{model: disk/sata-7200-1tb-2008}}
  spare: {{model: disk/sata-7200-1tb-2008}}
  other: {{model: disk/sata-7200-1tb-2008}}
  volume: {{kind: logical_volume, 'on': disk, size: 100 GB}}
  cow: {{model: snapshot/lvm2-2.6.18, of: volume, 'on': spare, size: 4 MB}}
data:
  one: {{'on': volume, size: 40 GB}}
  two: {{'on': volume, size: 40 GB}}
  back: {{'on': other, size: 20 GB}}
workloads:
{users}
jobs:
  freeze: {{method: create_snapshot, snapshot: cow}}
  wait: {{method: image, data: back, to: spare, after: freeze}}
{jobs}
"""
USERS = """\
  {name}:
    {{data: {name}, transactions: {rate} /s, reads: 1, read_size: 4 KiB, cpu: 0 s, writes: 100 %, updates: 1}}
"""
WRITER = "  new: {method: write, data: two, portion: 1 %, after: freeze}\n"


def ran(groups: dict[str, float], jobs: str = "") -> Result:
    users = "".join(USERS.format(name=name, rate=rate) for name, rate in groups.items())
    return simulate(SITE.format(users=users, jobs=jobs))


def filled_at(result: Result) -> float:
    """Seconds at which the copy area was full."""
    return next(event.time for event in result.trace.events if "copy area is full" in event.what)


@pytest.mark.parametrize("jobs", ["", WRITER])
def test_no_more_is_copied_than_the_area_holds(jobs: str) -> None:
    result = ran({"one": 10, "two": 10}, jobs)
    copied, area = result.get("devices.cow.copied_bytes"), result.get("devices.cow.area_bytes")
    assert 0.95 * area < copied <= area


def test_two_groups_fill_it_when_one_of_both_would() -> None:
    assert filled_at(ran({"one": 5, "two": 15})) == pytest.approx(filled_at(ran({"one": 20})), rel=0.01)
