"""Names whose flows fail until they are admitted again, and the waits of those that must not wait any longer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import simpy


class Closure(NamedTuple):
    """Why a part serves nobody, the address of what has failed, and when it serves again; None if it never does."""

    reason: str
    part: str = ""
    opens: simpy.Event | None = None


@dataclass(slots=True)
class Refusals:
    """Why flows of a name fail, also those that come, until the name is admitted again.

    Whoever waits under such a name, and moves nothing meanwhile, does not wait to the end.
    """

    expected: bool = False
    """Whether anything can fail at all; else nobody looks out for it."""
    closures: dict[str, Closure] = field(default_factory=dict[str, Closure])
    """Why, by name."""
    waiting: dict[str, simpy.Event] = field(default_factory=dict[str, simpy.Event])
    """Events that succeed when a name is refused, as long as somebody waits under it."""

    def refuse(self, name: str, closure: Closure) -> None:
        """Refuse a name, and end the waits under it."""
        self.closures.setdefault(name, closure)
        if name in self.waiting:
            self.waiting.pop(name).succeed()

    def admit(self, name: str) -> Closure | None:
        """Refuse a name no more; why it was refused, None if it was not."""
        return self.closures.pop(name, None)

    def until(self, name: str, event: simpy.Event) -> Generator[simpy.Event, Any, Closure | None]:
        """Wait for an event under a name; why the name is refused if that comes first."""
        if not self.expected or event.triggered:
            yield event
            return None
        if name not in self.closures:
            yield event | self.waiting.setdefault(name, event.env.event())
        return None if event.triggered else self.closures.get(name)
