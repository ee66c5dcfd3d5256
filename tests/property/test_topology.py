"""Ways between hosts and devices are those of a plain search of the whole network, also where it has rings and ties."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from simbackup.scenario.topology import Beside, Topology

NODES = st.sampled_from([*"abcdefgh", *"LMNOPQRS"])
EDGES = st.lists(st.tuples(NODES, NODES), max_size=22)


def searched(beside: Beside, begin: str, end: str) -> tuple[str, ...] | None:
    """The first way with the fewest links that a search from one node over all others finds; links are capitals."""
    reached, front = {begin: (begin,)}, deque([begin])
    while front and end not in reached:
        here = front.popleft()
        near = beside.get(here, {})
        for there in (end,) if end in near else near:
            if there not in reached:
                reached[there] = (*reached[here], there)
                front.append(there) if there.isupper() else front.appendleft(there)
    return reached.get(end)


def network(edges: list[tuple[str, str]]) -> Beside:
    beside: dict[str, dict[str, int]] = {}
    for edge in edges:
        for here, there in (edge, edge[::-1]):
            near = beside.setdefault(here, {})
            near.setdefault(there, len(near))
    return beside


@given(edges=EDGES, asked=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")), max_size=8))
def test_ways_are_those_of_a_plain_search(edges: list[tuple[str, str]], asked: list[tuple[str, str]]) -> None:
    beside = network(edges)
    topology = Topology(beside, {node for node in beside if node.isupper()})
    for begin, end in asked:
        assert topology.way(begin, end) == searched(beside, begin, end)
