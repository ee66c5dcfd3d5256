"""A small scenario or site for any datasheet that comes along: what its kind needs around it, and nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sites.plan import TEXT

from simbackup.schema.yaml_file import parse

ROOT = Path(__file__).parents[2]
Plain = dict[str, Any]
SERVER, DISK, STORE = "host/linux-modern-server", "disk/nearline-8tb-2016", "disk/nearline-20tb-2022"
TAPE: Plain = {"model": "tape_library/autoloader-8", "drive": {"model": "tape_drive/lto-5"}, "drives": 1}
AROUND: Mapping[str, Plain] = {
    "backup_engine": {
        "hosts": {"server": {"model": "host/windows-2008-server"}},
        "jobs": {"save": {"method": "database_native", "engine": {"model": "..."}}},
    },
    "backup_tool": {"jobs": {"save": {"method": "file_level", "tool": {"model": "..."}}}},
    "change": {"data": {"files": {"change": {"model": "..."}}}},
    "checkpoint": {"devices": {"point": {"model": "...", "of": "volume"}}},
    "cloud_disk": {"devices": {"disk": {"model": "..."}}},
    "compressor": {"jobs": {"save": {"compressor": {"model": "..."}}}},
    "database": {"data": {"files": {"database": {"model": "..."}}}},
    "deduplication": {"jobs": {"save": {"deduplication": {"model": "...", "ratio": 2}}}},
    "disk": {"devices": {"disk": {"model": "..."}}},
    "filesystem": {"data": {"files": {"filesystem": {"model": "..."}}}},
    "host": {"hosts": {"server": {"model": "..."}}},
    "mirror": {"devices": {"mirror": {"model": "...", "of": "volume", "on": "store"}}},
    "network": {"links": {"line": {"model": "...", "joins": ["server", "vault"]}}},
    "object_store": {"devices": {"store": {"model": "..."}}},
    "population": {"data": {"files": {"on": "disk", "at": "1 GB", "size": "30 GB", "files": None, "model": "..."}}},
    "processor": {"hosts": {"server": {"processor": {"model": "..."}}}},
    "program": {
        "devices": {"store": {"model": "object_store/amazon-s3-standard"}},
        "data": {"copy": {"on": "disk", "at": "1 GB", "size": "50 MB", "files": 100, "filesystem": "filesystem/ext3"}},
        "jobs": {
            "save": {"method": "program", "program": {"model": "..."}, "to": None, "compressor": "compressor/zstd-3"}
        },
    },
    "raid": {"devices": {"disk": {"model": "...", "disk": {"model": DISK}, "disks": 8}}},
    "redirect_volume": {"devices": {"redirecting": {"model": "...", "on": "store", "size": "1 GB"}}},
    "share": {"jobs": {"save": {"method": "file_level", "share": {"model": "...", "host": "vault"}}}},
    "snapshot": {"devices": {"snapshot": {"model": "...", "of": "volume", "on": "store", "size": "1 GB"}}},
    "ssd": {"devices": {"disk": {"model": "..."}}},
    "tape_drive": {
        "devices": {"store": {**TAPE, "drive": {"model": "..."}}},
        "jobs": {"save": {"method": "file_level", "tool": {"model": "backup_tool/gnu-tar"}}},
    },
    "tape_library": {"devices": {"store": {**TAPE, "model": "..."}}},
    "workers": {"jobs": {"save": {"method": "file_level", "workers": 2}}},  # each such job uses the sheet
    "workload": {"workloads": {"users": {"model": "...", "data": "files", "transactions": "10 /s"}}},
}
"""What a scenario has besides, by the kind of the datasheet that stands at the dots."""


def minimal(sheet: str) -> Plain:
    """A scenario, or a site for a sheet of prices, in which a datasheet is used."""
    kind = sheet.partition("/")[0]
    if kind == "prices":
        return {**parse(TEXT, "site").plain(), "prices": sheet}  # type: ignore[dict-item]
    scenario: Plain = {
        "title": sheet,
        "hosts": {"server": {"model": SERVER, "owns": ["disk", "store"]}, "vault": {"model": SERVER}},
        "devices": {
            "disk": {"model": DISK}, "store": {"model": STORE},
            "volume": {"kind": "logical_volume", "on": "disk", "size": "100 MB"},
        },
        "links": {"lan": {"model": "network/ten-gigabit-ethernet", "joins": ["server", "vault"]}},
        "data": {"files": {"on": "volume", "size": "50 MB", "files": 100, "filesystem": {"model": "filesystem/ext3"}}},
        "jobs": {"save": {"method": "image", "data": "files", "to": "store"}},
    }  # fmt: skip
    around = dict(AROUND[kind])
    if kind == "program":
        text = (ROOT / "models" / f"{sheet}.yaml").read_text(encoding="utf-8")
        first, *_ = parse(text, sheet).plain()["parameters"]["operations"]  # type: ignore[index,call-overload]
        on_disk = "{at: target, do: create" in text or "{at: target, do: flush" in text
        target = "copy" if on_disk else "store"  # files are made and flushed in a data set
        around["jobs"] = {"save": {**around["jobs"]["save"], "operation": first, "target": target}}
    return with_sheet(scenario, around, sheet)


def with_sheet(below: Plain, above: Plain, sheet: str) -> Plain:
    """A mapping with what another one says, in which a datasheet stands at the dots; null leaves a key out."""
    merged = dict(below)
    for key, value in above.items():
        inner = below.get(key, {})
        merged[key] = (
            with_sheet(inner if isinstance(inner, dict) else {}, value, sheet) if isinstance(value, dict) else value
        )
        if value == "...":
            merged[key] = sheet
    return {key: value for key, value in merged.items() if value is not None}
