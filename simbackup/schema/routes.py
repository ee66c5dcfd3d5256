"""The networks that lie between two ends of a scenario."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection

from simbackup.schema.scenario import Spec


def route(spec: Spec, begin: str, end: str) -> tuple[str, ...] | None:
    """The links on the way with the fewest links between two hosts or devices; None if there is no way.

    A device and the host that owns it are at one place, unless links lie between them: then these are its buses. A link
    may join another link, as a bridge joins a loop. Among ways of equal length the one whose links are listed first is
    taken.
    """
    named = {end for link in spec.links.values() for end in link.joins}
    way = _way(_beside(spec, named), spec, begin, end)
    return _way(_beside(spec, set()), spec, begin, end) if way is None else way


def _way(beside: dict[str, list[str]], spec: Spec, begin: str, end: str) -> tuple[str, ...] | None:
    """The shortest way through what lies beside each other."""
    reached: dict[str, tuple[str, ...]] = {begin: ()}
    front = deque([begin])
    while front:
        here = front.popleft()
        for there in beside.get(here, []):
            way = (*reached[here], there) if there in spec.links else reached[here]
            if there not in reached or len(way) < len(reached[there]):
                reached[there] = way
                front.append(there) if there in spec.links else front.appendleft(there)
    return reached.get(end)


def _beside(spec: Spec, bused: Collection[str]) -> dict[str, list[str]]:
    """What lies beside each host, device and link; a device with buses lies beside these, and not beside its host."""
    beside: dict[str, list[str]] = {}
    for host, part in spec.hosts.items():
        for device in part.owns:
            if device not in bused:
                beside.setdefault(host, []).append(device)
                beside.setdefault(device, []).append(host)
    for link, part in spec.links.items():
        for end in part.joins:
            beside.setdefault(end, []).append(link)
            beside.setdefault(link, []).append(end)
    return beside
