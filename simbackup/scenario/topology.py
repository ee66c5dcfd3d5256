"""Shortest ways through a network, at a cost that does not grow with the network where it is a tree."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Beside = Mapping[str, Mapping[str, int]]
"""The neighbours of each host, device and link, and their places in the order of the file."""


class Topology:
    """The ways between the nodes of a network with the fewest links; of equal ones that whose links are listed first.

    What hangs on one other node, and what is left hanging then, is no part of a way between others. It is taken off
    once: there is one way from it to the ring of what remains, and only that is searched.
    """

    def __init__(self, beside: Beside, links: Collection[str]) -> None:
        self.beside = beside
        self._links = links
        self._hangs_on = _hanging(beside)
        self._asked: Counter[str] = Counter()
        self._far: dict[str, dict[str, int]] = {}
        self._found: dict[tuple[str, str], tuple[str, ...] | None] = {}

    def way(self, begin: str, end: str) -> tuple[str, ...] | None:
        """The nodes on the way between two hosts or devices, with both; None if there is no way.

        >>> lan = Topology({"a": {"lan": 0}, "lan": {"a": 0, "b": 1}, "b": {"lan": 0}}, {"lan"})
        >>> lan.way("a", "b"), lan.way("a", "elsewhere")
        (('a', 'lan', 'b'), None)
        """
        if begin == end:
            return (begin,)
        if begin not in self.beside or end not in self.beside:
            return None
        up, down = self._to_ring(begin), self._to_ring(end)
        met = next((node for node in up if node in down), None)
        if met is not None:
            return (*up[: up.index(met)], *reversed(down[: down.index(met) + 1]))
        ends = up[-1], down[-1]
        if ends not in self._found:
            self._found[ends] = self._around(*ends)
        between = self._found[ends]
        return None if between is None else (*up[:-1], *between, *reversed(down[:-1]))

    def _to_ring(self, node: str) -> list[str]:
        """The nodes from one to the first that hangs on no other."""
        way = [node]
        while (above := self._hangs_on.get(way[-1])) is not None:
            way.append(above)
        return way

    def _around(self, begin: str, end: str) -> tuple[str, ...] | None:
        """The way between two nodes of the ring."""
        self._asked.update((begin, end))
        centre = begin if self._asked[begin] > self._asked[end] else end
        if centre not in self._far:
            self._far[centre] = self._distances(centre)
        far, other = self._far[centre], begin if centre == end else end
        if other not in far:
            return None
        return self._first(begin, end, self._downhill(other, centre, far))

    def _distances(self, centre: str) -> dict[str, int]:
        """The links on the way from a node to each node of the ring, with that node if it is one."""
        far, front = {centre: 0}, deque([centre])
        while front:
            here = front.popleft()
            for there in self._near(here):
                if there not in far:  # a step onto a link counts one, any other none: the first way is a shortest one
                    far[there] = far[here] + (there in self._links)
                    front.append(there) if there in self._links else front.appendleft(there)
        return far

    def _near(self, node: str) -> Iterable[str]:
        """The neighbours of a node in the ring."""
        return (there for there in self.beside[node] if there not in self._hangs_on)

    def _downhill(self, node: str, centre: str, far: Mapping[str, int]) -> set[str]:
        """All nodes on shortest ways from a node to the centre, from which each node is so far."""
        on_way, front = {node}, [node]
        while front:
            here = front.pop()
            nearer = far[here] - (here in self._links)
            for there in self._near(here) if here != centre else ():
                if far.get(there) == nearer and there not in on_way:
                    on_way.add(there)
                    front.append(there)
        return on_way

    def _first(self, begin: str, end: str, on_way: Collection[str]) -> tuple[str, ...] | None:
        """The first of the shortest ways, which lead over nodes that are on one of them."""
        reached: dict[str, tuple[str, ...]] = {begin: (begin,)}
        front = deque([begin])
        while front and end not in reached:
            here = front.popleft()
            places = self.beside[here]
            near = sorted((there for there in on_way if there in places), key=lambda there: places[there])
            for there in (end,) if end in near else near:
                if there not in reached:
                    reached[there] = (*reached[here], there)
                    front.append(there) if there in self._links else front.appendleft(there)
        return reached.get(end)


def _hanging(beside: Beside) -> dict[str, str]:
    """The node on which each one hangs that has no other neighbour, or none that does not hang on it."""
    left = {node: set(near) - {node} for node, near in beside.items()}
    found: dict[str, str] = {}
    loose = [node for node, near in left.items() if len(near) == 1]
    while loose:
        node = loose.pop()
        if len(left[node]) != 1:  # the last of a tree
            continue
        [above] = left[node]
        found[node] = above
        left[above].discard(node)
        if len(left[above]) == 1:
            loose.append(above)
    return found


def along(name: str, following: Callable[[str], str | None]) -> Iterator[str]:
    """A name and those that follow it, one after the other, each once.

    >>> list(along("a", {"a": "b", "b": "a"}.get))
    ['a', 'b']
    """
    seen = {""}
    while name not in seen:
        yield name
        seen.add(name)
        name = following(name) or ""


def circles(before: Mapping[str, Collection[str]]) -> list[list[str]]:
    """The names that come before themselves, together with those that come before each other, in their order.

    The strongly connected parts of a graph (Tarjan 1972), in a time that grows with its edges.

    >>> circles({"a": ["b"], "b": ["c", "d"], "c": ["b"], "d": [], "e": ["e"]})
    [['b', 'c'], ['e']]
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_ones: dict[str, None] = {}
    found: list[list[str]] = []
    place = {name: i for i, name in enumerate(before)}
    for root in before:
        way = [(root, iter(before[root]))] if root not in number else []
        while way:
            name, rest = way[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                open_ones[name] = None
            other = next((each for each in rest if each in before and (each not in number or each in open_ones)), None)
            if other is None:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    together = [last := open_ones.popitem()[0]]
                    while last != name:
                        together.append(last := open_ones.popitem()[0])
                    if len(together) > 1 or name in before[name]:
                        found.append(sorted(together, key=place.__getitem__))
            elif other in number:
                lowest[name] = min(lowest[name], number[other])
            else:
                way.append((other, iter(before[other])))
    return sorted(found, key=lambda circle: place[circle[0]])
