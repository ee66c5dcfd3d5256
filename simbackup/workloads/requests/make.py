"""A live application from its spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simbackup.devices.network.adapter import Waiting
from simbackup.schema.quantity import si_or
from simbackup.workloads.requests.live import Application, Asking
from simbackup.workloads.requests.spec import RequestsSpec

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.system import System


def make(system: System, spec: Spec, address: str, requests: RequestsSpec) -> Application:
    """The application, whose requests wait in the adapters of the links that they cross."""
    del spec
    adapters = system.queues(requests.via)
    asking = Asking(
        request=requests.request.si,
        rate=requests.transactions.si if requests.transactions else None,
        clients=si_or(requests.clients, 1.0),
        think_time=requests.think_time.si,
    )
    waiting = Waiting(adapters, requests.timeout.si if requests.timeout else None)
    return Application(address, asking, adapters, system.network, system.trace, waiting)
