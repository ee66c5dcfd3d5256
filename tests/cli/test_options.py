"""Options that every command line has: version, help, completion."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cases import for_each

PROGRAM = Path(sys.executable).with_name("simbackup")


def said(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """How the program ended with some words and environment variables."""
    command = [sys.executable, "-W", "error", "-m", "simbackup.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def test_the_version_is_printed() -> None:
    done = said("--version")
    said_by_it = done.stdout.replace(" (compiled)", "")
    assert (done.returncode, said_by_it, done.stderr) == (0, f"simbackup {version('simbackup')}\n", "")


@pytest.mark.slow
@for_each("words", [(), ("run",), ("models",), ("models", "show")])
def test_help_has_a_short_and_a_long_name(words: tuple[str, ...]) -> None:
    short, long = said(*words, "-h"), said(*words, "--help")
    assert (short.returncode, short.stdout, short.stderr) == (long.returncode, long.stdout, long.stderr)
    assert short.returncode == 0
    assert short.stdout.startswith("Usage: ")
    assert "-h, --help" in short.stdout


@pytest.mark.slow
def test_a_flag_is_a_flag() -> None:
    assert said("scenarios", "--json").stdout.startswith("[")


def test_bash_completes_commands() -> None:
    typed = {"_SIMBACKUP_COMPLETE": "complete_bash", "COMP_WORDS": "simbackup re", "COMP_CWORD": "1"}
    done = subprocess.run([PROGRAM], capture_output=True, text=True, check=False, env=os.environ | typed)
    assert (done.stdout.split(), done.stderr) == (["report", "reproduce"], "")


def test_bash_is_shown_what_completes_in_it() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    shown = [bash, "-c", f"'{PROGRAM}' --show-completion bash; true"]  # bash stays the parent that is looked for
    script = subprocess.run(shown, capture_output=True, text=True, check=False).stdout
    assert "complete -o default -F _simbackup_completion simbackup" in script
    assert subprocess.run([bash, "-n"], input=script, text=True, check=False).returncode == 0
