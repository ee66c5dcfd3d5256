"""Outputs that are closed or full, and files that no one expects, as a shell hands them over."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import for_each
from tests.shared import Say

posix = pytest.mark.skipif(os.name != "posix", reason="file descriptors are those of POSIX")
FULL = "/dev/full"
SMALL = "teaching/short-backups"


def run_in_shell(command: str, folder: Path, **environment: str) -> tuple[int, str, str]:
    """The exit code, the output and the notes of a command; `simbackup` in it is this one."""
    said = command.replace("simbackup", f"{sys.executable} -m simbackup")
    done = subprocess.run(
        ["/bin/bash", "-c", said],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


def shown(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line and not line.startswith("shell-init")]


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("command", "why"),
    [
        (f"simbackup run {SMALL} --intervals none > {FULL}", "No space left on device"),
        (f"simbackup run {SMALL} --intervals none >&-", "Bad file descriptor"),
        (f"simbackup --version > {FULL}", "No space left on device"),
        ("simbackup --help >&-", "Bad file descriptor"),
        (f"simbackup schema > {FULL}", "No space left on device"),
    ],
)
def test_an_output_that_cannot_be_written_is_one_message(command: str, why: str, tmp_path: Path) -> None:
    code, _, notes = run_in_shell(command, tmp_path)
    assert shown(notes) == [f"standard output cannot be written ({why})"]
    assert code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@posix
@pytest.mark.parametrize("notes", ["2>&-", f"2>{FULL}"])
def test_lost_notes_change_neither_the_answer_nor_the_code(notes: str, tmp_path: Path) -> None:
    assert run_in_shell(f"simbackup check nowhere.yaml {notes}", tmp_path)[:2] == (2, "")
    code, out, _ = run_in_shell(f"simbackup --version {notes} <&-", tmp_path)
    assert code == 0
    assert out.startswith("simbackup ")


@pytest.mark.slow
@posix
def test_a_result_is_written_whatever_becomes_of_the_terminal(tmp_path: Path) -> None:
    """The numbers of closed streams are not given to files, into which messages would be written then."""
    run_in_shell(f"simbackup picture {SMALL} --out a.svg 2>&- >&- <&-", tmp_path)
    run_in_shell(f"simbackup picture {SMALL} --out b.svg", tmp_path)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.slow
@posix
def test_a_pipe_can_be_checked_and_run(tmp_path: Path) -> None:
    text = "title: a\nhosts:\n  h: {model: host/linux-modern-server, owns: [d]}\n"
    text += "devices:\n  d: {model: ssd/nvme-gen3-2018}\ndata:\n  x: {on: d, size: 1 GB}\n"
    (tmp_path / "f.yaml").write_text(text + "jobs:\n  save: {method: write, data: x}\n")
    assert run_in_shell("simbackup check <(cat f.yaml)", tmp_path) == (0, "1 file is valid\n", "")
    code, out, _ = run_in_shell("cat f.yaml | simbackup run /dev/stdin --json --intervals none", tmp_path)
    assert code == 0
    assert '"save"' in out


@pytest.mark.slow
@posix
@for_each("command", ["check", "run", "study", "plan run"])
@for_each("place, why", [("/dev/zero", "it has more than 32 MiB"), ("a.yaml", "Too many levels of symbolic links")])
def test_a_file_that_cannot_be_read_is_one_message(
    command: str, place: str, why: str, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").symlink_to("a.yaml")
    monkeypatch.chdir(tmp_path)
    code, _, notes = say(*command.split(), place)
    assert (code, shown(notes)) == (2, [f"{place}: cannot be read ({why})"])


@pytest.mark.slow
@posix
@for_each(
    "command, message",
    [
        (f"run {SMALL} --out file", "file is a file; name a folder"),
        (f"plot {SMALL} --out {FULL}", f"{FULL} cannot be written (No space left on device)"),
        (f"picture {SMALL} --out {FULL}", f"{FULL} cannot be written (No space left on device)"),
        (f"trace {SMALL} --out {FULL}", f"{FULL} cannot be written (No space left on device)"),
        (f"report {SMALL} --quick --out {FULL}", f"{FULL} cannot be written (No space left on device)"),
        ("plan run planning/university --out no/plan --until 1d", "no/plan cannot be written (there is no folder no)"),
    ],
)
def test_a_place_that_cannot_be_written_is_one_message(
    command: str, message: str, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)
    code, _, notes = say(*command.split())
    assert shown(notes) == [message]
    assert code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


INTERRUPTED_NOTES = """
import signal, sys
from simbackup.cli import streams

streams.keep()
writes = False

def interrupt(number, frame):
    global writes
    if writes:
        writes = False
        raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0002)
for number in range(20_000):
    try:
        writes = True
        sys.stderr.write(f"{number}\\n")
        writes = False
    except KeyboardInterrupt:
        pass
signal.setitimer(signal.ITIMER_REAL, 0.0)
"""


@posix
def test_no_note_is_written_twice_when_interrupts_come_while_it_is_written() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED_NOTES], capture_output=True, text=True, check=False)
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert len(lines) == len(set(lines))
    assert len(lines) > 10_000
