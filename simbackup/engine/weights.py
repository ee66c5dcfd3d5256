"""Flows that meet others on a link, and weights that hold there only as long as flows of another sort cross it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from simbackup.engine.crowds import Crowds
    from simbackup.engine.flow import Flow
    from simbackup.engine.link import Link


class Among(NamedTuple):
    """The link at which a weight compares a flow with streams, and its weight elsewhere, which is that of a stream."""

    link: Link
    elsewhere: float


def meet(flow: Flow, crowds: Crowds, take: Callable[[Flow, float], None]) -> None:
    """Let a flow and those that were alone until it came see whom they meet; who asks others leaves his crowd."""
    if flow.may_ask:
        flow.look_around()
    for link in flow.links:
        if link.heaviest:
            weigh(link, take)
        if link.may_ask:
            link.look_around()
        if link.asked and link.crowds:
            crowds.leave(link)


def weigh(link: Link, take: Callable[[Flow, float], None]) -> None:
    """Let flows take the weight that they have among those that cross a link now, if it is another than before.

    Where no stream meets them, they are weighed with each other: the greatest counts as a stream, so that it is no less
    than others at the links that it goes on to.
    """
    weighed, before = link.weighed, link.heaviest
    if weighed and len(weighed) == len(link.crossing):
        link.heaviest = max(weighed.values())
    else:
        link.heaviest = 1.0
    moved = weighed if link.heaviest != before else islice(reversed(weighed), 1)  # else only who came last
    for flow in moved:
        if flow.share != flow.given / link.heaviest:
            take(flow, flow.given / link.heaviest)
