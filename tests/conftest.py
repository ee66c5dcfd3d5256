"""What tests of several folders use as an argument."""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

from simbackup import shelf
from simbackup.cli import app as cli
from tests.cases import Extent
from tests.shared import Said, Say

# no test measures time, so that a busy machine breaks none; the pipeline draws the same examples each time
settings.register_profile(
    "simbackup",
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.register_profile("nightly", settings.get_profile("simbackup"), max_examples=500)
settings.load_profile("simbackup")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--nightly` runs everything, with many more examples of each property."""
    parser.addoption("--nightly", action="store_true", help="run the tests marked as nightly, too, with more examples")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how much is tried."""
    Extent.everything = config.getoption("nightly")
    settings.load_profile("nightly" if Extent.everything else "simbackup")


@pytest.fixture(autouse=True, scope="session")
def one_processor() -> Iterator[None]:
    """What runs in this process starts no others unless its test asks for some: they would wait for other tests."""
    with patch("os.cpu_count", return_value=1):
        yield


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


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let Python look for no cycles while tests and what they import are read, which all stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only runs nightly; run tests that share what is made once for a module in one process.

    Several processes begin with what is slow, so that none of them works alone at the end.
    """
    if not config.getoption("nightly"):
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in {*left_out}]
    for item in items:
        if isinstance(item, pytest.Function) and not item.get_closest_marker("xdist_group"):
            known = item._fixtureinfo.name2fixturedefs
            if any(each.scope == "module" for name in item.fixturenames for each in known.get(name, ())):
                item.add_marker(pytest.mark.xdist_group(str(item.path)))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)
