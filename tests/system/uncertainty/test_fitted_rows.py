"""A row given for fitting says what it says: its own interval is noise, and other figures know it, too."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from simbackup.experiments.study_intervals import HIGH, LOW
from simbackup.uncertainty.effort import QUICK
from simbackup.uncertainty.estimate import Estimate, estimates
from simbackup.uncertainty.fitted import fitted_rows
from simbackup.uncertainty.verdict import job_intervals
from simbackup.uncertainty.whole import deviation_at
from tests.cases import for_each

SAVE, RATE, BACK = "jobs.save.elapsed", "jobs.save.rate", "jobs.back.elapsed"
NOTHING = 1e-9
WRITE = {"value": "90 MB/s", "basis": "assumed", "range": ["45 MB/s", "800 MB/s"], "why": "test"}


def site(size: Any = "100 GB", write: Any = WRITE) -> dict[str, Any]:
    """A backup and its restore over one line, whose rate is fitted, with streams whose share of it is assumed."""
    return {
        "title": "A line",
        "hosts": {
            "client": {"model": "host/linux-modern-server", "owns": ["source"]},
            "server": {"model": "host/linux-modern-server", "owns": ["target"]},
        },
        "devices": {
            "source": {"model": "ssd/nvme-gen3-2018"},
            "target": {"model": "ssd/nvme-gen3-2018", "write_rate": write},
        },
        "links": {
            "line": {
                "rate": {
                    "value": "100 MB/s", "basis": "fitted", "fitted_to": ["given"], "uncertainty": "20 MB/s",
                    "plausible": ["50 MB/s", "200 MB/s"], "why": "test",
                },
                "latency": "1 ms", "joins": ["client", "server"],
            },
        },
        "data": {"files": {"on": "source", "size": size}},
        "jobs": {
            "save": {"method": "image", "data": "files", "to": "target"},
            "back": {"restore": "save", "after": "save"},
        },
    }  # fmt: skip


def written(folder: Path, result: Any, value: str = "20 min", **more: Any) -> str:
    file = folder / "site-2.1.yaml"
    file.write_text(json.dumps(site(**more)), encoding="utf-8")
    row = {"value": value, "at": "here", "operation": "backup", "result": result}
    measured = {"document": "A test", "measurements": {"given": row}}
    (folder / "measured.yaml").write_text(json.dumps(measured), encoding="utf-8")
    return str(file)


class Read:
    """Figures of the only scenario."""

    def __call__(self, results: Mapping[str, sb.Result]) -> dict[str, float]:
        return {address: results["it"].get(address) for address in (SAVE, RATE, BACK)}


def found(file: str) -> dict[str, Estimate]:
    return estimates({"it": sb.load(file)}, Read(), effort=QUICK)


def width(one: Estimate) -> float:
    return math.log(one.spread.high / one.spread.low)


UNCERTAIN = {"value": "100 GB", "basis": "assumed", "range": ["50 GB", "200 GB"], "why": "test"}
STATED = [
    (f"site-2.1.yaml#{SAVE}", "20 min"),
    (f"site-2.1.yaml#{RATE}", "90 MB/s"),
    ({"rate": ["site-2.1.yaml#data.files.size", f"site-2.1.yaml#{SAVE}"]}, "90 MB/s"),
]


@pytest.mark.slow
@for_each("result, value", STATED)
def test_a_row_leaves_its_own_figure_nothing_but_noise(tmp_path: Path, result: Any, value: str) -> None:
    file = written(tmp_path, result, value)
    for name, one in found(file).items():
        assert (width(one) < NOTHING) == (name in {SAVE, RATE})
        assert bool(fitted_rows(sb.load(file), name)) == (name in {SAVE, RATE})


def test_a_scenario_with_another_value_is_not_what_was_measured(tmp_path: Path) -> None:
    scenario = sb.load(written(tmp_path, f"site-2.1.yaml#{SAVE}"), {"data.files.size": "200 GB"})
    assert fitted_rows(scenario, SAVE) == []
    assert width(estimates({"it": scenario}, Read(), effort=QUICK)[SAVE]) > 0.5


def test_a_run_says_what_is_fitted(tmp_path: Path) -> None:
    file = written(tmp_path, f"site-2.1.yaml#{RATE}", "90 MB/s", size=UNCERTAIN)
    assert "A constant is fitted to its rate" in job_intervals(sb.simulate(file))["save"].sentence()


@pytest.mark.slow
@for_each("size", ["100 GB", UNCERTAIN], ids=["stated", "assumed"])
def test_the_ends_of_a_rate_and_of_a_time_agree(tmp_path: Path, size: Any) -> None:
    """In each case; of a stated size also the intervals: bytes over the lower end of the one are the upper one's."""
    study = {
        "title": "Both",
        "scenarios": {"it": written(tmp_path, STATED[0][0], size=size)},
        "show": [SAVE, RATE, BACK],
    }
    (tmp_path / "measured.yaml").unlink()
    answer = sb.study(study, workers=1)
    [row] = answer.rows
    if size == "100 GB":
        assert row[RATE + LOW] * row[SAVE + HIGH] == pytest.approx(100e9, rel=1e-12)
        assert row[RATE + HIGH] * row[SAVE + LOW] == pytest.approx(100e9, rel=1e-12)
    sizes = [case[0][RATE] * case[0][SAVE] for case in answer.between.cases]
    assert (min(sizes) == pytest.approx(max(sizes))) == (size == "100 GB")


def test_a_study_knows_the_row_where_it_asks_what_was_measured(tmp_path: Path) -> None:
    file = written(tmp_path, f"site-2.1.yaml#{SAVE}")
    (tmp_path / "twice.yaml").write_text(json.dumps(site("200 GB")), encoding="utf-8")
    scenarios = {"as measured": file, "twice": str(tmp_path / "twice.yaml")}
    study = {"title": "Two", "scenarios": scenarios, "show": [SAVE]}
    answer = sb.study(study, workers=1)
    widths = [max(case[n][SAVE] for case in answer.between.cases) / answer.rows[n][SAVE] for n in (0, 1)]
    assert widths[0] == pytest.approx(1.0)
    assert widths[1] > 1.2
    assert deviation_at(sb.load(file), SAVE) < 0.1
