"""Ctrl-C at a moment at which Python can raise nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import signal, sys, time
from simbackup import cli
from simbackup.cli import app

class Ended:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        sum(range(10))  # the signal is handled in here

def run():
    Ended()
    REST

app.main = run
cli.main()
"""


@pytest.mark.parametrize("rest", ["time.sleep(60)", "raise SystemExit(0)"])
def test_an_interrupt_while_an_object_ends_is_not_lost(rest: str) -> None:
    """Whether the command goes on for long, or has ended before the interrupt comes again."""
    script = SCRIPT.replace("REST", rest)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stderr) == (130, "interrupted; no partial output was written\n")
