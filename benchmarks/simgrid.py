"""Transfers end at the same time in the engine and in SimGrid, an independent implementation of max-min fairness.

SimGrid needs a C++ compiler and its library (Debian: `apt install g++ libsimgrid-dev`).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks.transfers import DataSet, data_set, run

SITES = ("w2_100_random", "w2_100_local", "w2_1000_local", "w2_1000_random", "core_50", "core_500")
MOST = 5_000
"""Transfers of a data set that run, unless others are asked for."""
SAME = 1e-9
"""Share of its time by which an end may differ."""
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

    def run(self, data: DataSet) -> list[float]:
        """The time, seconds, at which each transfer ends."""
        folder = Path(self._folder.name)
        data.write(folder)
        ends = folder / "ends"
        subprocess.run([str(self._program), str(folder), str(ends)], capture_output=True, check=True)
        return [float(line) for line in ends.read_text().split()]


def main() -> None:
    """Compare the ends of each data set; an error names one in which they differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks simgrid", description=__doc__)
    parser.add_argument("datasets", nargs="*", default=SITES, help="such as w2_1000_local, core_50")
    parser.add_argument("--jobs", type=int, default=MOST, help=f"no more than the first of each ({MOST})")
    asked = parser.parse_args()
    peer = SimGrid.installed()
    if peer is None:
        raise SystemExit("SimGrid cannot be compiled here: install g++ and libsimgrid-dev")
    for name in asked.datasets:
        data = data_set(name).first(asked.jobs)
        pairs = list(zip(run(data), peer.run(data), strict=True))
        if wrong := sum(abs(ours - theirs) > SAME * theirs for ours, theirs in pairs):
            raise SystemExit(f"{name}: {wrong} of {len(pairs)} transfers end at another time than in SimGrid")
        print(f"{name}: {len(pairs)} transfers end at the same time as in SimGrid")


if __name__ == "__main__":
    main()
