"""A site of any number of clients in racks of forty, each with a disk, a card, backups and, if wanted, a restore.

For each thousand clients there is a backup server, as one has room and speed for a year of so many. Racks take turns
with the servers, so that all are busy.
"""

from __future__ import annotations

import csv
from pathlib import Path

RACK, SERVED = 40, 1_000
SITE = """
title: Clients in racks
hosts:
  switch: {model: host/linux-modern-server}
fleets:
  servers:
    count: SERVERS
    hosts:
      backup-{number}: {model: host/linux-modern-server, owns: ["pool-{number}"]}
    devices:
      pool-{number}: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 36}
    links:
      core-{number}: {model: network/hundred-gigabit-ethernet, joins: ["backup-{number}", switch]}
  racks:
    count: RACKS
    hosts:
      rack-{number}: {model: host/linux-modern-server}
    links:
      up-{number}: {model: network/ten-gigabit-ethernet, joins: ["rack-{number}", switch]}
  clients:
    inventory: clients.csv
    hosts:
      "{client}": {model: host/windows-2013-server, owns: ["disk-{client}"]}
    devices:
      "disk-{client}": {model: disk/sas-10k-300gb-2009}
    links:
      "nic-{client}": {model: network/gigabit-ethernet, joins: ["{client}", "rack-{rack}"]}
    data:
      "data-{client}": {on: "disk-{client}", size: 10 GB, files: 100_000CHANGE}
    jobs:
"""
NIGHT = """
      "save-{client}": {method: image, data: "data-{client}", to: "pool-{server}", begin: {first: "20:00", over: 8 h}}
      "back-{client}": {restore: "save-{client}", begin: 34 h, after: "save-{client}"}
"""
WEEKS = """
      "full-{client}": {method: image, data: "data-{client}", to: "pool-{server}", begin: {first: "20:00", over: 8 h},
                        every: 7 d, until: DAYS d}
      "incremental-{client}": {method: image, level: incremental, since: 24 h, data: "data-{client}",
                               to: "pool-{server}", begin: {first: 44 h, over: 8 h}, every: 1 d, until: DAYS d}
"""
"""Fulls each week, and each day what changed in the last."""


def racked(folder: Path, clients: int, jobs: str = NIGHT) -> Path:
    """The file of such a site, written into a folder."""
    racks, servers = -(-clients // RACK), -(-clients // SERVED)
    with (folder / "clients.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["client", "rack", "server"])
        rows.writerows([f"c{i}", i // RACK + 1, i // RACK % servers + 1] for i in range(clients))
    path = folder / "site.yaml"
    site = SITE.replace("RACKS", str(racks)).replace("SERVERS", str(servers))
    change = ", change: change/file-server" if "level:" in jobs else ""  # a full backup needs none
    path.write_text(site.replace("CHANGE", change) + jobs, encoding="utf-8")
    return path
