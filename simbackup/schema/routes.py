"""The networks that lie between two ends of a scenario."""

from __future__ import annotations

from collections import deque

from simbackup.schema.scenario import Spec


def route(spec: Spec, begin: str, end: str) -> tuple[str, ...] | None:
    """The links on the way with the fewest links between two hosts or devices; None if there is no way.

    A device and the host that owns it are at one place, unless a link joins them: then it is the bus between them.
    A link may join another link, as a bridge joins a loop. Among ways of equal length the one whose links are listed
    first is taken.
    """
    beside = _beside(spec)
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


def _beside(spec: Spec) -> dict[str, list[str]]:
    """What lies beside each host, device and link."""
    beside: dict[str, list[str]] = {}
    buses = [set(link.joins) for link in spec.links.values()]
    for host, part in spec.hosts.items():
        for device in part.owns:
            if not any({host, device} <= joined for joined in buses):
                beside.setdefault(host, []).append(device)
                beside.setdefault(device, []).append(host)
    for link, part in spec.links.items():
        for end in part.joins:
            beside.setdefault(end, []).append(link)
            beside.setdefault(link, []).append(end)
    return beside
