"""How the program ends."""

from __future__ import annotations

WRONG_INPUT = 2
INTERRUPTED = 130
"""The exit codes for wrong input, and after Ctrl-C."""
