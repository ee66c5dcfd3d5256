"""A site of any number of clients in racks of forty, each with a disk, a card, a backup and a restore."""

from __future__ import annotations

import csv
from pathlib import Path

RACK = 40
SITE = """
title: Clients in racks
hosts:
  backup: {model: host/linux-modern-server, owns: [pool]}
  switch: {model: host/linux-modern-server}
devices:
  pool: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 24}
links:
  core: {model: network/hundred-gigabit-ethernet, joins: [backup, switch]}
fleets:
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
      "data-{client}": {on: "disk-{client}", size: 175 GB, files: 100_000}
    jobs:
      "save-{client}": {method: image, data: "data-{client}", to: pool, begin: {first: "20:00", over: 8 h}}
      "back-{client}": {restore: "save-{client}", begin: 34 h, after: "save-{client}"}
"""


def racked(folder: Path, clients: int) -> Path:
    """The file of such a site, written into a folder."""
    with (folder / "clients.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["client", "rack"])
        rows.writerows([f"c{i}", i // RACK + 1] for i in range(clients))
    path = folder / "site.yaml"
    path.write_text(SITE.replace("RACKS", str(-(-clients // RACK))), encoding="utf-8")
    return path
