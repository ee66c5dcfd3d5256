"""`python -m simbackup.cli`."""

from __future__ import annotations

from simbackup.cli.app import main

main()
