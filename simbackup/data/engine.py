"""What a file may say about the database engine of a data set."""

from __future__ import annotations

from typing import Annotated

from simbackup.schema.part import Modelled
from simbackup.schema.quantity import (
    Duration,
    Frozen,
    Multiple,
    PositiveTimePerByte,
    Ratio,
    Share,
    Size,
    TimePerByte,
    Word,
    usual,
)


class DatabaseSheet(Frozen):
    """The costs of a database engine in backups and restores."""

    dump_ratio: Ratio
    """Bytes of a logical dump for each byte of the database on disk, where the data do not state their `rows`."""
    row_overhead: Size | None = None
    """Bytes of a stored row besides its values: header, hidden columns, and its entry in the directory of the page."""
    row_text: Ratio | None = None
    """Bytes of a dump for each byte of the values in stored rows, padding included."""
    dump_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump: read the rows, write the text."""
    dump_client: Share = usual("0 %", "1")
    """Share of dump_cpu that the dumping program spends while the server already reads the next rows, each on a core of
    its own, so that the server and the program take turns.
    """
    load_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a dump that is loaded: parse, insert, build indexes."""
    replay_cpu: PositiveTimePerByte
    """Time of the reference core for each byte of a binary log that is replayed."""
    flush_time: Duration
    """Time to flush tables and logs on an idle server."""
    in_turn: Share = usual("0 %", "1")
    """Share of dump_cpu and load_cpu that only one worker can spend at a time, because of locks, logs or a shared
    index.
    """
    index_cpu: TimePerByte | None = None
    """Time of the reference core for each byte of the indexes, which a load builds when all rows are loaded. By
    default, load_cpu includes it, and rows and indexes are filled together.
    """
    index_reads: Multiple = usual("0", "1")
    """Bytes of rows and of sorted runs that are read for each byte of the indexes, as in memory."""
    load_log: Multiple = usual("0", "1")
    """Bytes of log that a load writes for each byte of rows and indexes."""
    locks_for_dump: Annotated[bool, Word()] = True
    """Whether a logical dump needs the read lock to be consistent. An engine that keeps old versions of rows does not
    need it.
    """
    locks_for_snapshot: Annotated[bool, Word()]
    """Whether a snapshot needs the read lock while it is created."""
    hot_copy: Annotated[bool, Word()] = True
    """Whether its files can be copied under the read lock while it runs."""


class DatabaseSpec(Modelled, DatabaseSheet):
    """The database engine that a data set belongs to."""
