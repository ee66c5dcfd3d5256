"""Commands import what they use and nothing else; how long that takes depends on the machine, what it is does not."""

import subprocess
import sys

import pytest

from simbackup import __version__

HEAVY = (
    "numpy", "pandas", "pyarrow", "scipy", "matplotlib", "openpyxl", "jinja2", "ruamel", "urllib.request",
    "http.client", "xml.sax", "multiprocessing", "concurrent.futures.process",
)  # fmt: skip
"""Packages that no run and no check of a small scenario needs."""
OTHERS = (
    "simbackup.planning.site", "simbackup.experiments.reproduce", "simbackup.experiments.study", "simbackup.plots",
    "simbackup.reporting", "simbackup.drawing.layout", "simbackup.results.folder", "simbackup.schema.measured",
)  # fmt: skip
"""What other commands need."""
LIVE = (
    "simpy",
    "rich",
    "simbackup.engine",
    "simbackup.trace",
    "simbackup.system",
    "simbackup.build",
    "simbackup.results",
)

PROGRAM = """
import sys
from simbackup.cli import main
try:
    main()
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""


def imported(*command: str, fails: bool = False) -> set[str]:
    """The modules that a command has imported when it ends."""
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *command], capture_output=True, text=True, check=True)
    assert bool(ran.stdout) != fails, ran.stderr
    return set(ran.stderr.split())


def test_help_imports_no_simulator() -> None:
    found = imported("--help")
    unused = {*HEAVY, *OTHERS, *LIVE, "pydantic", "yaml", "simbackup.schema", "simbackup.scenario"}
    assert sorted(found & unused) == []


@pytest.mark.slow
def test_a_check_of_a_file_with_mistakes_imports_nothing_live() -> None:
    """A simulation is only run to find the keys without effect of a file that is right."""
    found = imported("check", "tests/cli/broken/ten-kinds-at-once.yaml", fails=True)
    assert sorted(found & {*HEAVY, *OTHERS, *LIVE}) == []
    assert sorted(imported("check", "scenarios/teaching/mount-queue.yaml") & {*HEAVY, *OTHERS}) == []


@pytest.mark.slow
@pytest.mark.parametrize("intervals", ["none", "quick"])
def test_a_run_imports_nothing_heavy(intervals: str) -> None:
    found = imported("run", "teaching/mount-queue", "--intervals", intervals)
    assert sorted(found & {*HEAVY, *OTHERS}) == []


def test_the_package_is_the_program() -> None:
    ran = subprocess.run([sys.executable, "-m", "simbackup", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.replace(" (compiled)", "") == f"simbackup {__version__}\n"
