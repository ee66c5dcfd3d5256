"""The command `protect`."""

import json
import math
from pathlib import Path

import pytest
from sites.plan import TEXT

import simbackup as sb
from simbackup.cli import app


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["simbackup", *arguments])
    with pytest.raises(SystemExit) as ended:
        app.main()
    return int(ended.value.code or 0)


@pytest.mark.slow
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


def test_probabilities_are_for_the_horizon_and_the_picture_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fire 1 to 4 times in a century that costs more than a day in some cases: 1 - exp(-5 r s) within 5 years."""
    file, losses, drawn = (tmp_path / name for name in ("site.yaml", "losses.yaml", "drawn.svg"))
    file.write_text(TEXT, encoding="utf-8")
    rate = "{value: 2 %, basis: assumed, range: [1 %, 4 %], why: a test}"
    fire = f"{{strikes: place, of: main, what: site, yearly: {rate}}}"
    losses.write_text(f"usual: false\nlosses:\n  fire: {fire}\n", encoding="utf-8")
    words = ("--losses", str(losses), "--no-times", "--horizon", "5")
    assert run(monkeypatch, "protect", str(file), *words, "--json") == 0
    (group,) = json.loads(capsys.readouterr().out)["groups"]
    odds = group["more_than_a_day_lost"]
    cases = -math.log1p(-odds["value"]) / (5 * 0.02)
    assert 0.0 < cases <= 1.0
    assert [odds["low"], odds["high"]] == pytest.approx([-math.expm1(-5 * rate * cases) for rate in (0.01, 0.04)])
    assert run(monkeypatch, "protect", str(file), *words, "--plot", str(drawn)) == 0
    assert "in 5 years" in capsys.readouterr().out
    assert "fire" in drawn.read_text(encoding="utf-8")


def test_a_mistake_has_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    losses = tmp_path / "losses.yaml"
    losses.write_text("losses:\n  fire: {strikes: houses}\n", encoding="utf-8")
    assert run(monkeypatch, "check", str(losses)) == 2
    assert "losses.yaml:2:19: losses.fire.strikes: there is nothing called 'houses'" in capsys.readouterr().err
    assert run(monkeypatch, "protect", "planning/forty-systems", "--losses", str(losses)) == 2
    assert "losses.yaml:2:19: losses.fire.strikes: there is nothing called 'houses'" in capsys.readouterr().err


@pytest.mark.slow
def test_a_mixed_strategy_dominates_its_parts_and_says_why() -> None:
    """Tapes and checkpoints together: wherever either of the two has newer data, so have they.

    Mirrors do not lie on the disks of the data, and lose less when these fail.
    """
    found = sb.protect("planning/protection", times=False)
    ((name, (others, why)),) = found.dominating.items()
    assert (name, others) == ("mixed", ("tape-only", "checkpoints-only"))
    assert "snapshots after dropped; library after disks, array, cartridge, ransomware, place" in why
    assert found.as_dict()["never_more_than"] == {"mixed": ["tape-only", "checkpoints-only"]}
    assert len({answer.loss.name for answer in found.answers}) >= 10
