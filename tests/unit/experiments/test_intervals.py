"""Copies of a process give what the process itself would give; each test runs in a process with a single thread."""

import subprocess
import sys

import pytest

from tests.cases import for_each

BEGIN = """
import os, signal
import simbackup as sb
from simbackup.experiments.intervals import Copies
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import job_intervals
me = os.getpid()

def killed(item):
    if os.getpid() != me and item == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return -item

def fails(item):
    if item == 5:
        raise ValueError("five")
    return -item

def where(item):
    return os.getpid() == me

def no_child():
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False
"""


def printed(program: str) -> str:
    """What a program prints; Python's warnings are errors in it, too."""
    command = [sys.executable, "-W", "error", "-c", BEGIN + program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_items_keep_their_order() -> None:
    cases = [(1, 9), (2, 9), (3, 40), (3, 8), (2, 1), (2, 0)]
    program = f"""
for number, items in {cases}:
    print([*Copies(number).map(str, range(items))] == [*map(str, range(items))])
    print([*Copies(number).map(where, range(items))].count(True), no_child())
"""
    linux = sys.platform == "linux"
    each = [-(-items // max(1, min(number, items // 4) if linux else 1)) for number, items in cases]
    assert printed(program).split() == [word for here in each for word in ("True", str(here), "True")]


def test_what_a_killed_copy_should_have_done_is_done_here() -> None:
    each = " ".join(str(-item) for item in range(12))
    assert printed("for _ in range(2): print(*Copies(2).map(killed, range(12)), no_child())") == "\n".join(
        [f"{each} True"] * 2
    )


def test_an_error_is_raised_here_and_leaves_no_copy() -> None:
    program = """
try:
    Copies(2).map(fails, range(12))
except ValueError as error:
    print(error, no_child())
"""
    assert printed(program) == "five True"


NO_TASKS = "copying.THREADS = pathlib.Path('/nowhere')"
NO_PROCESS = "os.fork = lambda: os.open('/nowhere', 0)"
NO_FILES = "resource.setrlimit(resource.RLIMIT_NOFILE, (files + 1, files + 3))"
THREADS = "threading.Thread(target=wait.wait).start()"


@pytest.mark.slow
@for_each("without", [NO_TASKS, NO_PROCESS, NO_FILES, THREADS])
def test_a_process_that_cannot_be_copied_does_all_itself(without: str) -> None:
    program = f"""
import pathlib, resource, threading
import simbackup.experiments.intervals as copying
files, wait = len(os.listdir("/dev/fd")) - 1, threading.Event()
{without}
print(*Copies(2).map(abs, range(-8, 0)), all(Copies(2).map(where, range(8))))
wait.set()
resource.setrlimit(resource.RLIMIT_NOFILE, (files + 3, files + 3))
print(len(os.listdir("/dev/fd")) - 1 - files, no_child())
"""
    assert printed(program) == "8 7 6 5 4 3 2 1 True\n0 True"


def test_copies_end_where_the_system_waits_for_them() -> None:
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print(*Copies(3).map(killed, range(12)), no_child())
"""
    each = " ".join(str(-item) for item in range(12))
    assert printed(program) == f"{each} True"


def test_an_interrupt_as_a_copy_begins_ends_that_alone() -> None:
    program = """
fork = os.fork

def interrupted():
    process = fork()
    if not process:
        raise KeyboardInterrupt
    return process

os.fork = interrupted
print(*Copies(3).map(abs, range(-12, 0)), no_child())
"""
    assert printed(program) == "12 11 10 9 8 7 6 5 4 3 2 1 True"


@pytest.mark.slow
def test_intervals_are_the_same_with_copies() -> None:
    program = """
result = sb.simulate("teaching/one-file-from-tape")  # numpy, which others need, begins threads
print(job_intervals(result, effort=LEAN) == job_intervals(result, effort=LEAN, executor=Copies(2)))
print(all(Copies(2).map(where, range(8))))
"""
    assert printed(program).split() == ["True", str(sys.platform != "linux")]
