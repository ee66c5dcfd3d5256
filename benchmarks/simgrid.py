"""SimGrid as a peer, where a C++ compiler and its library are installed (Debian: `apt install g++ libsimgrid-dev`)."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.transfers import DataSet

NAME = "completion of SimGrid C++"
SOURCE = Path(__file__).with_name("simgrid.cpp")


class SimGrid:
    """The same transfers in SimGrid, compiled into a temporary folder that lives as long as this."""

    def __init__(self, program: Path, folder: tempfile.TemporaryDirectory[str]) -> None:
        self._program = program
        self._folder = folder

    @classmethod
    def installed(cls) -> SimGrid | None:
        """The peer, or None where it cannot be compiled."""
        compiler = shutil.which("g++")
        if compiler is None:
            return None
        folder = tempfile.TemporaryDirectory()
        program = Path(folder.name) / "simgrid"
        command = [compiler, "-O2", "-o", str(program), str(SOURCE), "-lsimgrid"]
        done = subprocess.run(command, capture_output=True, check=False)
        return cls(program, folder) if done.returncode == 0 else None

    def run(self, data: DataSet) -> tuple[float, list[float]]:
        """CPU microseconds of a completion, and the time at which each transfer ends."""
        folder = Path(self._folder.name)
        data.write(folder)
        ends = folder / "ends"
        command = [str(self._program), str(folder), str(ends)]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        return float(done.stdout), [float(line) for line in ends.read_text().split()]
