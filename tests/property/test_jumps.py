"""No number is special: where one is moved by half a percent, no figure jumps."""

import pytest

from benchmarks import jumps as seeker
from benchmarks.jumps import jumps
from simbackup.scenario import load
from tests.cases import for_each

REBUILD = """
title: A rebuild beside users, with a precedence that once was taken for none
hosts:
  server: {model: host/linux-modern-server, owns: [pool]}
devices:
  pool: {model: raid/hardware-raid6-2018, disks: 4, level: 5, failed: 1, disk: {model: disk/nearline-4tb-2013,
    capacity: 200 GB}}
data:
  files: {on: pool, size: 50 GB}
workloads:
  users: {model: workload/oltp, data: files, clients: 8}
jobs:
  rebuild: {method: rebuild, of: pool, precedence: 3}
"""


@for_each("name", ["teaching/short-backups", "teaching/snapshot-slows-writes", "planning/rebuild"])
def test_no_figure_jumps(name: str) -> None:
    assert list(jumps(load(name), most=6)) == []


def test_no_precedence_is_special() -> None:
    scenario = load(REBUILD)
    [address] = [value.address for value in scenario.values if value.address.endswith("precedence")]
    stated, more = (seeker.moved(scenario, address, factor) for factor in (1.0, 1.0 + seeker.STEP))
    assert stated.keys() == more.keys() == {"jobs.rebuild.elapsed", "workloads.users.rate during rebuild"}
    for figure, value in stated.items():
        assert more[figure] == pytest.approx(value, rel=seeker.JUMP)


def test_a_jump_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def special(scenario: object, address: str, factor: float) -> dict[str, float]:
        del scenario
        return {"jobs.a.elapsed": 2.0 if address.endswith("precedence") and factor < 1.0 else 1.0}

    monkeypatch.setattr(seeker, "moved", special)
    monkeypatch.setattr(seeker, "figures", lambda _: {"jobs.a.elapsed": 1.0})
    found = list(jumps(load(REBUILD)))
    assert [(jump.address, jump.factor, jump.after) for jump in found] == [("jobs.rebuild.precedence", 0.995, 2.0)]
