"""Work in other processes, copies of a process, and what becomes of both when they are killed."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.experiments.executors import Executor, InProcess, InProcesses, Lost, executor_for
from tests.cases import for_each

# When the work is given up, or the process that started it is killed
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


# Executors
def square(n: int) -> int:
    return n * n


def killed_at(where: Path, times: int, n: int) -> int:
    """The square, but at 3 the process is killed the first so many times."""
    if n == 3:
        before = len(list(where.iterdir()))
        if before < times:
            (where / f"{before}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return n * n


@for_each("executor", [InProcess(), InProcesses(1), InProcesses(3)])
def test_each_item_gives_what_the_function_makes_of_it(executor: Executor) -> None:
    assert dict(executor.run(square, range(20))) == {n: n * n for n in range(20)}


def test_a_killed_worker_costs_a_retry(tmp_path: Path) -> None:
    found = list(InProcesses(2).run(partial(killed_at, tmp_path, 1), range(8)))
    assert sorted(found) == [(n, n * n) for n in range(8)]


def test_all_of_a_bunch_whose_worker_was_killed_is_run_again(tmp_path: Path) -> None:
    """One process, and items so quick that they go to it in bunches; the killed one is in the midst of one."""
    found = list(InProcesses(1).run(partial(killed_at, tmp_path, 1), range(-5, 20)))
    assert sorted(found) == [(i, n * n) for i, n in enumerate(range(-5, 20))]


def test_an_item_over_which_workers_are_always_killed_is_given_up_and_no_other(tmp_path: Path) -> None:
    found = list(InProcesses(2).run(partial(killed_at, tmp_path, 99), range(8)))
    assert len(found) == 8
    assert {n: each for n, each in found if n != 3} == {n: n * n for n in range(8) if n != 3}
    lost = dict(found)[3]
    assert isinstance(lost, Lost)
    assert "killed 3 times" in lost.why


def test_no_more_processes_than_cores_are_of_use() -> None:
    with executor_for(99_999) as executor:
        assert isinstance(executor, InProcesses)
        assert executor.number == max(os.cpu_count() or 1, 2)


def test_a_cluster_that_is_not_there_is_reported() -> None:
    with pytest.raises(ResultError, match="there is no Dask scheduler at nowhere"), executor_for(scheduler="nowhere"):
        pass
