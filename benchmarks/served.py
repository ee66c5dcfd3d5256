"""The what-if page as its command serves it, and what the server and all its workers use (Linux)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import simbackup

PROC = Path("/proc")
TICKS = os.sysconf("SC_CLK_TCK")
KIB = 1024


@dataclass(frozen=True, slots=True)
class Served:
    """A server of the page: where it is, and its process."""

    address: str
    process: int

    @property
    def home(self) -> str:
        """The address without its key."""
        return self.address.partition("/?")[0]

    @property
    def cpu(self) -> float:
        """CPU seconds of the server, of its workers, and of those that have ended."""
        return sum(_cpu(each) for each in self.processes())

    @property
    def memory(self) -> float:
        """MiB of the server and its workers; what they share counts once."""
        return sum(_memory(each) for each in self.processes())

    def processes(self) -> list[int]:
        """The processes of the server and all below it that are alive."""
        found = [self.process]
        for each in found:
            found += _children(each)
        return found


@contextmanager
def served(*arguments: str) -> Generator[Served]:
    """Serve the page while this lives; at its end the server must end by itself, and without a traceback.

    Raises
    ------
    SystemExit
        The server ended otherwise.
    """
    command = simbackup("serve", *arguments, "--port", "0", "--no-browser")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None  # noqa: S101 (asked for above)
        said = server.stderr.readline()
        try:
            yield Served(said.split(" at ")[1].split(";")[0], server.pid)
        finally:
            server.send_signal(signal.SIGINT)
            rest = server.stderr.read()
    if server.returncode != 128 + signal.SIGINT or "Traceback" in rest:
        raise SystemExit(f"the server ended with {server.returncode}: {rest}")


def load() -> str:
    """How busy the machine is: processes that want a processor, over the last minute."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def _children(process: int) -> list[int]:
    try:
        return [
            int(child)
            for task in (PROC / str(process) / "task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:  # it has ended
        return []


def _cpu(process: int) -> float:
    try:
        fields = (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(each) for each in fields[11:15]) / TICKS  # of its own and of its children that have ended


def _memory(process: int) -> float:
    """The share of a process, in MiB, of all that it has in memory; what n share counts an n-th for each."""
    try:
        lines = (PROC / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / KIB
