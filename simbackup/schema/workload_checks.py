"""What has to agree between workloads, the data that they work on, and the links that they cross."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Protocol

from simbackup import units
from simbackup.schema.database_checks import Path, Reporter
from simbackup.schema.devices import Link
from simbackup.schema.jobs import Users, Workload
from simbackup.schema.quantity import si_or


class Checker(Reporter, Protocol):
    """What also knows names and owners."""

    def name(self, path: Path, name: str, legal: Iterable[str], what: str) -> bool:
        """Whether a name is one of the legal ones."""
        ...

    def owned(self, path: Path, device: str, key: str = "data") -> None:
        """A host owns a device."""
        ...


def check_workload(checks: Checker, path: Path, workload: Workload) -> None:
    """A workload asks either so often or one after the other, of data or over links that there are."""
    if isinstance(workload, Users):
        with checks.about(*path):
            _on_data(checks, path, workload)
    if (workload.transactions is None) == (workload.clients is None):
        message = (
            "says both 'transactions' and 'clients'" if workload.clients else "says neither how often nor how many"
        )
        checks.report(path, message, "write 'transactions: 100 /s', or 'clients: 50' and their 'think_time'")
    if workload.think_time is not None and workload.clients is None:
        checks.report((*path, "think_time"), "says nothing of transactions that come by themselves", "leave it out")
    for name in dict.fromkeys(workload.via):
        checks.name((*path, "via"), name, checks.spec.links, "link")
        if workload.via.count(name) > 1:
            checks.report((*path, "via"), f"names '{name}' more than once", "leave it out")
    known = [name for name in workload.via if name in checks.spec.links]
    for before, after in pairwise(known):
        ends = [{name, *checks.spec.links[name].joins} for name in (before, after)]
        if not ends[0] & ends[1]:
            message = f"'{before}' and '{after}' join nothing in common"
            checks.report((*path, "via"), message, "name the links in the order in which they are crossed")


def _on_data(checks: Checker, path: Path, workload: Users) -> None:
    """The data that users work on have a host; what they say of updates and of networks is complete."""
    if checks.name((*path, "data"), workload.data, checks.named("data"), "data set"):
        checks.owned(path, checks.spec.data[workload.data].on)
    if workload.update_size is not None and workload.updates is None:
        checks.report((*path, "update_size"), "says nothing without updates", "write 'updates:' of a transaction")
    if (workload.hot_data is None) != (workload.hot_updates is None):
        missing = "hot_data" if workload.hot_data is None else "hot_updates"
        checks.report(path, f"says what is hot without '{missing}'", "give both 'hot_data' and 'hot_updates'")
    if workload.via and workload.request is None:
        checks.report((*path, "via"), "says nothing without the bytes of a request", "write 'request: 16 KiB'")
    for key in ("request", "timeout"):
        if getattr(workload, key) is not None and not workload.via:
            checks.report((*path, key), "says nothing of users who cross no link", "write 'via:' and a link")


def check_loads(checks: Checker) -> None:
    """No link has to carry more requests that come by themselves than it can: their queue would grow without end."""
    for name, link in checks.spec.links.items():
        with checks.about("links", name):
            _load(checks, name, link)


def _load(checks: Checker, name: str, link: Link) -> None:
    """One link carries what is asked of it."""
    crossing = {w: part for w, part in checks.spec.workloads.items() if name in part.via}
    asked = {
        w: part.request.si * part.transactions.si
        for w, part in crossing.items()
        if part.request is not None and part.transactions is not None
    }
    room = link.rate.si * si_or(link.count, 1.0)
    if asked and sum(asked.values()) >= room:
        last = list(asked)[-1]
        message = f"'{name}' would have to carry {units.show_short(sum(asked.values()), 'B/s')} of requests"
        remedy = f"it carries {units.show_short(room, 'B/s')}: ask less often, for less, or say 'clients:'"
        checks.report(("workloads", last, "transactions"), message, remedy)
