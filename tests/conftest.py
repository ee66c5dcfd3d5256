"""What tests of several folders use as an argument."""

from __future__ import annotations

import sys

import pytest

from simbackup.cli import app as cli
from tests.shared import Said, Say


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Runs the program in this process."""

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["simbackup", *map(str, words)])
        code: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        return Said(code, *capsys.readouterr())

    return run
