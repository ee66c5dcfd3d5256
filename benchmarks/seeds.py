"""Files of the kinds that no file of the repository is of: a site of many parts, its goals, and inventories."""

from __future__ import annotations

FLEET = """
title: A site from a table
fleets:
  servers:
    inventory: servers.csv
    hosts: {"{name}": {model: host/linux-modern-server, owns: ["{name}-disk"]}}
    devices: {"{name}-disk": {model: disk/sata-7200-1tb-2008}}
    data: {"{name}-files": {on: "{name}-disk", size: "{size}"}}
    jobs: {"{name}-copy": {method: write, data: "{name}-files", flush: true, begin: "{begin}"}}
"""
SERVERS = 'name,size,begin,note\nweb,10 GB,0 s,"a, b"\nmail,200 MB,90 s,\ndb,1.5 GiB,22:00,"say ""x"""\n'
PLANNED = """
title: A site of many parts
start: 2027-01-04
zone: Europe/Berlin
network: network/ten-gigabit-ethernet
growth: {value: 20 %, basis: assumed, range: [5 %, 40 %], why: "a usual rate"}
index_record: 200 B/file
recovery: 4 h
limit: {at_once: 8, order: longest_first}
prices: prices/list-2026
machines:
  guest: {host: host/linux-modern-server, storage: ssd/nvme-gen3-2018, limit: {at_once: 3}}
  rack:
    host: {model: host/linux-modern-server, cores: 4}
    storage: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 6}
targets:
  pool:
    host: host/linux-modern-server
    device: {model: raid/software-raid6, disk: disk/nearline-20tb-2022, disks: 12}
    reduction: 2:1
    clones: true
  far: {host: host/linux-modern-server, device: disk/nearline-20tb-2022, place: second, fetch: 2 h}
  vault:
    beside: pool
    link: {rate: 800 MB/s, latency: 0.1 ms}
    device: {model: tape_library/storagetek-sl8500-small, drive: tape_drive/lto-9, drives: 2}
    offsite: true
    cartridges: 10
    place: vault
policies:
  nightly:
    to: pool
    at: "20:00"
    window: 20:00 to 06:00
    windows: {saturday: "18:00 to 12:00"}
    schedule: {full: first saturday, synthetic_full: saturday, incremental: daily}
    retention: {age: 5 weeks, monthly: 3, of: full}
    tool: backup_tool/rsync-ssh
    workers: 4
    copies:
      tape: {to: vault, which: full, on: saturday, at: "08:00", by: "20:00", retention: {age: 3 months}}
      away: {to: far, which: full}
  bases:
    to: vault
    at: "23:30"
    schedule: {full: sunday, differential: monday to friday}
    staging: {on: pool, size: 100 GB}
    logs: {every: 15 min, to: far, replay: 50 MB/s}
    retries: 2
    retry_after: 10 min
    retention: {last: 30}
systems:
  files:
    {size: 2 TB, files: 300000, filesystem: filesystem/xfs, change: change/file-server, policy: nightly, machine: rack}
  web: {size: 100 GB, change: {daily: 3 %, run: 256 KiB}, policy: nightly, priority: 2}
  sql: {size: 400 GB, change: {model: change/database, daily: 4 %}, compression: 2:1, policy: bases, log: 10 %}
"""
GOALS = """
windows_missed: 2
fits: true
restore_points: 4
budget_month: 5000
restores:
  all: {what: site, at: 2027-01-09, after_loss_of: pool, within: 24 h, data_lost: 30 h}
  one: {what: one-file files, within: 1 h, at_once: 2}
  base: {what: client sql, data_lost: 1 h}
"""
SYSTEMS = (
    'Name,Size (GB),Files,Daily change,Kind,Policy,Priority,Compression,Growth\nweb-1,"1,200",,3 %,vm,,2,1.5,10 %\n'
    "files,2 TB,300000,1 %,file server,nightly,1,,\nsql,400,,5,database,,,2:1,20\n"
)
