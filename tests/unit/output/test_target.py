"""Files bear the mark of the program that wrote them, and no others are replaced."""

from pathlib import Path

import pytest

from simbackup.errors import ResultError
from simbackup.output.target import TRACE, check_file, check_replaced
from simbackup.output.whole import write_whole


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
