"""NetBackup 5 to 10: the table that `bpdbjobs -report` writes by default.

It has job, type, state, status, policy, schedule, client and media server, and neither times nor sizes, so that it is
no history. See "bpdbjobs" in the "NetBackup Commands Reference Guide".
"""

from __future__ import annotations

import re

from simbackup.foreign.histories.past import Past
from simbackup.foreign.reader import ForeignFile, FormatReader

_HEAD = re.compile(r"^\s*JobID +Type +State +Status +Policy", re.MULTILINE)


def recognises(source: ForeignFile) -> bool:
    """Whether a text has the head of the table."""
    return _HEAD.search(source.text) is not None


READER: FormatReader[Past] = FormatReader(
    "NetBackup 5 to 10", "bpdbjobs -report", recognises,
    lacks="it states neither times nor sizes; use 'bpdbjobs -report -all_columns'",
)  # fmt: skip
