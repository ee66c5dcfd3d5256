"""Flows that meet others on a link, and weights that hold there only as long as flows of another sort cross it."""

from __future__ import annotations

from collections.abc import Callable
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
        if link.weighs:
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
    alike = {flow: flow.among for flow in link.crossing if flow.among is not None and flow.among.link is link}
    most = 1.0
    if alike and len(alike) == len(link.crossing):
        most = max([flow.given / among.elsewhere for flow, among in alike.items()])
    for flow in alike:
        if flow.share != flow.given / most:
            take(flow, flow.given / most)
