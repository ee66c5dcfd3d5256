"""Options that every command line has: help and completion."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.shared import Say

PROGRAM = Path(sys.executable).with_name("simbackup")


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
