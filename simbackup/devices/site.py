"""The arguments of a device's `make`: its name, the live system, the scenario, and the space reserved for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simbackup.devices.store import Region

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.system import System


@dataclass(frozen=True, slots=True)
class Site:
    """What the `make` of a device may use."""

    system: System
    spec: Spec
    name: str
    area: Region | None = None
    """The room on another device that is reserved for it, if it takes any."""

    @property
    def address(self) -> str:
        """Its address, such as `devices.disk`."""
        return f"devices.{self.name}"

    @property
    def room(self) -> Region:
        """The room on another device that is reserved for it.

        Raises
        ------
        ValueError
            It takes none.
        """
        if self.area is None:
            raise ValueError(f"{self.address} takes no room on another device")
        return self.area
