"""Ctrl-C at a moment at which Python can raise nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

SCRIPT = """
import signal, sys, time
from simbackup import cli
from simbackup.cli import app

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background

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


SERVER = """
import signal
from simbackup import cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
cli.main()
"""


def test_ctrl_c_ends_the_page_while_its_workers_are_made() -> None:
    """A terminal sends it to the server and to all processes below it."""
    words = [sys.executable, "-c", SERVER, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stderr is not None
        assert server.stderr.readline().startswith("the page is at http://localhost:")
        os.killpg(server.pid, signal.SIGINT)
        left = server.stderr.read()
    assert (server.returncode, left) == (130, "interrupted; no partial output was written\n")
