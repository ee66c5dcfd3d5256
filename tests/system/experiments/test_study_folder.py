"""A study into a folder: what is done is not done again, bad points stop nothing, each way of running is the same."""

import json
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.experiments.runner import StudyLedger
from tests.shared import Say

SCENARIO: dict[str, Any] = {
    "title": "One disk that is copied to another",
    "hosts": {"server": {"model": "host/linux-modern-server", "owns": ["source", "target"]}},
    "devices": {
        "source": {"model": "ssd/made-up"},
        "target": {"model": "ssd/made-up"},
    },
    "data": {"files": {"on": "source", "size": "100 GB"}},
    "jobs": {"save": {"method": "image", "data": "files", "to": "target", "tool": "backup_tool/raw-blocks"}},
}  # fmt: skip
SHEET = """\
title: Made up
kind: ssd
parameters:
  capacity: {value: 200 GB, basis: assumed, range: [200 GB, 200 GB], why: a test}
  read_latency: {value: 0.1 ms, basis: assumed, range: [0.1 ms, 0.1 ms], why: a test}
  write_latency: {value: 0.1 ms, basis: assumed, range: [0.1 ms, 0.1 ms], why: a test}
  read_rate: {value: 400 MB/s, basis: assumed, range: [300 MB/s, 500 MB/s], why: a test}
  write_rate: {value: %s MB/s, basis: assumed, range: [50 MB/s, 400 MB/s], why: a test}
"""
POINTS, KILLS = 40, 10
SAVE = "jobs.save.elapsed"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path))
    (tmp_path / "site.yaml").write_text(json.dumps(SCENARIO), encoding="utf-8")
    (tmp_path / "models" / "ssd").mkdir(parents=True)
    rewrite(tmp_path, 200)
    return tmp_path


def rewrite(folder: Path, rate: int) -> None:
    (folder / "models" / "ssd" / "made-up.yaml").write_text(SHEET % rate, encoding="utf-8")
    shelf.forget()


def asked(folder: Path, sizes: object = ("10 GB", "20 GB"), **more: Any) -> dict[str, Any]:
    return {
        "title": "Sizes", "scenarios": {"one": str(folder / "site.yaml")}, "vary": {"data.files.size": sizes},
        "show": [SAVE, "jobs.save.cause"], **more,
    }  # fmt: skip


def notes_of(folder: Path, into: str, **more: Any) -> tuple[sb.Study, list[str]]:
    notes: list[str] = []
    found = sb.study(asked(folder, **more), workers=1, into=folder / into, intervals="none", note=notes.append)
    return found, [note.partition(" in ")[0] for note in notes]


def test_what_is_done_is_not_run_again_and_the_table_is_the_same(folder: Path) -> None:
    first, none = notes_of(folder, "f")
    again, all_of_them = notes_of(folder, "f")
    assert none == []
    assert all_of_them == ["2 of 2 points are done"]
    assert again.rows == first.rows
    assert pd.read_parquet(folder / "f" / "results.parquet").equals(again.table())


def test_a_changed_factor_uses_the_rest_again_and_a_changed_datasheet_does_not(folder: Path) -> None:
    notes_of(folder, "f")
    assert notes_of(folder, "f", sizes=["10 GB", "30 GB", "20 GB"])[1] == ["2 of 3 points are done"]
    assert notes_of(folder, "f", show=[SAVE])[1] == ["2 of 2 points are done"]
    assert notes_of(folder, "f", show=[SAVE, "jobs.save.rate"])[1] == []
    rewrite(folder, 100)
    slow, notes = notes_of(folder, "f")
    assert notes == []
    rewrite(folder, 200)
    fast, notes = notes_of(folder, "f")
    assert notes == ["2 of 2 points are done"]
    assert slow.rows[0][SAVE] - fast.rows[0][SAVE] == pytest.approx(10e9 / 100e6 - 10e9 / 200e6)


def test_points_for_intervals_are_kept_too(folder: Path) -> None:
    notes: list[str] = []
    first = sb.study(asked(folder), workers=1, into=folder / "f")
    again = sb.study(asked(folder), workers=1, into=folder / "f", note=notes.append)
    assert again.rows == first.rows
    assert all(note.split()[0] == note.split()[2] for note in notes)
    assert sum(int(note.split()[2]) for note in notes) > 2 * 10


def test_a_bad_point_is_reported_with_its_values_and_stops_nothing(folder: Path, say: Say) -> None:
    (folder / "a.study.yaml").write_text(json.dumps(asked(folder, ["10 GB", "900 GB", "20 GB"])), encoding="utf-8")
    code, out, err = say("study", folder / "a.study.yaml", "--workers", 1, "--json")
    rows = json.loads(out)
    assert code == 1
    assert [row[SAVE] is None for row in rows] == [False, True, False]
    assert "refused: " in rows[1]["failed"]
    assert "one, data.files.size=900 GB, seed 0: refused: " in err


