"""Files that are written whole or not at all, and what is no file."""

import os
import threading
from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output.whole import write_whole
from tests.cases import for_each


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
