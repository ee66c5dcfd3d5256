"""What figures depend on: sensitivity, ends of ranges, and intervals of studies by one switch."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

import simbackup as sb
from simbackup import units
from simbackup.cli.show_published import fits
from simbackup.equations.uncertainty import SCORE, rank_correlation
from simbackup.experiments.calibrate import Fitted
from simbackup.experiments.identifiability import Separability
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.run import simulate
from simbackup.scenario import load
from simbackup.schema.study import Fit
from simbackup.uncertainty.estimate import estimates
from simbackup.uncertainty.inputs import inputs, reached
from simbackup.uncertainty.model_error import term_of
from simbackup.uncertainty.verdict import job_intervals
from tests.cases import for_each
from tests.shared import Say
from tests.system.experiments.test_study_intervals import SAVE as UNCERTAIN_SAVE
from tests.system.experiments.test_study_intervals import SITE as UNCERTAIN_SITE

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


# Ends of ranges
DRIVE = {
    "native_rate": {"value": "140 MB/s", "basis": "assumed", "range": ["20 MB/s", "200 MB/s"], "why": "a test"},
    "slowest_rate": "40 MB/s",
}


def scenario(drive: dict[str, Any]) -> Any:
    return load({
        "title": "A drive whose rate may not fall below its slowest",
        "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["disk", "library"]}},
        "devices": {
            "disk": {"model": "ssd/nvme-gen3-2018"},
            "library": {
                "model": "tape_library/autoloader-8", "drives": 1, "drive": {"model": "tape_drive/lto-5", **drive},
            },
        },
        "data": {"file": {"on": "disk", "size": "40 GB"}},
        "jobs": {"save": {"method": "image", "data": "file", "to": "library"}},
    })  # fmt: skip


def test_the_interval_stops_where_the_check_begins() -> None:
    found = scenario(DRIVE)
    [one] = [one for one in inputs({"x": found}) if one.name.endswith("native_rate")]
    [(_, address)] = one.at
    near = units.parse(reached(found, [address], 0)[address], "B/s")
    assert near == pytest.approx(40e6, rel=0.01)
    assert near >= 40e6
    assert reached(found, [address], 1)[address] == "200 MB/s"


def test_no_end_of_a_range_ends_a_command() -> None:
    seconds = estimates({"x": scenario(DRIVE)}, lambda results: {"save": results["x"].get("jobs.save.elapsed")})["save"]
    assert 0.0 < seconds.spread.low < seconds.spread.high


VOLUME = {
    "title": "A volume that may be too small",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "target"]}},
    "devices": {
        "source": {"model": "ssd/sata-ssd-2015"},
        "target": {"model": "disk/sata-7200-1tb-2008"},
        "volume": {"kind": "logical_volume", "on": "source", "size": "100 GB"},
    },
    "data": {
        "files": {
            "on": "volume",
            "size": {"value": "90 GB", "basis": "assumed", "range": ["50 GB", "200 GB"], "why": "a test"},
        },
    },
    "jobs": {"save": {"method": "image", "data": "files", "to": "target"}},
}  # fmt: skip


@pytest.mark.slow
def test_a_verdict_says_in_how_many_cases_a_check_refuses_the_values(tmp_path: Path, say: Say) -> None:
    """The files are larger than their volume from 0.217 deviations on: in the upper eight of twenty cases."""
    fits = SCORE * math.log(100.0 / 90.0) / math.log(200.0 / 90.0)
    upper = sum(NormalDist().inv_cdf((part + 0.5) / 20) > fits for part in range(20))
    assert upper == 8
    [save] = job_intervals(simulate(VOLUME)).values()
    assert (len(save.refused), save.asked) == (8, 20)
    file = tmp_path / "volume.yaml"
    file.write_text(json.dumps(VOLUME), encoding="utf-8")
    code, shown, _ = say("run", file, "--verbose")
    assert code == 0
    assert "In 40 % of cases a check refuses the values, and nearer ones take their place: data.files.size: " in shown


def test_a_fit_that_ends_at_its_bound_says_so_and_gives_no_percentage_for_an_uncertainty(
    capsys: pytest.CaptureFixture[str],
) -> None:
    fit = Fit(
        datasheet="filesystem/ntfs", parameter="reads_per_file", rows=("a",), plausible=("0.5", "8"), why="a test"
    )
    inside = Fitted(fit, "1", 3.6, 0.85, (0.5, 8.0), {"a": 0.01})
    assert inside.bound is None
    ended = replace(inside, value=8.0, errors={"a": -0.23})
    fits([ended], Separability((), (), {}))
    told = capsys.readouterr().out
    assert "filesystem/ntfs#reads_per_file ends at a bound of its plausible range, 8; what remains: a -23.0%" in told
    assert "0.85" in told
    assert "85 %" not in told


# One switch for intervals
CASES = 60
TWO = json.loads(json.dumps(UNCERTAIN_SITE))
"""Two copies one after the other, each limited by the writes of a target of its own."""
TWO["devices"]["second"] = TWO["devices"]["target"]
TWO["hosts"]["server"]["owns"].append("second")
TWO["jobs"]["again"] = {**TWO["jobs"]["save"], "to": "second", "after": "save"}
PAIR = ["devices.target.write_rate", "devices.second.write_rate"]
AGAIN = "jobs.again.elapsed"


def asked(folder: Path, site: dict[str, Any], **more: Any) -> dict[str, Any]:
    file = folder / "site.yaml"
    file.write_text(json.dumps(site), encoding="utf-8")
    return {"title": "Uncertain", "scenarios": {"one": str(file)}, "show": [UNCERTAIN_SAVE], **more}


@pytest.mark.slow
def test_one_switch_gives_the_intervals_that_a_run_shows(tmp_path: Path) -> None:
    """One input decides, and takes each of two hundred parts of its range once: both ends lie in the same parts."""
    [row] = sb.study(asked(tmp_path, UNCERTAIN_SITE, uncertain=True), workers=1).rows
    ran = sb.intervals_of(sb.simulate(tmp_path / "site.yaml"), "thorough")["save"]
    assert row[UNCERTAIN_SAVE] == ran.elapsed.best
    part = (
        math.log(2.0) / 10.0
    )  # from the 5th percentile to the median there are ninety parts, to the next one far less
    for ours, theirs in ((row[UNCERTAIN_SAVE + LOW], ran.elapsed.low), (row[UNCERTAIN_SAVE + HIGH], ran.elapsed.high)):
        assert abs(math.log(ours / theirs)) < part


@pytest.mark.slow
@for_each("correlation", [-0.9, 0.0, 0.9])
def test_inputs_go_together_as_stated(tmp_path: Path, correlation: float) -> None:
    correlations = {"one maker": {"between": PAIR, "correlation": correlation}} if correlation else {}
    study = asked(tmp_path, TWO, show=[UNCERTAIN_SAVE, AGAIN], uncertain={"cases": CASES, "correlations": correlations})
    found = sb.study(study, workers=1)
    taken = [rank_correlation(*([case[0][name] for case in found.between.cases] for name in (UNCERTAIN_SAVE, AGAIN)))]
    assert len(found.between.cases) == CASES
    assert taken[0] == pytest.approx(correlation, abs=3.0 / math.sqrt(CASES))


@for_each(
    "correlations, message",
    [
        ({"a": {"between": [PAIR[0], "devices.target.reed_rate"], "correlation": 0.5}}, "nothing uncertain is called"),
        ({"a": {"between": [PAIR[0], PAIR[0]], "correlation": 0.5}}, "both are the same input"),
        ({"a": {"between": PAIR, "correlation": 1.5}}, "1.5 is above 0.99"),
    ],
)
def test_correlations_of_nothing_are_refused(tmp_path: Path, correlations: Any, message: str) -> None:
    with pytest.raises(sb.InputError, match=message):
        sb.study(asked(tmp_path, TWO, uncertain={"correlations": correlations}))
