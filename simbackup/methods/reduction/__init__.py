"""How a program makes a save set smaller: it compresses bytes, and stores only chunks that the store does not have."""

from __future__ import annotations

from simbackup.methods.reduction.spec import CompressorSheet, DeduplicationSheet

SHEETS = {"compressor": CompressorSheet, "deduplication": DeduplicationSheet}
