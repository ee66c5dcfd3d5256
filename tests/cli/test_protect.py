"""The command `protect`."""

import json
import math
from pathlib import Path

import pytest
from sites.plan import TEXT

from tests.shared import Say


@pytest.mark.slow
def test_it_prints_what_losses_cost(tmp_path: Path, say: Say) -> None:
    file, losses = tmp_path / "site.yaml", tmp_path / "losses.yaml"
    file.write_text(TEXT, encoding="utf-8")
    losses.write_text("usual: false\nlosses:\n  fire: {strikes: place, yearly: 0.01}\n", encoding="utf-8")
    code, printed, _ = say("protect", file, "--losses", losses, "--no-times")
    assert code == 0
    assert "fire: main" in printed
    assert "it is in 'main'" in printed
    found = json.loads(say("protect", file, "--losses", losses, "--no-times", "--json").out)
    assert [(one["of"], one["spared"]) for one in found["answers"]] == [("main", False), ("vault", True)]
    assert found["answers"][0]["saved_by"] == {"vault": 1.0}


def test_probabilities_are_for_the_horizon_and_the_picture_is_drawn(tmp_path: Path, say: Say) -> None:
    """A fire 1 to 4 times in a century that costs more than a day in some cases: 1 - exp(-5 r s) within 5 years."""
    file, losses, drawn = (tmp_path / name for name in ("site.yaml", "losses.yaml", "drawn.svg"))
    file.write_text(TEXT, encoding="utf-8")
    rate = "{value: 2 %, basis: assumed, range: [1 %, 4 %], why: a test}"
    fire = f"{{strikes: place, of: main, what: site, yearly: {rate}}}"
    losses.write_text(f"usual: false\nlosses:\n  fire: {fire}\n", encoding="utf-8")
    words = ("protect", file, "--losses", losses, "--no-times", "--horizon", "5")
    (group,) = json.loads(say(*words, "--json").out)["groups"]
    odds = group["more_than_a_day_lost"]
    cases = -math.log1p(-odds["value"]) / (5 * 0.02)
    assert 0.0 < cases <= 1.0
    assert [odds["low"], odds["high"]] == pytest.approx([-math.expm1(-5 * rate * cases) for rate in (0.01, 0.04)])
    assert "in 5 years" in say(*words, "--plot", drawn).out
    assert "fire" in drawn.read_text(encoding="utf-8")


def test_a_mistake_has_its_place(tmp_path: Path, say: Say) -> None:
    losses = tmp_path / "losses.yaml"
    losses.write_text("losses:\n  fire: {strikes: houses}\n", encoding="utf-8")
    for words in (("check", losses), ("protect", "planning/forty-systems", "--losses", losses)):
        code, _, err = say(*words)
        assert code == 2
        assert "losses.yaml:2:19: losses.fire.strikes: there is nothing called 'houses'" in err
