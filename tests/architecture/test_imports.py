import logging
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_import_contracts_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cli = pytest.importorskip("importlinter.cli", reason="import-linter comes with the dev extra")
    monkeypatch.chdir(ROOT)
    log = logging.getLogger("simbackup")
    monkeypatch.setattr(log, "disabled", log.disabled)  # the linter switches off all loggers that there are
    code = cli.lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True)
    assert code == 0, capsys.readouterr().out
