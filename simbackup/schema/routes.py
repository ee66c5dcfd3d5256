"""The networks that lie between two ends of a scenario."""

from __future__ import annotations

from collections import deque

from simbackup.schema.scenario import Spec


def route(spec: Spec, begin: str, end: str) -> tuple[str, ...] | None:
    """The links on the way with the fewest links between two hosts or devices; None if there is no way.

    A device and the host that owns it are at one place. Among ways of equal length the one whose links are listed
    first is taken.
    """
    beside: dict[str, list[tuple[str, str | None]]] = {}
    for host, part in spec.hosts.items():
        for device in part.owns:
            beside.setdefault(host, []).append((device, None))
            beside.setdefault(device, []).append((host, None))
    for link, part in spec.links.items():
        for one in part.joins:
            for other in part.joins:
                if one != other:
                    beside.setdefault(one, []).append((other, link))
    reached: dict[str, tuple[str, ...]] = {begin: ()}
    front = deque([begin])
    while front:
        here = front.popleft()
        for there, link in beside.get(here, []):
            way = (*reached[here], link) if link is not None else reached[here]
            if there not in reached or len(way) < len(reached[there]):
                reached[there] = way
                front.appendleft(there) if link is None else front.append(there)
    return reached.get(end)
