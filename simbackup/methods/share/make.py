"""A share from its spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.methods.share.live import Share
from simbackup.parameters import parameters_of
from simbackup.schema.quantity import si_or

if TYPE_CHECKING:
    from simbackup.methods.share.spec import ShareSpec
    from simbackup.scenario.spec import Spec


def share_of(said: ShareSpec | None, spec: Spec, keeper: str, *, makes: bool = False) -> Share | None:
    """The share on a host whose files another one reads, or `makes`; None if the file says nothing of one."""
    if said is None:
        return None
    way = spec.route(said.host, keeper) if makes else spec.route(keeper, said.host)
    return parameters_of(
        Share, said, keeper=keeper, networks=way or (), look_calls=lambda: si_or(said.look_calls, said.calls.si),
        make_calls=lambda: si_or(said.make_calls, said.calls.si),
    )  # fmt: skip
