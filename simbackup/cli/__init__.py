"""The command line."""

from __future__ import annotations

import gc
import sys

from simbackup.cli import interrupts, streams
from simbackup.collector import seldom


def main() -> None:
    """Run the command line; a Ctrl-C that comes while its parts are read ends it cleanly, too."""
    interrupts.keep()
    streams.keep()
    try:
        with seldom():
            from simbackup.cli.app import main as run  # noqa: PLC0415

            try:
                run()
            finally:
                interrupts.come_now()
                gc.freeze()  # all of it ends now: nobody has to look for cycles once more
    except KeyboardInterrupt:
        sys.stderr.write(f"{interrupts.said()}\n")
        raise SystemExit(interrupts.code()) from None
