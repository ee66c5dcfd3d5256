"""One command, measured: its time, its time of a core, and what else the machine did meanwhile."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from simbackup.errors import SimbackupError

FOREIGN, STEAL = 0.05, 0.02
"""Shares of the machine's cores beyond which other work, or other machines on the same cores, disturb a run."""
COARSE = 0.05
"""Seconds of cores below which clock ticks cannot be distinguished from zero."""
LONGEST = 1800.0
"""Seconds after which a command is given up."""
STAT = Path("/proc/stat")


class FailedError(SimbackupError):
    """A command of a program failed."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Seconds of cores since the machine started."""

    busy: float
    """Busy ones."""
    steal: float
    """Those that other virtual machines took."""

    @classmethod
    def now(cls) -> Machine:
        """The counters of /proc/stat; zeros where there are none."""
        if not STAT.is_file():
            return cls(0.0, 0.0)
        ticks = [int(each) for each in STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
        user, nice, system, _idle, _waits, interrupts, soft, steal = ticks
        tick = os.sysconf("SC_CLK_TCK")
        return cls((user + nice + system + interrupts + soft) / tick, steal / tick)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command took, in seconds."""

    elapsed: float
    """Until it ended."""
    synced: float
    """Until all that it wrote was on disk."""
    cpu: float
    """Seconds of cores of the command, and of everything that it started and waited for."""
    server_cpu: float
    """Seconds of cores of servers that the lab started for it."""
    foreign: float
    """Seconds of cores of all other processes."""
    steal: float
    """Seconds of cores that other virtual machines took."""
    cores: int
    """Number of cores of the machine."""

    @property
    def disturbed(self) -> bool:
        """Whether other work took more than 5 % of the machine, or other machines more than 2 %."""
        room = self.elapsed * self.cores
        return self.foreign > max(FOREIGN * room, COARSE) or self.steal > max(STEAL * room, COARSE)


SHORTEST = COARSE / FOREIGN / 2.0
"""Seconds of a run below which clock ticks do not show whether other work disturbed it, on two cores."""


class Shell:
    """Where commands run: a folder, and an environment without anything of the user's own."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "TMPDIR": str(folder), **environment,
        }  # fmt: skip

    def call(self, command: str) -> str:
        """What a command prints; it is not measured.

        Raises
        ------
        FailedError
            It fails.
        """
        return self._waited(command)[0]

    def measure(self, command: str, target: Path, servers: Sequence[int] = ()) -> Ran:
        """Run a command and wait until all that it wrote is on disk.

        Parameters
        ----------
        command
            For bash.
        target
            The folder whose file system is written back.
        servers
            Processes whose time of a core is counted apart.

        Raises
        ------
        FailedError
            It fails.
        """
        own, servers_before, machine = time.process_time(), _cpu_of(servers), Machine.now()
        start = time.perf_counter()
        _, used = self._waited(command)
        elapsed = time.perf_counter() - start
        after = Machine.now()
        own, server = time.process_time() - own, _cpu_of(servers) - servers_before
        _sync(target)
        synced = time.perf_counter() - start
        foreign = max(after.busy - machine.busy - used - own - server, 0.0)
        return Ran(elapsed, synced, used, server, foreign, after.steal - machine.steal, os.cpu_count() or 1)

    def _waited(self, command: str) -> tuple[str, float]:
        """What a command prints, and its seconds of cores; nothing that it started outlives it."""
        errors = self.folder / "errors.txt"
        output = self.folder / "output.txt"
        with errors.open("w+b") as err, output.open("w+b") as out, self._started(command, out, err) as process:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # its number stays its own until wait4
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        said = errors.read_text(encoding="utf-8", errors="replace").strip()
        if process.returncode != 0:
            raise FailedError(said[-300:] or f"exit code {process.returncode}")
        return output.read_text(encoding="utf-8", errors="replace"), usage.ru_utime + usage.ru_stime

    @contextmanager
    def _started(self, command: str, out: IO[bytes], err: IO[bytes]) -> Generator[subprocess.Popen[bytes]]:
        """A command in a session of its own, all of which ends at the end."""
        process = subprocess.Popen(  # noqa: S603 (the program file says what runs)
            ["/bin/bash", "-c", f"set -o pipefail\n{command}"], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
        )  # fmt: skip
        try:
            yield process
        finally:
            _end(process)

    @contextmanager
    def serving(self, command: str, port: int) -> Generator[list[int]]:
        """A server that listens on a port inside; its process ends at the end.

        Raises
        ------
        FailedError
            It does not listen within ten seconds.
        """
        log = self.folder / "server.txt"
        with log.open("w+b") as file, self._started(f"exec {command}", file, file) as process:
            for _ in range(100):
                if process.poll() is not None:
                    break
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        yield [process.pid]
                        return
                time.sleep(0.1)
            said = log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
            raise FailedError(f"the server does not listen: {said}")


def free_port() -> int:
    """A port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a session that the lab started, and nothing else."""
    if process.returncode is None:  # otherwise the number may be that of somebody else's process
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _cpu_of(processes: Sequence[int]) -> float:
    """Seconds of cores of processes and of the children that they waited for."""
    ticks = 0
    for number in processes:
        stat = Path(f"/proc/{number}/stat")
        if stat.is_file():
            ticks += sum(int(each) for each in stat.read_text(encoding="ascii").rpartition(")")[2].split()[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def _sync(folder: Path) -> None:
    """Write what the page cache holds for the file system of a folder to its disk."""
    subprocess.run(["sync", "-f", str(folder)], check=False, capture_output=True)  # noqa: S603, S607