def test_a_study_of_bad_points_only_is_refused_at_the_place_of_its_values(folder: Path) -> None:
    file = folder / "a.study.yaml"
    file.write_text(f"title: A\nscenarios: {{one: site.yaml}}\nvary:\n  data.files.size: [900 GB]\nshow: [{SAVE}]\n")
    with pytest.raises(sb.InputError) as caught:
        sb.study(file, workers=1)
    assert caught.value.problems[0].place.line == 4


def test_a_value_that_cannot_be_read_is_refused_before_any_run(folder: Path) -> None:
    for sizes in (["10 GB", "1 parsec"], {"first": "1 GB", "last": "2 parsec", "count": 3}):
        with pytest.raises(sb.InputError, match="parsec"):
            sb.study(asked(folder, sizes), into=folder / "f")
    assert not (folder / "f").exists()


def test_paired_values_go_together(folder: Path) -> None:
    pairs = {
        "data.files.size": {"first": "10 GB", "last": "20 GB", "count": 2},
        "jobs.save.tool.request": ["1 MB", "2 MB"],
    }
    found = sb.study({**asked(folder), "vary": {}, "paired": pairs}, workers=1, intervals="none")
    assert found.varied == tuple(pairs)
    assert [tuple(row[name] for name in pairs) for row in found.rows] == [("10 GB", "1 MB"), ("20 GB", "2 MB")]
    with pytest.raises(sb.InputError, match="lists of 1 and 2 values cannot be paired"):
        sb.study({**asked(folder), "vary": {}, "paired": {**pairs, "jobs.save.tool.request": ["1 MB"]}})


@pytest.mark.slow
def test_the_table_is_the_same_from_processes_and_ledgers_of_parts(folder: Path) -> None:
    sizes = {"first": "1 GB", "last": "9 GB", "count": 5}
    whole = sb.study(asked(folder, sizes), workers=1)
    assert sb.study(asked(folder, sizes), workers=2).rows == whole.rows
    for part, some in {"one": ["1 GB", "3 GB"], "other": ["5 GB", "7 GB", "9 GB"]}.items():
        sb.study(asked(folder, some), workers=1, into=folder / part, intervals="none")
    for file in (folder / "other" / "ledger").iterdir():
        shutil.copy(file, folder / "one" / "ledger")
    notes: list[str] = []
    merged = sb.study(asked(folder, sizes), workers=1, into=folder / "one", note=notes.append)
    assert notes[0].startswith("5 of 5 points are done")
    assert merged.rows == whole.rows
    assert merged.table().equals(whole.table())


def test_the_table_is_the_same_from_a_cluster(folder: Path) -> None:
    import distributed  # noqa: PLC0415 (it takes as long to import as all of the program)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    ) as cluster:
        found = sb.study(asked(folder), scheduler=cluster.scheduler_address, intervals="none")
    assert found.rows == sb.study(asked(folder), workers=1, intervals="none").rows


def test_the_tidy_table_has_a_row_for_each_figure_with_its_unit(folder: Path) -> None:
    table = sb.study(asked(folder), workers=1).table()
    assert list(table["figure"]) == [SAVE, "jobs.save.cause"] * 2
    assert list(table["unit"]) == ["s", ""] * 2
    first = table.iloc[0]
    assert first["low"] < first["value"] < first["high"]
    assert table.iloc[1]["text"] == "devices.target"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_nothing_is_lost_doubled_or_half_read_after_kills(folder: Path) -> None:
    """Killed ten times, each time in the midst of a line; then the folder is completed."""
    sizes, into = {"first": "1 GB", "last": "100 GB", "count": POINTS}, folder / "f"
    drawn = random.Random(1)  # noqa: S311
    for _ in range(KILLS):
        child = os.fork()
        if not child:
            _die(asked(folder, sizes), into, after=drawn.randrange(1, POINTS // KILLS))
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        before = len(StudyLedger(into))
    assert before >= KILLS
    notes: list[str] = []
    found = sb.study(asked(folder, sizes), into=into, workers=1, intervals="none", note=notes.append)
    assert notes[0].startswith(f"{before} of {POINTS} points are done")
    assert found.rows == sb.study(asked(folder, sizes), workers=1, intervals="none").rows
    lines = [line for file in (into / "ledger").iterdir() for line in file.read_bytes().splitlines()]
    keys = [json.loads(line)["record"]["key"] for line in lines if b'"key"' in line]
    assert len(keys) == len(set(keys)) == POINTS


def _die(study: dict[str, Any], into: Path, after: int) -> None:
    """Run a study, and die like a killed process when it has kept so many points, in the midst of the next one."""
    whole, left = StudyLedger._append, after

    def append(self: StudyLedger, record: dict[str, Any]) -> None:
        nonlocal left
        left -= 1
        if left < 0 and self._file is not None:
            os.write(self._file.fileno(), b'{"check":"12')
            os.kill(os.getpid(), signal.SIGKILL)
        whole(self, record)

    StudyLedger._append = append  # type: ignore[method-assign]
    try:
        sb.study(study, into=into, workers=1, intervals="none")
    finally:
        os._exit(1)
