"""Worker processes when the work is given up, or the process that started them is killed."""

import subprocess
import sys

import pytest

BEGIN = """
import os, signal, sys, time
from simbackup.experiments.processes import pool_of

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background

def work(item):
    if not item[0]:
        os.write(1, b"works ")
        time.sleep(1000)
    return item[0]
"""
GIVEN_UP = """
try:
    with pool_of(2) as pool:
        futures = [pool.submit(work, (i % 2, bytes(200_000))) for i in range(50)]  # more than a pipe holds
        futures[1].result()
        if sys.argv[1] == "cancelled":
            for future in futures:
                future.cancel()
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print("given up")
"""
KILLED = """
with pool_of(2) as pool:
    pool.submit(work, (1,)).result()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _run(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    """It comes back only when no process has its output open, workers among them."""
    words = (sys.executable, "-c", BEGIN + script, *words)
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("futures", ["cancelled", "left"])
def test_workers_end_at_once_when_the_work_is_given_up(futures: str) -> None:
    done = _run(GIVEN_UP, futures)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("given up\n")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such request")
def test_workers_end_with_the_process_that_is_killed() -> None:
    done = _run(KILLED)
    assert done.returncode < 0
