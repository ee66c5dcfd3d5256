from types import SimpleNamespace
from typing import Any, cast

import pytest

from simbackup.cli import show
from simbackup.trace.trace import Trace


def test_the_first_of_many_notes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    trace = Trace()
    for i in range(show.MOST_NOTES + 2):
        trace.note(float(i), f"jobs.again.{i}", "has nothing to do")
    show.notes(cast("Any", SimpleNamespace(trace=trace)))
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "jobs.again.0 has nothing to do, at 0 s"
    assert lines[show.MOST_NOTES :] == ["and 2 more notes, under 'notes' of --json"]
