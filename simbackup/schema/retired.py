"""What files of earlier versions may state: keys, methods and datasheets that are gone, and what to write instead.

`check` reports them with the sentence of this table, and `upgrade` rewrites those for which the table knows how.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

LEFT_OUT = object()
"""What a key is rewritten to if it is to be left out."""
Rewrite = Callable[[Mapping[str, Any], str], Mapping[str, Any] | None]
"""The keys to write, given the mapping that states something retired, and its key; None if only a person can say."""


class Retired(NamedTuple):
    """What replaces something that is gone: in words, and if that can be done mechanically, how to rewrite it."""

    instead: str
    rewrite: Rewrite | None = None


def _drop(_: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Leave the key out."""
    return {key: LEFT_OUT}


def _battery(array: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """A cache with a battery is what an array has; one without was not used, nor what is written behind it."""
    return {key: LEFT_OUT} if array[key] else None


def _slots(library: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Slots with a cartridge are those that are counted."""
    return {key: LEFT_OUT, "slots": library[key]}


COPIES: Mapping[str, tuple[str, str, str]] = {
    "backup_tool/rsync-ssh": ("program/rsync-3", "copy", "update"),
    "backup_tool/robocopy-smb": ("program/robocopy", "copy", "copy"),
}
"""The programs of copies of trees, with their operations without and with `since`."""


def _copy(job: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    """The job with the list of the program in place of its values, if it changes none of these."""
    del key
    program = COPIES.get(job["tool"]) if isinstance(job.get("tool"), str) else None
    if program is None or "workers" in job:
        return None
    name, whole, repeated = program
    operation = repeated if "since" in job else whole
    return {"method": "program", "program": name, "operation": operation, "target": job.get("to"),
            "tool": LEFT_OUT, "to": LEFT_OUT}  # fmt: skip


NO_EFFECT = Retired("leave it out: it moved no result by more than a few percent", _drop)
LIST = "describe the program as a list ('method: program')"
COLD = Retired("leave it out, and put what is never updated into a data set of its own")
HOT = Retired("leave it out, and put what is updated often into a data set of its own")
BYTE_CREDITS = Retired("write 'baseline_iops' and 'credits', with the 'operation_size' in which the bytes are counted")
LOOP = Retired("leave it out: the buffers go round at the mean rate of their loop", _drop)
ROWS = Retired("write 'dump_ratio' in the database of the data: bytes of a dump for each byte of the rows")
OF_REQUESTS = Retired("write another workload with 'via' and 'request', for requests that cross links")
OF_GROUP = Retired(f"{LIST} whose operation states its 'start', such as program/networker-7.5.1")

KEYS: Mapping[str, Mapping[str, Retired]] = {
    "BackupToolSheet": {
        **dict.fromkeys(("group_time", "index_time", "system_state_time"), OF_GROUP),
        "index_record": Retired("leave it out, and write the size of the index as a data set"),
        "checksums": Retired(f"{LIST}, such as the operation 'checksum' of program/rsync-3"),
        "delta_block": Retired(f"{LIST}, such as the operation 'update' of program/rsync-3"),
        "delta_checksum": NO_EFFECT,
        "delta_cpu": Retired(f"{LIST}, with a step at each end for each byte"),
        "file_flushes": Retired(f"{LIST}, with a step 'do: flush' for each file that a restore makes"),
        "in_turn": Retired("write 'serial_share', the share of its work that one worker does while the others wait"),
        "list_record": NO_EFFECT,
        "most_delta_block": Retired("write in the job which share of the changed bytes is 'new' to the target"),
        "part_buffers": Retired(f"{LIST}, with a buffer between its groups"),
        "server_file_cpu": Retired(f"{LIST}, with a step 'at: target.cpu' that takes an 'item' of time for each file"),
        "share_calls": Retired("write 'share: {model: share/nfs-3, host: NAME}' in the job; the share has the calls"),
        "share_look_calls": Retired(
            "write 'share: {model: share/nfs-3, host: NAME}' in the job; the share has the calls"
        ),
        "one_pass": Retired("leave it out if it is true; a pass over the tape for each save set is not simulated"),
        "reads_records": Retired(f"leave it out if it is false, or {LIST}, with a step that looks at each file"),
        "tracks_files": Retired(f"{LIST}: without a step that looks, only what has changed takes time"),
        "walks_first": Retired(f"{LIST}, with a phase before the others that looks at each file (program/unix-dump)"),
        "window": Retired("write 'window' in the link that its connections cross"),
    },
    "AgedSpec": {"working_set": COLD, "hot_data": HOT, "hot_updates": HOT},
    "BackupEngineSheet": {
        "compress_coded_cpu": Retired("write 'compress_cpu' for data of this ratio"),
        "expand_coded_cpu": Retired("write 'expand_cpu' for data of this ratio"),
        "serial_share": Retired("write it in the job"),
    },
    "CheckpointSheet": dict.fromkeys(("gathers", "unplug_delay", "unplug_requests"), NO_EFFECT),
    "CloudDiskSheet": dict.fromkeys(("baseline_rate", "byte_credits"), BYTE_CREDITS),
    "CompressorSheet": {
        "rate": Retired("write 'most_rate' in the job, and 'compress_cpu: 0 s/B' for a card that compresses")
    },
    "ConsolidateSpec": {
        "streams": Retired("write a job for each machine whose save sets are combined"),
    },
    "DatabaseBackupSpec": {"read_lock": Retired("write 'locks_for_dump' in the database of the data")},
    "DataSpec": {"rows": ROWS},
    "DatabaseSheet": {
        "in_turn": Retired("write 'serial_share' in the jobs that several workers share"),
        "row_overhead": ROWS,
        "row_text": ROWS,
    },
    "DiskSheet": {"band": Retired("leave it out, and write a smaller 'drain_rate' for scattered writes", _drop)},
    "CloneSpec": {"guarantee": Retired("leave it out; 'kind: redirect_snapshot' reserves nothing")},
    "FilesystemSheet": {"create_syncs": Retired("write it in 'create_writes': the disk is the limit either way")},
    "LinkSpec": {"fabric": Retired("write a link of that rate between two switches: a link may join links")},
    "NetworkSheet": {"segment": Retired("leave it out: segments have 1448 bytes", _drop)},
    "ObjectStoreSheet": {
        "connections": Retired("write 'connections' in the jobs, or 'write_requests' and 'read_requests' here"),
        "parts_at_once": Retired("write 'connections' in the jobs: so many parts are in flight at once"),
    },
    "NativeBackupSpec": dict.fromkeys(("rounds", "service_times"), LOOP),
    "RaidSheet": {
        "group_limit": Retired("leave it out: so many 'groups' as you write share the disks", _drop),
        "battery": Retired("leave it out, and write 'write_cache: null' if nothing protects the cache", _battery),
    },
    "RedirectSnapshotSpec": {"autodelete": Retired("leave it out: a job with 'remove_snapshot' makes room", _drop)},
    "RestoreSpec": {"rounds": LOOP},
    "SnapshotSheet": {"method": Retired("leave it out: all are copy-on-write", _drop)},
    "TapeDriveSheet": {"media": Retired("leave it out: the title of the datasheet names the cartridge", _drop)},
    "TapeLibrarySpec": {
        "media": Retired("leave it out: cartridges are those that the drives take", _drop),
        "cartridges": Retired("write 'slots' here, the number of those with a cartridge", _slots),
    },
    "UsersSpec": dict.fromkeys(("via", "request", "timeout"), OF_REQUESTS),
    "WriteSpec": {
        "cpu_per_byte": Retired("write 'most_rate', the bytes a second that the program makes"),
        "synchronous": Retired(
            "leave it out: 'request' says that each request must be on disk before the next one", _drop
        ),
    },
}
"""Keys by the class that had them. A class that inherits from it had the key, too."""

METHODS: Mapping[str, Retired] = {
    **dict.fromkeys(("start_group", "save_index", "system_state"), OF_GROUP),
    "copy_tree": Retired(
        "write 'method: program' with program/rsync-3, program/robocopy or program/cp, its operation, and the data set "
        "that is replaced as 'target'",
        _copy,
    ),
}
"""Methods of jobs."""

DATASHEETS: Mapping[str, str] = {
    "backup_tool/bupstash-0.11": "program/bupstash-0.12",
    "backup_tool/copy-nfs": "program/cp",
    "backup_tool/pgbackrest-2": "program/pgbackrest-2",
    "backup_tool/robocopy-smb": "program/robocopy",
    "backup_tool/rsync-ssh": "program/rsync-3",
    "backup_tool/zfs-send": "program/zfs-send",
}
"""Datasheets of programs, and those with a list of what the program does."""


def retired_sheet(name: str) -> Retired | None:
    """What replaces a datasheet of an earlier version, None if there was none of this name."""
    return Retired(f"{LIST} with '{DATASHEETS[name]}'") if name in DATASHEETS else None


def retired_key(part: type[BaseModel], key: str) -> Retired | None:
    """What replaces a key that a class had in an earlier version, None if it never had it."""
    found = (KEYS.get(base.__name__, {}).get(key) for base in part.__mro__)
    return next((retired for retired in found if retired is not None), None)
