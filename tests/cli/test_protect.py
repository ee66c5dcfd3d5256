"""The command `protect`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sites.plan import TEXT

from simbackup.cli import app


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["simbackup", *arguments])
    with pytest.raises(SystemExit) as ended:
        app.main()
    return int(ended.value.code or 0)


def test_it_prints_what_losses_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, losses = tmp_path / "site.yaml", tmp_path / "losses.yaml"
    file.write_text(TEXT, encoding="utf-8")
    losses.write_text("usual: false\nlosses:\n  fire: {strikes: place, yearly: 0.01}\n", encoding="utf-8")
    assert run(monkeypatch, "protect", str(file), "--losses", str(losses), "--no-times") == 0
    printed = capsys.readouterr().out
    assert "fire: main" in printed
    assert "it is in 'main'" in printed
    assert run(monkeypatch, "protect", str(file), "--losses", str(losses), "--no-times", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["of"], one["spared"]) for one in found["answers"]] == [("main", False), ("vault", True)]
    assert found["answers"][0]["saved_by"] == {"vault": 1.0}


def test_a_mistake_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    losses = tmp_path / "losses.yaml"
    losses.write_text("losses:\n  fire: {strikes: houses}\n", encoding="utf-8")
    assert run(monkeypatch, "check", str(losses)) == 2
    assert "losses.yaml:2:19: losses.fire.strikes: there is nothing called 'houses'" in capsys.readouterr().err
    assert run(monkeypatch, "protect", "planning/forty-systems", "--losses", str(losses)) == 2
    assert "losses.yaml:2:19: losses.fire.strikes: there is nothing called 'houses'" in capsys.readouterr().err
