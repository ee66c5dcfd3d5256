"""`python -m simbackup.cli`."""

from __future__ import annotations

from simbackup.cli import main

main()
