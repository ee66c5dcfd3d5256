"""What several tests of the command line use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from simbackup.cli import app as cli

Say = Callable[..., tuple[object, str, str]]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Say:
    """Runs the program in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["simbackup", *words])
        code: object = 0
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        return code, *capsys.readouterr()

    return run
