"""A live part of a package that lacks something is reported by its class, not with a traceback."""

from collections.abc import Callable
from typing import Any

import pytest

from simbackup.devices.store import Direction, Service, Store
from simbackup.run import simulate
from simbackup.schema import registry
from simbackup.schema.registry import RoomError

SITE = """
title: A backup to a disk
hosts: {server: {model: host/linux-modern-server, owns: [flash, disk]}}
devices:
  flash: {model: ssd/nvme-gen3-2018}
  disk: {model: disk/sata-7200-1tb-2008}
data: {files: {on: flash, size: 1 GB}}
workloads: {users: {data: files, transactions: 1 /s, reads: 1, read_size: 8 KiB, cpu: 1 ms, writes: 0}}
jobs: {backup: {method: image, data: files, to: disk}}
"""


class Bare(Store):
    """A device whose author forgot its size and link."""

    name = "devices.disk"

    def __init__(self, **own: object) -> None:
        self.path = ()
        vars(self).update(own)

    def stream(self, direction: Direction, position: float, size: float) -> float:
        raise NotImplementedError

    def request(self, direction: Direction, head: float, position: float, size: float) -> Service:
        raise NotImplementedError


def failure(monkeypatch: pytest.MonkeyPatch, make: str, live: object) -> str:
    """What a run says when the room's function makes something else."""
    plain: Callable[[str], Callable[..., Any]] = registry.function
    monkeypatch.setattr(registry, "function", lambda name: (lambda *_: live) if name == make else plain(name))
    with pytest.raises(RoomError) as caught:
        simulate(SITE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("own", "lacks"),
    [
        ({}, "link, size"),
        ({"size": 1e9}, "link"),
        ({"size": 1e9, "link": None}, "link"),
        ({"size": "1 GB"}, "link, size"),
    ],
)
def test_a_store_without_size_or_link(monkeypatch: pytest.MonkeyPatch, own: dict[str, object], lacks: str) -> None:
    make = "simbackup.devices.disk.live:make"
    message = failure(monkeypatch, make, Bare(**own))
    assert message.startswith(f"'{make}' made a ")
    assert f".Bare without {lacks}; the live part of a BlockDevice is a simbackup.devices.store.Store" in message


def test_a_job_that_cannot_run_and_a_workload_that_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "without method, run; the live part of a JobSpec" in failure(
        monkeypatch, "simbackup.methods.file_backup.make:make", object()
    )
    monkeypatch.undo()
    assert "without start, tell, watch; the live part of a WorkloadSpec" in failure(
        monkeypatch, "simbackup.workloads.users.make:make", object()
    )
