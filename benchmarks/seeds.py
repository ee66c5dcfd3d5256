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
    tool: backup_tool/network-backup-2015
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
REPORTS = {
    "bacula.csv": "JobId,Name,Client,Type,Level,JobStatus,StartTime,EndTime,JobFiles,JobBytes,ReadBytes\n"
    "17,nightly,a-fd,B,F,T,2026-03-01 22:00:00,2026-03-02 01:30:00,120345,500000000000,700000000000\n"
    "18,nightly,a-fd,B,I,W,2026-03-02 22:00:00,2026-03-02 22:10:00,345,5000000000,7000000000\n"
    "19,back,a-fd,R,,f,2026-03-03 09:00:00,2026-03-03 09:00:30,0,0,0\n",
    "netbackup.csv": '"Job ID";"Type";"Status";"Job Policy";"Schedule Type";"Client";"Start Time";"Elapsed Time";'
    '"Kilobytes";"Files"\n"500123";"Backup";"0";"unix";"Full Backup";"a";"25.03.2026 20:00:00";"001:02:03";'
    '"1.048.576";"1.000"\n"500124";"Backup";"96";"unix";"INCR";"a";"26.03.2026 20:00:00";"000:00:30";"1.024";"7"\n',
    "own.csv": "Rechner;Beginn;Dauer;Menge;Rest\nadele;03.04.2026 22:15;90;1.024,5;x\n"
    "berta;04.04.2026 22:15;1.02:03;7;\n",
}
"""Reports of backup programs."""
OWN_MAPPING = """\
title: Ours
tool: ours
columns: {system: Rechner, start: Beginn, elapsed_s: [Dauer, Zeit], size_bytes: Menge, status: Rest}
units: {elapsed_s: min, size_bytes: MiB}
words: {status: {x: ok, "*": failed}}
dates: ['%d.%m.%Y %H:%M', ISO 8601]
"""
DD = """\
$ dd if=/dev/sda of=/dev/null bs=1M iflag=direct count=128
128+0 records in
128+0 records out
134217728 bytes (134 MB, 128 MiB) copied, 0,795761 s, 169 MB/s
$ dd if=/dev/zero of=/mnt/x bs=1M conv=fsync
134217728 bytes transferred in 0.5 secs (268435456 bytes/sec)
$ dd if=/dev/urandom of=/mnt/x bs=1M
1048576 Bytes (1,0 MB, 1,0 MiB) kopiert, 1.5e-03 s, 699 MB/s
"""
"""Output of dd, in several forms."""
