"""What a service device offers to jobs: operations that move no bytes (a metadata server, a catalogue)."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from simbackup.devices.shape import FlowShape


@runtime_checkable
class Answering(Protocol):
    """A device that answers operations that move no bytes."""

    def asked(self, times: float) -> FlowShape:
        """The shape of so many operations, one after the other."""
        ...
