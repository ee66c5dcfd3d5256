"""Copies of a process give what the process itself would give; each test runs in a process with a single thread."""

import subprocess
import sys

import pytest

from tests.cases import for_each

COPIED = sys.platform == "linux"
BEGIN = """
import os, signal
import simbackup as sb
from simbackup.experiments.intervals import Copies, copies
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

def fails_here(item):
    if os.getpid() == me and item == 4:
        raise ValueError("four")
    return -item

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
    shared = Copies(number)
    print([*shared.map(str, range(items))] == [*map(str, range(items))], len(shared.others))
    print([*shared.map(abs, range(-items, 0))] == [*map(abs, range(-items, 0))])
    shared.end()
    print(no_child())
"""
    others = [max(0, min(number, items // 4) - 1) if COPIED else 0 for number, items in cases]
    assert printed(program).split() == [word for each in others for word in ("True", str(each), "True", "True")]


def test_what_a_killed_copy_should_have_done_is_done_here() -> None:
    program = "shared = Copies(2)\nfor _ in range(2): print(*shared.map(killed, range(12)))\nshared.end()"
    each = " ".join(str(-item) for item in range(12))
    assert printed(program) == f"{each}\n{each}"


def test_an_error_is_raised_here_and_leaves_no_copy() -> None:
    program = """
try:
    with copies() as found:
        shared = Copies(2)
        shared.map(fails, range(12))
except ValueError as error:
    shared.end()
    print(error, no_child())
"""
    assert printed(program) == "five True"


def test_a_process_with_threads_is_not_copied() -> None:
    program = """
import threading
wait = threading.Event()
with copies() as shared:
    print(shared.number == len(os.sched_getaffinity(0)))
threading.Thread(target=wait.wait).start()
with copies() as shared:
    print(shared.number)
wait.set()
"""
    assert printed(program).split() == [str(COPIED), "1"]


def test_a_process_that_has_begun_a_thread_is_not_copied_any_more() -> None:
    program = """
import threading
shared, wait = Copies(2), threading.Event()
threading.Thread(target=wait.wait).start()
print(*shared.map(abs, range(-8, 0)), len(shared.others))
wait.set()
"""
    assert printed(program) == "8 7 6 5 4 3 2 1 0"


NO_TASKS = "copying.THREADS = pathlib.Path('/nowhere')"
NO_PROCESS = "os.fork = lambda: os.open('/nowhere', 0)"
NO_FILES = "resource.setrlimit(resource.RLIMIT_NOFILE, (files + 3, files + 3))"


@pytest.mark.slow
@for_each("without", [NO_TASKS, NO_PROCESS, NO_FILES])
def test_a_process_that_cannot_be_copied_does_all_itself(without: str) -> None:
    program = f"""
import pathlib, resource
import simbackup.experiments.intervals as copying
files = len(os.listdir("/dev/fd")) - 1
{without}
with copies() as shared:
    shared.number = 2
    print(*shared.map(abs, range(-8, 0)), len(shared.others))
resource.setrlimit(resource.RLIMIT_NOFILE, (files + 3, files + 3))
print(len(os.listdir("/dev/fd")) - 1 - files, no_child())
"""
    assert printed(program) == "8 7 6 5 4 3 2 1 0\n0 True"


def test_copies_end_where_the_system_waits_for_them() -> None:
    program = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
shared = Copies(3)
print(*shared.map(killed, range(12)))
shared.end()
print(no_child())
"""
    each = " ".join(str(-item) for item in range(12))
    assert printed(program) == f"{each}\nTrue"


def test_an_interrupt_as_a_copy_begins_ends_that_alone() -> None:
    program = """
fork = os.fork

def interrupted():
    process = fork()
    if not process:
        raise KeyboardInterrupt
    return process

os.fork = interrupted
try:
    with copies() as shared:
        shared.number = 3
        print(*shared.map(abs, range(-12, 0)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(no_child())
"""
    assert printed(program) == "12 11 10 9 8 7 6 5 4 3 2 1\nTrue"


@pytest.mark.slow
def test_answers_to_what_has_failed_are_not_those_to_what_follows() -> None:
    program = """
shared = Copies(2)
try:
    shared.map(fails_here, range(12))
except ValueError as error:
    print(error, no_child())
print(*shared.map(fails_here, range(20, 32)))
shared.end()
"""
    each = " ".join(str(-item) for item in range(20, 32))
    assert printed(program) == f"four True\n{each}"


@pytest.mark.slow
def test_intervals_are_the_same_with_copies() -> None:
    program = """
result = sb.simulate("teaching/one-file-from-tape")  # numpy, which others need, begins threads
shared = Copies(2)
print(job_intervals(result, effort=LEAN) == job_intervals(result, effort=LEAN, executor=shared))
print(len(shared.others))
shared.end()
"""
    assert printed(program).split() == ["True", str(int(COPIED))]
