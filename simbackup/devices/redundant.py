"""Block devices that make what a failed disk held again, as those see them who rebuild one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from simbackup.devices.shape import FlowShape


@runtime_checkable
class Redundant(Protocol):
    """A block device of several disks that makes what a failed one held again on a new one."""

    @property
    def degraded(self) -> bool:
        """Whether a disk is missing."""
        ...

    def rebuilding(self, allocated: float, scattered: float) -> tuple[FlowShape, float]:
        """How a byte of the new disk loads all disks, and the bytes of it; its share is that of a stream.

        So many bytes of the device are allocated, of which a share lies scattered.
        """
        ...

    def rebuilt(self) -> None:
        """Put the new disk in the place of the missing one."""
        ...
