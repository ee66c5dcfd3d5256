"""Copies of a process give what the process itself would give; each test runs in a process with a single thread."""

from __future__ import annotations

import subprocess
import sys

import pytest

BEGIN = """
import os, signal
import simbackup as sb
from simbackup.experiments.copies import Copies, copies
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


@pytest.mark.parametrize(("number", "items"), [(1, 9), (2, 9), (3, 40), (3, 8), (2, 1), (2, 0)])
def test_items_keep_their_order(number: int, items: int) -> None:
    program = f"""
shared = Copies({number})
print([*shared.map(str, range({items}))] == [*map(str, range({items}))], len(shared.others))
print([*shared.map(abs, range(-{items}, 0))] == [*map(abs, range(-{items}, 0))])
shared.end()
print(no_child())
"""
    assert printed(program).split() == ["True", str(max(0, min(number, items // 4) - 1)), "True", "True"]


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
    assert printed(program).split() == ["True" if sys.platform == "linux" else "False", "1"]


def test_intervals_are_the_same_with_copies() -> None:
    program = """
result = sb.simulate("teaching/short-backups")
shared = Copies(3)
print(job_intervals(result, effort=LEAN) == job_intervals(result, effort=LEAN, executor=shared))
print(len(shared.others))
shared.end()
"""
    assert printed(program).split() == ["True", "1"]
