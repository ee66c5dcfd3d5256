"""Several outputs take their places together, or none does."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output import exchange
from simbackup.output.together import together
from simbackup.output.whole import write_whole
from simbackup.results.folder import TABLES, put


def both(tmp_path: Path, text: str) -> None:
    """Write a file and a folder."""
    with together():
        write_whole(tmp_path / "a.html", text)
        put(tmp_path / "b", lambda fresh: {"length": (fresh / "b.csv").write_text(text)}, TABLES)


def there(tmp_path: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (tmp_path / "a.html", tmp_path / "b/b.csv") if path.exists()}


def test_nothing_is_there_before_all_is(tmp_path: Path) -> None:
    both(tmp_path, "old")
    with together():
        both(tmp_path, "new")
        assert there(tmp_path) == {"a.html": "old", "b.csv": "old"}
    assert there(tmp_path) == {"a.html": "new", "b.csv": "new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b"]


def test_what_fails_at_its_end_leaves_all_as_it_was(tmp_path: Path) -> None:
    both(tmp_path, "old")
    (tmp_path / "c.txt").write_text("mine")

    def fail() -> None:
        with together():
            both(tmp_path, "new")
            write_whole(tmp_path / "c.txt", "new")

    with pytest.raises(ResultError, match="simbackup did not write it"):
        fail()
    assert there(tmp_path) == {"a.html": "old", "b.csv": "old"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b", "c.txt"]


def test_a_place_that_cannot_be_taken_is_named(tmp_path: Path) -> None:
    def fail() -> None:
        with together():
            both(tmp_path, "new")
            (tmp_path / "b").write_text("in the way")

    with pytest.raises(ResultError, match="b cannot be written"):
        fail()


@pytest.mark.skipif(not hasattr(os, "setsid"), reason="there are no sessions")
@pytest.mark.parametrize(("written", "becomes"), [("{}\n", "new"), ("{}", "old")])
def test_the_last_step_is_made_by_a_process_that_is_told_all_of_it(tmp_path: Path, written: str, becomes: str) -> None:
    (tmp_path / "a").write_text("old")
    (tmp_path / "a.partial").write_text("new")
    swaps = json.dumps([exchange.Swap(str(tmp_path / "a.partial"), str(tmp_path / "a"))])
    words = [sys.executable, "-I", "-S", str(exchange.__file__)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, text=True) as process:
        process.communicate(written.format(swaps))
    assert process.returncode == 0
    assert (tmp_path / "a").read_text() == becomes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed")
def test_a_killed_command_has_written_all_or_nothing(tmp_path: Path) -> None:
    both(tmp_path, "old")
    child = os.fork()
    if not child:
        try:
            with together():
                both(tmp_path, "new")
                signal.raise_signal(signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert there(tmp_path) == {"a.html": "old", "b.csv": "old"}
    both(tmp_path, "new")
    assert there(tmp_path) == {"a.html": "new", "b.csv": "new"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b"]
