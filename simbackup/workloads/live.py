"""What every live workload does."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from simbackup.devices.host.live import Host


class Workload(Protocol):
    """Someone who uses data or links while jobs run."""

    def start(self) -> None:
        """Begin to work."""
        ...

    def watch(self, job: str, now: float) -> None:
        """Note the totals when a job begins."""
        ...

    def tell(self, job: str, now: float) -> None:
        """Record what a job that has ended cost the workload."""
        ...


@runtime_checkable
class UsersOfData(Workload, Protocol):
    """A workload on a data set, which jobs can stop from writing or from working at all."""

    data: str
    host: Host

    def lock(self) -> None:
        """Stop writes from now on."""
        ...

    def unlock(self) -> None:
        """Allow writes again."""
        ...

    def close(self) -> None:
        """Stop all work from now on."""
        ...

    def open(self) -> None:
        """Allow work again."""
        ...
