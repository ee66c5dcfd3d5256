"""A site to be planned, of any number of systems and policies: virtual machines on flash, pools of disks, and tapes.

For each 400 systems there is a backup server with a pool and a library of its own. Sizes, kinds and growths repeat
every 40 systems, as in `planning/forty-systems`; systems take turns with the policies, and policies with the servers.
"""

from __future__ import annotations

from typing import Any

SERVED, GROUPS = 400, 3
"""Systems of a backup server, and groups of twelve disks that its pool has for them."""
KINDS: tuple[dict[str, Any], ...] = (
    {"files": 3_000_000, "filesystem": "filesystem/ntfs", "change": {"model": "change/file-server", "daily": "1 %"},
     "compression": 1.3, "priority": 3},
    {"change": {"model": "change/database", "daily": "5 %"}, "compression": 2, "priority": 1},
    {"change": {"model": "change/virtual-machine", "daily": "3 %"}, "compression": 1.5, "priority": 4},
)  # fmt: skip
"""File servers, databases and applications."""
OF_KIND = (0,) * 6 + (1,) * 14 + (2,) * 20
"""The kinds of forty systems."""


def planned(systems: int, policies: int = 1) -> dict[str, Any]:
    """The site, as a mapping. All policies have the same schedule: their number alone changes nothing."""
    wanted = -(-systems // SERVED)
    servers = min(wanted, policies)
    groups = GROUPS * -(-wanted // servers)
    targets: dict[str, Any] = {}
    for i in range(servers):
        disk = {"model": "raid/software-raid6", "disk": "disk/nearline-20tb-2022"}
        device = {**disk, "disks": 12 * groups, "groups": groups}
        targets[f"pool-{i}"] = {"host": "host/linux-modern-server", "device": device}
        drives = {"model": "tape_library/storagetek-sl8500-small", "drive": "tape_drive/lto-9", "drives": 4}
        link = {"rate": "3 GB/s", "latency": "0.1 ms"}
        targets[f"vault-{i}"] = {
            "beside": f"pool-{i}", "link": link, "device": drives, "offsite": True, "place": "vault"
        }  # fmt: skip
    return {
        "title": f"{systems} virtual machines, {policies} policies", "start": "2027-01-04", "zone": "Europe/Berlin",
        "network": "network/hundred-gigabit-ethernet", "growth": "10 %", "index_record": "200 B/file",
        "prices": "prices/list-2026",
        "machines": {"guest": {"host": "host/linux-modern-server", "storage": "ssd/nvme-gen3-2018"}},
        "targets": targets,
        "policies": {
            f"nightly-{i}": {
                "to": f"pool-{i % servers}", "at": "20:00", "window": "20:00 to 08:00",
                "schedule": {"full": "saturday", "incremental": "daily"}, "retention": {"age": "5 weeks"},
                "copies": {
                    "tape": {"to": f"vault-{i % servers}", "which": "full", "retention": {"age": "3 months"}}
                },
            }
            for i in range(policies)
        },
        "systems": {
            f"s{i:04d}": {
                "size": f"{1500 / (1 + i % 40):.0f} GB", **KINDS[OF_KIND[i % 40]],
                "policy": f"nightly-{i % policies}",
            }
            for i in range(systems)
        },
    }  # fmt: skip
