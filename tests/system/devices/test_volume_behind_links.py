"""A volume of one host on an array elsewhere is read and written over the links between."""

import pytest

from simbackup.run import simulate
from tests.cases import for_each

SITE = """\
title: A logical volume on an array behind a link
hosts:
  server: {{model: host/linux-modern-server, owns: [{own}, out]}}
  filer: {{model: host/linux-modern-server, owns: [{filer}]}}
devices:
  array: {{model: ssd/nvme-gen3-2018}}
  volume: {{kind: logical_volume, 'on': array, size: 200 GB}}
  out: {{model: ssd/nvme-gen3-2018}}
  other: {{model: ssd/nvme-gen3-2018}}
links:
  san: {{rate: 10 MB/s, latency: 0.1 ms, joins: [server, {to}]}}
data:
  files: {{'on': volume, size: 1 GB}}
jobs:
  save: {{method: image, data: files, to: out}}
  back: {{restore: save, after: save}}
"""


@for_each(
    "own, filer, to",
    [("array", "other", "array"), ("volume", "other", "array"), ("volume", "array", "filer")],
    ids=["the host owns the array", "the host owns the volume", "the array belongs to another host"],
)
def test_the_way_to_the_array_is_crossed(own: str, filer: str, to: str) -> None:
    result = simulate(SITE.format(own=own, filer=filer, to=to))
    assert result.get("jobs.save.elapsed") == pytest.approx(100.0, rel=0.02)
    assert result.get("links.san.bytes") == pytest.approx(2e9, rel=0.01)
    assert next(iter(result.causes("save"))).address == "links.san"
