"""What files of earlier versions may state, and what to write instead: `check` reports it with these sentences."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

NO_EFFECT = "leave it out: it moved no result by more than a few percent"
LIST = "describe the program as a list ('method: program')"
COLD = "leave it out, and put what is never updated into a data set of its own"
HOT = "leave it out, and put what is updated often into a data set of its own"
BYTE_CREDITS = "write 'baseline_iops' and 'credits', with the 'operation_size' in which the bytes are counted"
LOOP = "leave it out: the buffers go round at the mean rate of their loop"
ROWS = "write 'dump_ratio' in the database of the data: bytes of a dump for each byte of the rows"
OF_REQUESTS = "write another workload with 'via' and 'request', for requests that cross links"
ANEW = "leave it out: a job that is tried again begins anew"
GONE_OF_FAILURES = {
    "robot": "write 'device:' with 'lasts', for the whole library",
    "sector": "write another 'disk:'; what a sector that cannot be read costs in years is in 'simbackup protect'",
    "timeout": "leave it out: what crosses a part that fails, fails; a job with 'retries' is tried again",
}

KEYS: Mapping[str, Mapping[str, str]] = {
    "BackupToolSheet": {
        **dict.fromkeys(
            ("group_time", "index_time", "system_state_time"), f"{LIST}, with an operation that states its 'start'"
        ),
        "index_record": "leave it out, and write the size of the index as a data set",
        "checksums": f"{LIST}, such as the operation 'checksum' of program/rsync-3",
        "delta_block": f"{LIST}, such as the operation 'update' of program/rsync-3",
        "delta_checksum": NO_EFFECT,
        "delta_cpu": f"{LIST}, with a step at each end for each byte",
        "file_flushes": f"{LIST}, with a step 'do: flush' for each file that a restore makes",
        "resumes": ANEW,
        "in_turn": "write 'serial_share', the share of its work that one worker does while the others wait",
        "list_record": NO_EFFECT,
        "most_delta_block": "write in the job which share of the changed bytes is 'new' to the target",
        "part_buffers": f"{LIST}, with a buffer between its groups",
        "server_file_cpu": f"{LIST}, with a step 'at: target.cpu' that takes an 'item' of time for each file",
        "share_calls": "write 'share: {model: share/nfs-3, host: NAME}' in the job; the share has the calls",
        "share_look_calls": "write 'share: {model: share/nfs-3, host: NAME}' in the job; the share has the calls",
        "one_pass": "leave it out if it is true; a pass over the tape for each save set is not simulated",
        "reads_records": f"leave it out if it is false, or {LIST}, with a step that looks at each file",
        "tracks_files": f"{LIST}: without a step that looks, only what has changed takes time",
        "walks_first": f"{LIST}, with a phase before the others that looks at each file (program/unix-dump)",
        "window": "write 'window' in the link that its connections cross",
    },
    "AgedSpec": {"working_set": COLD, "hot_data": HOT, "hot_updates": HOT},
    "BackupEngineSheet": {
        "compress_coded_cpu": "write 'compress_cpu' for data of this ratio",
        "expand_coded_cpu": "write 'expand_cpu' for data of this ratio",
        "serial_share": "write it in the job",
    },
    "CheckpointSheet": dict.fromkeys(("gathers", "unplug_delay", "unplug_requests"), NO_EFFECT),
    "CloudDiskSheet": dict.fromkeys(("baseline_rate", "byte_credits"), BYTE_CREDITS),
    "CompressorSheet": {"rate": "write 'most_rate' in the job, and 'compress_cpu: 0 s/B' for a card that compresses"},
    "ConsolidateSpec": {
        "size": "leave it out: it follows from the data and the newest save set",
        "streams": "write a job for each machine whose save sets are combined",
    },
    "CopySaveSetSpec": {"inline": "leave it out: the copy is then made from the finished save set"},
    "DatabaseBackupSpec": {"read_lock": "write 'locks_for_dump' in the database of the data"},
    "DataSpec": {"rows": ROWS},
    "DatabaseSheet": {
        "in_turn": "write 'serial_share' in the jobs that several workers share",
        "row_overhead": ROWS,
        "row_text": ROWS,
    },
    "DiskSheet": {"band": "leave it out, and write a smaller 'drain_rate' for scattered writes"},
    "FailureSpec": {**GONE_OF_FAILURES, "spare": "write a job with 'method: rebuild' that begins so much later"},
    "SiteFailureSpec": GONE_OF_FAILURES,
    "FilesystemSheet": {"create_syncs": "write it in 'create_writes': the disk is the limit either way"},
    "LinkSpec": {"fabric": "write a link of that rate between two switches: a link may join links"},
    "NetworkSheet": {"segment": "leave it out: segments have 1448 bytes"},
    "OperationSpec": {"resumes": ANEW},
    "ObjectStoreSheet": {
        "connections": "write 'connections' in the jobs, or 'write_requests' and 'read_requests' here",
        "parts_at_once": "write 'connections' in the jobs: so many parts are in flight at once",
    },
    "NativeBackupSpec": dict.fromkeys(("rounds", "service_times"), LOOP),
    "RaidSheet": {
        "battery": "leave it out, and write 'write_cache: null' if nothing protects the cache",
        "group_limit": "leave it out: so many 'groups' as you write share the disks",
    },
    "RedirectVolumeSpec": {"guarantee": "leave it out: all of its size is reserved on its device"},
    "RedirectSnapshotSpec": {"autodelete": "leave it out: a job with 'remove_snapshot' makes room"},
    "RequestsSpec": {"timeout": "leave it out, and compare it with 'network_wait', how long requests wait"},
    "RestoreSpec": {"rounds": LOOP},
    "SnapshotSheet": {"method": "leave it out: all are copy-on-write"},
    "TapeDriveSheet": {"media": "leave it out: the title of the datasheet names the cartridge"},
    "TapeLibrarySpec": {
        "media": "leave it out: cartridges are those that the drives take",
        "cartridges": "write 'slots' here, the number of those with a cartridge",
    },
    "UsersSpec": dict.fromkeys(("via", "request", "timeout"), OF_REQUESTS),
    "WriteSpec": {
        "cpu_per_byte": "write 'most_rate', the bytes a second that the program makes",
        "synchronous": "leave it out: 'request' says that each request must be on disk before the next one",
    },
}
"""Keys by the class that had them. A class that inherits from it had the key, too."""

METHODS: Mapping[str, str] = {
    **dict.fromkeys(
        ("start_group", "save_index", "system_state"),
        "write 'method: program' with a list whose operation states its 'start', as program/networker-7.5.1",
    ),
    "suspend": "write 'method: write' with a data set of as many bytes as the memory, and 'flush: true'",
    "resume": "write 'method: image' with that data set, to a device of 'kind: nul'",
    "copy": "write 'method: program' with program/cp, 'operation: copy', and 'to' as its 'target'",
    "copy_tree": "write 'method: program' with program/rsync-3, robocopy or cp, its operation, and a 'target'",
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


def retired_sheet(name: str) -> str | None:
    """What replaces a datasheet of an earlier version, None if there was none of this name."""
    return f"{LIST} with '{DATASHEETS[name]}'" if name in DATASHEETS else None


def retired_key(part: type[BaseModel], key: str) -> str | None:
    """What replaces a key that a class had in an earlier version, None if it never had it."""
    found = (KEYS.get(base.__name__, {}).get(key) for base in part.__mro__)
    return next((retired for retired in found if retired is not None), None)
