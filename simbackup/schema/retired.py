"""Keys that files of earlier versions may state, and what to write instead."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

NO_EFFECT = "leave it out: it moved no result by more than a few percent"

RETIRED: Mapping[str, Mapping[str, str]] = {
    "BackupToolSheet": {
        "part_buffers": "describe the program as a list ('method: program'), with a buffer between its groups",
        "in_turn": "write 'serial_share', the share of its work that one worker does while the others wait",
        "delta_checksum": NO_EFFECT,
        "list_record": NO_EFFECT,
    },
    "AgedSpec": {
        "working_set": "leave it out, and put what is never updated into a data set of its own",
        "hot_data": "leave it out, and put what is updated often into a data set of its own",
        "hot_updates": "leave it out, and put what is updated often into a data set of its own",
    },
    "BackupEngineSheet": {
        "compress_coded_cpu": "write 'compress_cpu' for data of this ratio",
        "expand_coded_cpu": "write 'expand_cpu' for data of this ratio",
        "serial_share": "write it in the job",
    },
    "CheckpointSheet": dict.fromkeys(("gathers", "unplug_delay", "unplug_requests"), NO_EFFECT),
    "CloudDiskSheet": dict.fromkeys(
        ("baseline_rate", "byte_credits"),
        "write 'baseline_iops' and 'credits', with the 'operation_size' in which the bytes are counted",
    ),
    "CompressorSheet": {"rate": "write 'most_rate' in the job, and 'compress_cpu: 0 s/B' for a card that compresses"},
    "ConsolidateSpec": {"streams": "write a job for each machine whose save sets are combined"},
    "CopyTreeSpec": {"connections": "leave it out: one connection carries the bytes"},
    "LinkSpec": {"fabric": "write a link of that rate between two switches: a link may join links"},
    "ObjectStoreSheet": {
        "connections": "write 'connections' in the jobs, or 'write_requests' and 'read_requests' here",
        "parts_at_once": "write 'connections' in the jobs: so many parts are in flight at once",
    },
    "NativeBackupSpec": {"service_times": "write 'rounds: by_event' if they are exponential, or 'rounds: constant'"},
    "RaidSheet": {"battery": "leave it out, and write 'write_cache: null' if nothing protects the cache"},
    "RestoreSpec": {"rounds": "write it in the backup, whose rounds a restore has"},
    "TapeDriveSheet": {"media": "leave it out: the title of the datasheet names the cartridge"},
    "TapeLibrarySpec": {
        "media": "leave it out: cartridges are those that the drives take",
        "cartridges": "write 'slots' here, the number of those with a cartridge",
    },
    "UsersSpec": dict.fromkeys(
        ("via", "request", "timeout"), "write another workload with 'via' and 'request', for requests that cross links"
    ),
    "WriteSpec": {
        "cpu_per_byte": "write 'most_rate', the bytes a second that the program makes",
        "synchronous": "leave it out: 'request' says that each request must be on disk before the next one",
    },
}
"""What to write instead of a key, by the class that had it. A class that inherits from it had the key, too."""


def instead_of(part: type[BaseModel], key: str) -> str | None:
    """What to write instead of a key that a class had in an earlier version, None if it never had it."""
    found = (RETIRED.get(base.__name__, {}).get(key) for base in part.__mro__)
    return next((remedy for remedy in found if remedy is not None), None)
