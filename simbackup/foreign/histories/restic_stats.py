"""restic 0.9 to 0.18: `restic stats --json`.

It states the size of a repository or of its snapshots, and no time of a backup, so that it is no history. See
"Manage repositories" and "Scripting" at restic.readthedocs.io.
"""

from __future__ import annotations

from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader


def recognises(source: ForeignFile) -> bool:
    """Whether a text is JSON with the statistics of a repository."""
    return '"total_size"' in source.text and '"snapshots_count"' in source.text


READER: FormatReader[Past] = FormatReader(
    "restic 0.9 to 0.18", "restic stats --json", recognises,
    lacks="it does not state how long any backup took; use 'restic backup --json' or 'restic snapshots --json'",
)  # fmt: skip
