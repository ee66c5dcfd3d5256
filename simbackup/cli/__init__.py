"""The command line."""

from __future__ import annotations

from simbackup.cli.app import main

__all__ = ["main"]
