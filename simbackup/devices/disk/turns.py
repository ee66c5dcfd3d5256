"""What streams on the same disks lose by taking turns, from their places and from what is asked for at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from simbackup.engine.flows import Flow, Link
from simbackup.engine.limit import Spot
from simbackup.equations.disk import DiskParameters, cylinder
from simbackup.equations.disk_turns import sweep_turn_time, turn_size, turn_time

NOWHERE = Spot(0.0)


def lost_in_turns(
    disk: DiskParameters,
    link: Link,
    flows: Sequence[Flow],
    run: Callable[[Spot, int], float] | None = None,
    stripe: tuple[float, int] = (0.0, 1),
) -> dict[Flow, float]:
    """Seconds for each unit of each stream that go into turning to it from the others, on all of its disks at once.

    `run` gives the bytes that are under way at once at a place when so many streams read, or write, beside it; those of
    the place unless given. `stripe` are the bytes of one disk before the next follows, and the disks of data. Where the
    place of a stream is not known, the arm goes a third of its way.
    """
    unit, disks = stripe
    streams = [flow for flow in flows if flow.sequential and flow.moves.get(link, 0.0)]
    places = [flow.places.get(link) for flow in streams]
    if len(streams) < 2:  # noqa: PLR2004 (whoever is alone turns to nobody)
        return {}
    if None in places:
        turn = turn_time(disk)
    else:
        turn = sweep_turn_time(disk, [cylinder(disk, place.position / disks) for place in places if place])
    writers = sum(place.writes for place in places if place)
    lost: dict[Flow, float] = {}
    for flow, known in zip(streams, places, strict=True):
        place = known or NOWHERE
        together = writers if place.writes else len(streams) - writers
        under_way = place.run if run is None else run(place, together)
        size = turn_size(disk, under_way, unit, disks)
        lost[flow] = flow.sequential * flow.moves[link] / disks / size * turn
    return lost
