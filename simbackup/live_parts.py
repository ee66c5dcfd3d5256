"""Live parts from specs, each with what its capabilities promise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

from simbackup.engine.link import Link
from simbackup.schema import registry
from simbackup.schema.part import Part
from simbackup.schema.registry import RoomError

TYPES: dict[str, tuple[type, ...]] = {"link": (Link,), "size": (int, float)}
"""Of what type some attributes have to be."""


@cache
def capabilities(spec: type[Part]) -> Mapping[type[Part], type]:
    """What the live part of each capability of a spec offers; a capability takes the place of those it derives from."""
    said = [each for each in spec.__mro__ if vars(each).get("live_part")]
    own = [each for each in said if not any(other is not each and issubclass(other, each) for other in said)]
    return {each: cast("type", registry.function(vars(each)["live_part"])) for each in own}


def made(part: Part, *given: object) -> Any:
    """The live part that the room of a spec makes.

    Raises
    ------
    RoomError
        It lacks something that its capability promises.
    """
    make = registry.kind_of(part).make
    live = registry.function(make)(*given)
    for capability, offers in capabilities(type(part)).items():
        lacks = [name for name in _members(offers) if not _has(live, name)]
        if lacks:
            own = f"{type(live).__module__}.{type(live).__qualname__}"
            wanted = f"the live part of a {capability.__name__} is a {offers.__module__}.{offers.__name__}"
            raise RoomError(f"'{make}' made a {own} without {', '.join(lacks)}; {wanted}")
    return live


@cache
def _members(offers: type) -> list[str]:
    """The names that a class and those that it derives from declare."""
    own = [each for each in offers.__mro__ if each.__module__ not in {"builtins", "typing", "abc"}]
    declared = {name for each in own for name in (*vars(each), *vars(each).get("__annotations__", {}))}
    return sorted(name for name in declared if not name.startswith("_"))


def _has(live: object, name: str) -> bool:
    """Whether a live part has an attribute, of the right type where that matters at once."""
    return hasattr(live, name) and isinstance(getattr(live, name), TYPES.get(name, object))
