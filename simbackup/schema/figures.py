"""Columns of the tables of results, as far as parts say which of them they have."""

from __future__ import annotations

from collections.abc import Mapping

Figures = Mapping[str, tuple[str, ...]]
"""Columns by what follows the name of a part in addresses: empty for the part itself, `drive.1` for a piece of it."""

USE = ("busy", "busy_s", "bytes", "peak", "active", "saturated")
"""How much a device was used."""
RUN = ("start", "end", "elapsed", "bytes", "files", "rate", "transfer_rate", "waits", "lock", "due")
"""What every run of a job has."""
IMPACT = ("offered", "served", "rate", "lost")
"""What a job costs every workload."""
