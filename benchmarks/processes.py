"""Whole processes of the program and what they cost."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping

PROGRAM = "from simbackup.cli import main; main()"


def simbackup(*arguments: str) -> list[str]:
    """A command of the program in this very Python, as the installed script runs it."""
    return [sys.executable, "-c", PROGRAM, *arguments]


def cpu_of(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    """CPU microseconds of a process and of all that it starts."""
    before = _children()
    own = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env={**own, **(environment or {})}, stdout=subprocess.DEVNULL, check=True)
    return (_children() - before) * 1e6


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
