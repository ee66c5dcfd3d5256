"""Studies in which every assumed and fitted value varies."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.equations.uncertainty import rank_correlation
from simbackup.experiments.study_intervals import HIGH, LOW
from tests.cases import for_each
from tests.system.experiments.test_study_intervals import SAVE, SITE

CASES = 60
TWO = json.loads(json.dumps(SITE))
"""Two copies one after the other, each limited by the writes of a target of its own."""
TWO["devices"]["second"] = TWO["devices"]["target"]
TWO["hosts"]["server"]["owns"].append("second")
TWO["jobs"]["again"] = {**TWO["jobs"]["save"], "to": "second", "after": "save"}
PAIR = ["devices.target.write_rate", "devices.second.write_rate"]
AGAIN = "jobs.again.elapsed"


def asked(folder: Path, site: dict[str, Any], **more: Any) -> dict[str, Any]:
    file = folder / "site.yaml"
    file.write_text(json.dumps(site), encoding="utf-8")
    return {"title": "Uncertain", "scenarios": {"one": str(file)}, "show": [SAVE], **more}


@pytest.mark.slow
def test_one_switch_gives_the_intervals_that_a_run_shows(tmp_path: Path) -> None:
    """One input decides, and takes each of two hundred parts of its range once: both ends lie in the same parts."""
    [row] = sb.study(asked(tmp_path, SITE, uncertain=True), workers=1).rows
    ran = sb.intervals_of(sb.simulate(tmp_path / "site.yaml"), "thorough")["save"]
    assert row[SAVE] == ran.elapsed.best
    part = (
        math.log(2.0) / 10.0
    )  # from the 5th percentile to the median there are ninety parts, to the next one far less
    for ours, theirs in ((row[SAVE + LOW], ran.elapsed.low), (row[SAVE + HIGH], ran.elapsed.high)):
        assert abs(math.log(ours / theirs)) < part


@pytest.mark.slow
@for_each("correlation", [-0.9, 0.0, 0.9])
def test_inputs_go_together_as_stated(tmp_path: Path, correlation: float) -> None:
    correlations = {"one maker": {"between": PAIR, "correlation": correlation}} if correlation else {}
    study = asked(tmp_path, TWO, show=[SAVE, AGAIN], uncertain={"cases": CASES, "correlations": correlations})
    found = sb.study(study, workers=1)
    taken = [rank_correlation(*([case[0][name] for case in found.between.cases] for name in (SAVE, AGAIN)))]
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
