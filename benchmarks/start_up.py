"""CPU time of whole processes of the command line, compared with `python -c pass`.

Everything that the program may import is byte-compiled first, into a folder of its own, so that no process writes or
misses compiled files. The commands take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import compileall
import importlib.metadata
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.processes import cpu_of, simbackup
from benchmarks.rows import Row, compared, options, show

BARE = "python -c pass"
COMMANDS = (
    "--help", "check scenarios/teaching/mount-queue.yaml", "run teaching/mount-queue --intervals none",
    "run teaching/mount-queue",
)  # fmt: skip
LEAST = 7
"""Runs of each command at least."""
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


def main() -> None:
    """Print one row for each command."""
    parser = options("CPU time of whole processes of the command line")
    asked = parser.parse_args()
    runs = 1 if asked.quick else max(asked.runs, LEAST)
    with tempfile.TemporaryDirectory() as compiled:
        sys.pycache_prefix = compiled
        byte_compile()
        environment = {"PYTHONPYCACHEPREFIX": compiled}
        commands = [[sys.executable, "-c", "pass"], *(simbackup(*name.split()) for name in COMMANDS)]
        for command in commands:
            cpu_of(command, environment)  # fills the cache of the file system
        bare, *ours = compared([lambda command=command: cpu_of(command, environment) for command in commands], runs)
    for name, cost in zip(COMMANDS, ours, strict=True):
        show(Row("start-up", name, "program", BARE, bare / cost, cost, "process", runs), as_json=asked.json)


if __name__ == "__main__":
    main()
