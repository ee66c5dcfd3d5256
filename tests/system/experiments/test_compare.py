"""Rows of a study beside those of a base: how much more, and how many times."""

import json
from pathlib import Path
from typing import Any

import pytest

import simbackup as sb
from tests.shared import Say
from tests.system.experiments.test_study_intervals import SAVE, SITE


def asked(folder: Path, **more: Any) -> dict[str, Any]:
    """Two targets, of which the second writes twice as fast as the first does at its best estimate."""
    fast = json.loads(json.dumps(SITE))
    fast["devices"]["target"]["write_rate"] |= {"value": "200 MB/s", "range": ["100 MB/s", "400 MB/s"]}
    files = {"slow": SITE, "fast": fast}
    for name, site in files.items():
        (folder / f"{name}.yaml").write_text(json.dumps(site), encoding="utf-8")
    return {
        "title": "Targets", "scenarios": {name: str(folder / f"{name}.yaml") for name in files},
        "vary": {"data.files.size": ["50 GB", "100 GB"]}, "compare": "slow", "show": [SAVE, "jobs.save.cause"], **more,
    }  # fmt: skip


def test_rows_are_compared_with_those_of_the_base_at_the_same_values(tmp_path: Path) -> None:
    found = sb.study(asked(tmp_path), workers=1)
    for row, base in zip(found.rows[2:], found.rows[:2], strict=True):
        assert row["data.files.size"] == base["data.files.size"]
        assert row[f"{SAVE} change"] == row[SAVE] - base[SAVE]
        assert row[f"{SAVE} times"] == row[SAVE] / base[SAVE]
        assert 0.5 < row[f"{SAVE} times"] < 0.55  # both start the tool for as long
        assert not any(name.startswith(f"{SAVE} change") for name in base)
        assert row[f"{SAVE} times low"] < row[f"{SAVE} times"] < row[f"{SAVE} times high"]
    table = found.table()
    assert table["change"].notna().sum() == 2
    assert list(table["times"].dropna()) == [row[f"{SAVE} times"] for row in found.rows[2:]]


def test_what_two_rows_share_is_not_in_the_factor_between_them(tmp_path: Path) -> None:
    """The same file twice: all inputs are the same, and so is every case."""
    same = {"a": str(tmp_path / "slow.yaml"), "b": str(tmp_path / "slow.yaml")}
    found = sb.study(asked(tmp_path, scenarios=same, compare="a"), workers=1)
    for row in found.rows[2:]:
        assert (row[f"{SAVE} times low"], row[f"{SAVE} times"], row[f"{SAVE} times high"]) == (1.0, 1.0, 1.0)
        assert row[f"{SAVE} high"] > 1.2 * row[f"{SAVE} low"]


def test_a_case_may_be_the_base(tmp_path: Path, say: Say) -> None:
    cases = {"small": {"data.files.size": "10 GB"}, "large": {"data.files.size": "30 GB"}}
    study = {**asked(tmp_path, vary={}, cases=cases), "compare": "small"}
    (tmp_path / "a.study.yaml").write_text(json.dumps(study), encoding="utf-8")
    code, out, _ = say("study", tmp_path / "a.study.yaml", "--intervals", "none", "--workers", 1)
    assert code == 0
    assert "Compared with 'small'" in out
    assert out.count(" times") == 2


def test_a_base_that_is_not_there_or_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sb.InputError, match="no scenario and no case 'slwo'; did you mean 'slow'"):
        sb.study(asked(tmp_path, compare="slwo"))
    alone = {"slow": str(tmp_path / "slow.yaml")}
    with pytest.raises(sb.InputError, match="there is nothing to compare with 'slow'"):
        sb.study(asked(tmp_path, scenarios=alone))
