"""Live users from its spec."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simbackup.devices.changes import Spread
from simbackup.devices.host.page_cache import VolumeRange
from simbackup.schema.quantity import si_or
from simbackup.workloads.users.live import Users
from simbackup.workloads.users.spec import UsersSpec
from simbackup.workloads.users.transactions import Demand, Transaction

if TYPE_CHECKING:
    from simbackup.scenario.spec import Spec
    from simbackup.system import System


def make(system: System, spec: Spec, address: str, users: UsersSpec) -> Users:
    """The users; notes if they ask for too much."""
    data = system.data[users.data]
    live = Users(
        name=address,
        data=users.data,
        demand=_demand(system, users),
        network=system.network,
        trace=system.trace,
        host=system.hosts[spec.host_of(users.data)],
        place=VolumeRange(data.volume, data.begin, data.size),
        queue=system.adapters.of,
    )
    if live.undisturbed == math.inf:
        what = f"ask for more transactions than '{users.data}' can serve even without a job, so they wait without end"
        system.trace.note(float(system.env.now), address, what)
    return live


def _demand(system: System, users: UsersSpec) -> Demand:
    data = system.data[users.data]
    updates = users.updates.si
    spread = Spread(
        size=(users.update_size or users.read_size).si,
        working_set=data.size * (users.working_set.si if updates else 1.0),
        hot_data=users.hot_data.si if updates else 1.0,
        hot_updates=users.hot_updates.si if updates else 1.0,
        begin=data.begin,
        extent=data.size,
    )
    transaction = Transaction(
        reads=users.reads.si,
        read_size=users.read_size.si,
        cpu=users.cpu.si,
        updates=updates,
        spread=spread,
        synchronous=updates > 0.0 and users.synchronous,
    )
    rate = users.transactions.si if users.transactions else None
    return Demand(transaction, users.writes.si, rate, si_or(users.clients, 1.0), users.think_time.si)
