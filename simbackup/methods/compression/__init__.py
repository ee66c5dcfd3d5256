"""Compression by a program, before data reach a medium: at the client, on the wire, at the server or at the target."""

from __future__ import annotations

from simbackup.methods.compression.spec import CompressorSheet

SHEETS = {"compressor": CompressorSheet}
