"""Which inputs a figure depends on, where that is known: a disk is copied to another whose rate limits."""

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations.uncertainty import SCORE
from simbackup.uncertainty.model_error import term_of
from tests.shared import Say

RATE = {"value": "100 MB/s", "basis": "assumed", "range": ["50 MB/s", "200 MB/s"], "why": "a test"}
SIZE = {"value": "100 GB", "basis": "assumed", "range": ["80 GB", "125 GB"], "why": "a test"}
SITE: dict[str, Any] = {
    "title": "One disk that is copied to another",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "target"]}},
    "devices": {
        "source": {"model": "ssd/sata-ssd-2015"},
        "target": {"model": "ssd/sata-ssd-2015", "write_rate": RATE},
    },
    "data": {"files": {"on": "source", "size": SIZE}, "little": {"on": "source", "size": "1 GB"}},
    "jobs": {
        "save": {"method": "image", "data": "files", "to": "target", "tool": "backup_tool/raw-blocks"},
        "short": {
            "method": "image", "data": "little", "to": "target", "tool": "backup_tool/raw-blocks", "after": "save",
        },
    },
}  # fmt: skip
SAVE = "jobs.save.elapsed"


@pytest.fixture(scope="module")
def found() -> sb.Sensitivity:
    pytest.importorskip("scipy")
    return sb.sensitivity(SITE, workers=1, samples=128, walks=4)


@pytest.mark.slow
def test_the_longest_job_is_asked_about(found: sb.Sensitivity) -> None:
    assert found.address == SAVE


@pytest.mark.slow
def test_a_tornado_has_the_figure_at_both_ends_of_each_range(found: sb.Sensitivity) -> None:
    rate, size = found.influences[:2]
    assert (rate.name, size.name) == ("devices.target.write_rate", "data.files.size")
    best = found.interval.best  # besides its bytes, a backup takes some seconds to start
    assert (rate.at_low - best, rate.at_high - best) == pytest.approx((100e9 / 50e6 - 1000.0, 100e9 / 200e6 - 1000.0))
    assert (size.at_low - best, size.at_high - best) == pytest.approx((-20e9 / 100e6, 25e9 / 100e6), rel=1e-3)


@pytest.mark.slow
def test_shares_of_the_variance_of_a_product_are_those_of_its_logarithms(found: sb.Sensitivity) -> None:
    """Both vary by factors on either side alike: by 2 and by 1.25."""
    rate, size = (one.index for one in found.influences[:2])
    assert rate is not None
    assert size is not None
    share = math.log(2.0) ** 2 / (math.log(2.0) ** 2 + math.log(1.25) ** 2)
    assert (rate.first, rate.total) == pytest.approx((share, share), abs=0.03)
    assert (size.first, size.total) == pytest.approx((1.0 - share, 1.0 - share), abs=0.03)


@pytest.mark.slow
def test_measuring_the_first_input_leaves_the_others_and_the_model(found: sb.Sensitivity) -> None:
    assert found.first is not None
    assert found.first.input.name == "devices.target.write_rate"
    best, points, error = found.interval.best, 1000, term_of("image").deviation
    parts = [max(-1.0, min(1.0, NormalDist().inv_cdf((n + 0.5) / points) / SCORE)) for n in range(points)]

    def below(width: float) -> float:
        """The share of cases of the size, each with the error of the model about it, that are below a width."""
        return sum(NormalDist().cdf((width - part * math.log(1.25)) / error) for part in parts) / points

    for end, share in ((found.first.interval.low, 0.05), (found.first.interval.high, 0.95)):
        width = min((n / 1000 for n in range(-800, 800)), key=lambda width: abs(below(width) - share))
        assert math.log(end / best) == pytest.approx(width, rel=0.05)
    assert found.sentence().startswith(f"{SAVE} lies between ")
    assert "Measure devices.target.write_rate first" in found.sentence()


@pytest.mark.slow
def test_the_interval_is_that_which_run_shows(found: sb.Sensitivity) -> None:
    run = sb.intervals_of(sb.simulate(SITE), "thorough")["save"].elapsed
    assert (found.interval.low, found.interval.high) == pytest.approx((run.low, run.high), rel=0.03)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_answer_from_a_folder(found: sb.Sensitivity, tmp_path: Path) -> None:
    first = sb.sensitivity(SITE, SAVE, workers=1, samples=0, walks=2, into=tmp_path / "f")
    again = sb.sensitivity(SITE, SAVE, workers=1, samples=0, walks=2, into=tmp_path / "f")
    assert again.as_dict() == first.as_dict()
    assert (first.runs > 100, again.runs) == (True, 0)
    assert first.interval == found.interval


@pytest.mark.slow
def test_the_command_prints_a_table_json_and_a_picture(say: Say, tmp_path: Path) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(json.dumps(SITE), encoding="utf-8")
    words = ("sensitivity", file, SAVE, "--workers", 1, "--samples", 8, "--walks", 2, "--into", tmp_path / "f")
    code, out, _ = say(*words, "-o", tmp_path / "s.png")
    assert code == 0
    assert "Measure devices.target.write_rate first" in out
    assert (tmp_path / "s.png").stat().st_size > 10_000
    plain = json.loads(say(*words, "--json").out)
    assert plain["measure_first"]["input"] == "devices.target.write_rate"
    assert str(tmp_path) not in json.dumps(plain)


def test_what_cannot_be_answered_is_said() -> None:
    with pytest.raises(sb.InputError, match="60 is not a power of two; write 32 or 64"):
        sb.sensitivity(SITE, samples=60)
    with pytest.raises(sb.InputError, match=r"there is no figure .jobs.saev.elapsed.; did you mean .save."):
        sb.sensitivity(SITE, "jobs.saev.elapsed")
