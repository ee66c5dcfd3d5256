"""Wall time of whole runs of the command line, compared with `python -c pass` in the same minutes.

Everything that the program may import is byte-compiled first, into a folder of its own, so that no run writes or misses
compiled files. The commands take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import argparse
import compileall
import importlib.metadata
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

BARE = "python -c pass"
PROGRAM = "from simbackup.cli import main; main()"
AIMS = {
    "simbackup --help": 0.5,
    "simbackup run teaching/snapshot-slows-writes": 1.5,
    "simbackup reproduce": 5.0,
}
"""Commands, and the seconds that each should stay under."""
NOT_IMPORTED = re.compile(r"[\\/](tests?|lib2to3|idlelib|site-packages)[\\/]")


def installed(name: str, seen: set[str]) -> Iterator[importlib.metadata.Distribution]:
    """A distribution and its dependencies without extras, each once."""
    if name.lower() in seen:
        return
    seen.add(name.lower())
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return  # needed on another platform or version only
    yield distribution
    for requirement in distribution.requires or []:
        needed = re.match(r"[\w.-]+", requirement)
        if needed and "extra ==" not in requirement:
            yield from installed(needed.group(), seen)


def byte_compile() -> None:
    """Compile the standard library, the program and its dependencies into the folder that is set for it."""
    compileall.compile_dir(sysconfig.get_path("stdlib"), quiet=2, workers=0, rx=NOT_IMPORTED)
    compileall.compile_dir(Path(__file__).parents[1] / "simbackup", quiet=2)
    folders = {
        Path(str(distribution.locate_file(file))).parent
        for distribution in installed("simbackup", set())
        for file in distribution.files or []
        if file.suffix == ".py" and "tests" not in file.parts
    }
    for folder in sorted(folders):
        compileall.compile_dir(folder, quiet=2, maxlevels=0)


def commands() -> dict[str, list[str]]:
    """What is run under each name; in this very Python, as the installed script does."""
    own = {name: [sys.executable, "-c", PROGRAM, *name.split()[1:]] for name in AIMS}
    return {BARE: [sys.executable, "-c", "pass"], **own}


def wall_time(command: list[str], environment: dict[str, str]) -> float:
    """Seconds from the start of a process to its end."""
    began = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def measure(rounds: int, compiled: str) -> dict[str, float]:
    """Median seconds of each command; one round before the counted ones fills the file system's cache."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = compiled
    times: dict[str, list[float]] = {name: [] for name in commands()}
    for _ in range(rounds + 1):
        for name, command in commands().items():
            times[name].append(wall_time(command, environment))
    return {name: statistics.median(each[1:]) for name, each in times.items()}


def main() -> None:
    """Print one line for each command."""
    parser = argparse.ArgumentParser(description="wall time of whole runs of the command line")
    parser.add_argument("--rounds", type=int, default=7, help="counted runs of each command (7)")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix = compiled
        byte_compile()
        medians = measure(asked.rounds, compiled)
    print(f"{'command':<48}{'seconds':>9}{'ratio':>8}{'aim':>14}")
    for name, seconds in medians.items():
        aim = AIMS.get(name)
        reported = "" if aim is None else f"{aim:.1f} s" if seconds <= aim else f"missed {aim:.1f} s"
        print(f"{name:<48}{seconds:>9.3f}{seconds / medians[BARE]:>8.1f}{reported:>14}")


if __name__ == "__main__":
    main()
