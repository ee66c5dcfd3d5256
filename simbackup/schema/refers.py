"""Keys that name other parts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refers:
    """Marks a key that names other parts: what its part does to them, and the sections in which a name is looked for.

    Pictures draw an arrow for it. They know `reads` and `observes` (the arrow leads to the job), `restores`, `indexes`
    and `copies` (the method is "of" the other job), `writes`, `changes`, `acts on`, `crosses`, `replays`, `uses`,
    `works on` and `follows`; any other verb is written beside its arrow.

    >>> Refers("reads", "devices", "data").sections
    ('devices', 'data')
    """

    does: str
    sections: tuple[str, ...]

    def __init__(self, does: str, *sections: str) -> None:
        object.__setattr__(self, "does", does)
        object.__setattr__(self, "sections", sections)


OF_DATA = Refers("reads", "data")
ONTO_DATA = Refers("writes", "data")
ONTO_DEVICE = Refers("writes", "devices")
