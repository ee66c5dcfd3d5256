"""What commands import, options that every command line has, and signals that end the program."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simbackup import __version__
from tests.cases import for_each
from tests.shared import Say

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


# Help and completion
OPTION_PROGRAM = Path(sys.executable).with_name("simbackup")


@for_each("words", [(), ("run",), ("models",), ("models", "show")])
def test_help_has_a_short_and_a_long_name(words: tuple[str, ...], say: Say) -> None:
    short = say(*words, "-h")
    assert short == say(*words, "--help")
    assert short.code == 0
    assert short.out.startswith("Usage: ")
    assert "-h, --help" in short.out


@pytest.mark.slow
def test_a_flag_is_a_flag(say: Say) -> None:
    assert say("scenarios", "--json").out.startswith("[")


def test_bash_completes_commands() -> None:
    typed = {"_SIMBACKUP_COMPLETE": "complete_bash", "COMP_WORDS": "simbackup re", "COMP_CWORD": "1"}
    done = subprocess.run([OPTION_PROGRAM], capture_output=True, text=True, check=False, env=os.environ | typed)
    assert (done.stdout.split(), done.stderr) == (["report", "reproduce"], "")


def test_bash_is_shown_what_completes_in_it() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    shown = [bash, "-c", f"'{OPTION_PROGRAM}' --show-completion bash; true"]  # bash stays the parent that is looked for
    script = subprocess.run(shown, capture_output=True, text=True, check=False).stdout
    assert "complete -o default -F _simbackup_completion simbackup" in script
    assert subprocess.run([bash, "-n"], input=script, text=True, check=False).returncode == 0


# Ctrl-C at a moment at which Python can raise nothing, and other signals
SCRIPT = """
import signal, sys, time
from simbackup import cli
from simbackup.cli import app

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background

class Ended:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        sum(range(10))  # the signal is handled in here

def run():
    Ended()
    REST

app.main = run
cli.main()
"""


@pytest.mark.parametrize("rest", ["time.sleep(60)", "raise SystemExit(0)"])
def test_an_interrupt_while_an_object_ends_is_not_lost(rest: str) -> None:
    """Whether the command goes on for long, or has ended before the interrupt comes again."""
    script = SCRIPT.replace("REST", rest)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stderr) == (130, "interrupted; no partial output was written\n")


WRITING = """
import os, signal, sys
from pathlib import Path
from simbackup import cli
from simbackup.results import saved

signal.signal(signal.SIGHUP, signal.SIG_DFL)
writes = saved.write_csv

def write_csv(table, path):
    writes(table, path)
    os.kill(os.getpid(), NUMBER)

saved.write_csv = write_csv
sys.argv[1:] = ["run", "teaching/short-backups", "--intervals", "none", "--out", "result"]
cli.main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_in_the_midst_of_writing_leaves_nothing(name: str, tmp_path: Path) -> None:
    number = signal.Signals[name].value
    script = WRITING.replace("NUMBER", str(number))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (128 + number, f"ended by {name}; no partial output was written\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """As under nohup."""
    script = WRITING.replace("NUMBER", str(signal.SIGHUP.value)).replace("SIG_DFL", "SIG_IGN")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=300, cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "result/run.json").is_file()


SERVER = """
import signal
from simbackup import cli

signal.signal(signal.SIGINT, signal.default_int_handler)  # which is off where the tests run in the background
cli.main()
"""


@pytest.mark.slow
def test_ctrl_c_ends_the_page_while_its_workers_are_made() -> None:
    """A terminal sends it to the server and to all processes below it."""
    words = [sys.executable, "-c", SERVER, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True) as server:
        assert server.stderr is not None
        assert server.stderr.readline().startswith("Ctrl-C ends it; the page is at http://localhost:")
        os.killpg(server.pid, signal.SIGINT)
        left = server.stderr.read()
    assert (server.returncode, left) == (130, "interrupted; no partial output was written\n")
