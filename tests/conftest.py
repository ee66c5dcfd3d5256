"""What tests of several folders use as an argument."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from simbackup import shelf
from simbackup.cli import app as cli
from tests.shared import Said, Say

# no test measures time, so that a busy machine breaks none; the pipeline draws the same examples each time
settings.register_profile(
    "simbackup", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="CI" in os.environ
)
settings.load_profile("simbackup")


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


@pytest.fixture
def no_serial_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of one job never wait for each other, so that a test sees what else limits them."""
    monkeypatch.setenv(shelf.SEARCH_PATH, str(Path(__file__).parent / "no_serial_share"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that share what is made once for a module in one process, so that it is made once."""
    for item in items:
        if isinstance(item, pytest.Function) and not item.get_closest_marker("xdist_group"):
            known = item._fixtureinfo.name2fixturedefs
            if any(each.scope == "module" for name in item.fixturenames for each in known.get(name, ())):
                item.add_marker(pytest.mark.xdist_group(str(item.path)))
