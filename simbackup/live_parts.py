"""What live parts have to offer, by the capability of their spec."""

from __future__ import annotations

from typing import Any

from simbackup.devices.image import FrozenImage
from simbackup.devices.store import Store
from simbackup.devices.tape.live import Library
from simbackup.devices.volume.live import Volume
from simbackup.engine.link import Link
from simbackup.methods.job import Work
from simbackup.schema import registry
from simbackup.schema.capability import BlockDevice, ImageDevice, MediaLibrary, VolumeDevice
from simbackup.schema.job import JobSpec
from simbackup.schema.part import Part
from simbackup.schema.registry import RoomError
from simbackup.schema.workload import WorkloadSpec
from simbackup.workloads.live import Workload

ASKED: tuple[tuple[type[Part], type], ...] = (
    (VolumeDevice, Volume), (BlockDevice, Store), (ImageDevice, FrozenImage), (MediaLibrary, Library),
    (JobSpec, Work), (WorkloadSpec, Workload),
)  # fmt: skip
"""What the live part of each capability is; of several the first."""
TYPES: dict[str, tuple[type, ...]] = {"link": (Link,), "size": (int, float)}
"""Of what type some attributes have to be."""


def made(part: Part, *given: object) -> Any:
    """The live part that the room of a spec makes.

    Raises
    ------
    RoomError
        It lacks something that its capability promises.
    """
    make = registry.kind_of(part).make
    live = registry.function(make)(*given)
    for capability, asked in ASKED:
        if isinstance(part, capability):
            lacks = [name for name in _members(asked) if not _has(live, name)]
            if lacks:
                own = f"{type(live).__module__}.{type(live).__qualname__}"
                wanted = f"the live part of a {capability.__name__} is a {asked.__module__}.{asked.__name__}"
                raise RoomError(f"'{make}' made a {own} without {', '.join(lacks)}; {wanted}")
            break
    return live


def _members(asked: type) -> list[str]:
    """The names that a class declares."""
    declared = {*vars(asked), *vars(asked).get("__annotations__", {})}
    return sorted(name for name in declared if not name.startswith("_"))


def _has(live: object, name: str) -> bool:
    """Whether a live part has an attribute, of the right type where that matters at once."""
    return hasattr(live, name) and isinstance(getattr(live, name), TYPES.get(name, object))
