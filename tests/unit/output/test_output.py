"""Files are written whole or not at all, and none that others wrote is replaced."""

import os
import threading
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output.target import TRACE, check_file, check_replaced
from simbackup.output.whole import write_whole
from tests.cases import for_each


# Marks of the program that wrote a file
@pytest.mark.parametrize("written", [False, True])
def test_what_others_wrote_or_changed_is_not(tmp_path: Path, written: bool) -> None:
    path = tmp_path / "trace.json"
    if written:
        write_whole(path, "one")
    path.write_text("mine", encoding="utf-8")
    for attempt in (check_replaced, lambda path: check_file(path, TRACE), lambda path: write_whole(path, "two")):
        with pytest.raises(
            ResultError, match="did not write it, or it has changed since; remove it, or choose another name"
        ):
            attempt(path)
    assert path.read_text(encoding="utf-8") == "mine"


# What is no file
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", list[str]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_text()), daemon=True)
    reader.start()
    write_whole(path, "all of it")
    reader.join(timeout=1800.0)  # after which it hangs
    assert read == ["all of it"]
    assert path.is_fifo()


@for_each("path", ["", ".", "/"])
def test_a_path_without_a_name_is_reported(path: str) -> None:
    with pytest.raises(ResultError, match="is a folder; name a file"):
        write_whole(path, "text")
