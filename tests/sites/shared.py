"""A site whose guests share hosts and a datastore, with rates that are easy to calculate with."""

from collections.abc import Mapping, Sequence
from typing import Any

GUESTS, SIZE = 10, 100e9
FLASH = {
    "kind": "ssd", "capacity": "100 TB", "read_rate": "10 GB/s", "write_rate": "10 GB/s", "read_latency": "1 us",
    "write_latency": "1 us",
}  # fmt: skip
SERVER = {"model": "host/linux-modern-server", "cores": 64, "copy_rate": "50 GB/s"}
FULL = {"latency": "0 s", "duplex": "full"}


def line(rate: str) -> dict[str, Any]:
    """A link that carries so much in each direction."""
    return {**FULL, "rate": rate}


def shared_site(
    hosts: Sequence[str] = ("esx1",), policy: Mapping[str, Any] | None = None, **parts: Any
) -> dict[str, Any]:
    """A site with ten guests of 100 GB on some hosts, in turn, each host at a port of 1 GB/s, and the pool at 100 GB/s.

    Each guest changes by 1 % a day. The datastore gives and takes 10 GB/s over a fabric of 10 GB/s a port. `parts`
    replace sections.
    """
    made: dict[str, Any] = {
        "title": "Guests on shared hosts", "start": "2027-01-02", "network": line("1 GB/s"),
        "hosts": {name: {"host": SERVER} for name in hosts},
        "datastores": {"san": {"device": FLASH, "link": line("10 GB/s")}},
        "targets": {"pool": {"host": SERVER, "network": line("100 GB/s"), "device": {**FLASH, "write_rate": "99 GB/s",
                                                                                    "read_rate": "99 GB/s"}}},
        "policies": {"nightly": {"to": "pool", "at": "20:00", "window": "20:00 to 06:00",
                                 "schedule": {"full": "saturday", "incremental": "daily"}, **(policy or {})}},
        "systems": {
            f"guest{i}": {"size": "100 GB", "change": {"daily": "1 %", "run": "256 KiB"}, "policy": "nightly",
                          "host": hosts[i % len(hosts)]}
            for i in range(GUESTS)
        },
    }  # fmt: skip
    return made | parts
