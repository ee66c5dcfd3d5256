"""Values at ends of ranges that a check refuses are moved nearer to the best estimates, and that is said."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from simbackup import units
from simbackup.cli.show_published import fits
from simbackup.equations.uncertainty import SCORE
from simbackup.experiments.calibrate import Fitted
from simbackup.experiments.identifiability import Separability
from simbackup.run import simulate
from simbackup.scenario import load
from simbackup.schema.study import Fit
from simbackup.uncertainty.estimate import estimates
from simbackup.uncertainty.inputs import inputs, reached
from simbackup.uncertainty.verdict import job_intervals
from tests.shared import Say

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
