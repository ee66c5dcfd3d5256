"""Ctrl-C at a moment at which Python can raise nothing, and other signals that end the program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

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


WRITING = """
import os, signal, sys
from pathlib import Path
from simbackup import cli
from simbackup.results import saved

signal.signal(signal.SIGHUP, signal.SIG_DFL)
writes = saved.write_csv

def write_csv(table, path):
    writes(table, path)
    os.kill(os.getpid(), NUMBER)

saved.write_csv = write_csv
sys.argv[1:] = ["run", "teaching/short-backups", "--intervals", "none", "--out", "result"]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_in_the_midst_of_writing_leaves_nothing(name: str, tmp_path: Path) -> None:
    number = signal.Signals[name].value
    script = WRITING.replace("NUMBER", str(number))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (128 + number, f"ended by {name}; no partial output was written\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """As under nohup."""
    script = WRITING.replace("NUMBER", str(signal.SIGHUP.value)).replace("SIG_DFL", "SIG_IGN")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=300, cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "result/run.json").is_file()


SERVER = """
import signal
from simbackup import cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
cli.main()
"""


@pytest.mark.slow
def test_ctrl_c_ends_the_page_while_its_workers_are_made() -> None:
    """A terminal sends it to the server and to all processes below it."""
    words = [sys.executable, "-c", SERVER, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stderr is not None
        assert server.stderr.readline().startswith("Ctrl-C ends it; the page is at http://localhost:")
        os.killpg(server.pid, signal.SIGINT)
        left = server.stderr.read()
    assert (server.returncode, left) == (130, "interrupted; no partial output was written\n")
