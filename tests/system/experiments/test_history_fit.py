"""Fits to histories, made up and real."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.equations.uncertainty import SCORE
from simbackup.errors import InputError, SimbackupError
from simbackup.experiments.history_fit import fit_history, history_runs
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.lab.record import unpacked
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import job_intervals
from tests.cases import for_each

TRUTH = {"start_time": 2.0, "file_cpu": 1.5e-3}
NOISE = 0.03
SCENARIO = """\
title: Nightly
hosts: {server: {model: host/linux-modern-server, owns: [disk, hole], speed: 1}}
devices: {disk: {model: ssd/sata-ssd-2015}, hole: {kind: nul}}
data: {tree: {on: disk, size: 1 GB, files: 1000, filesystem: filesystem/ext4, cached: 100 %}}
jobs: {full: {method: file_level, data: tree, to: hole, tool: backup_tool/ours}}
history:
  jobs:
    full: {where: {level: full}, set: {data.tree.size: size_bytes, data.tree.files: files}}
  fit:
    start: {datasheet: backup_tool/ours, parameter: start_time, plausible: [0.1 s, 60 s], why: nobody says it}
    file: {datasheet: backup_tool/ours, parameter: file_cpu, plausible: [0.1 ms/file, 9 ms/file], why: nobody says it}
"""
TOOL = """\
title: Our program
kind: backup_tool
parameters:
  start_time: {value: 8 s, basis: assumed, range: [1 s, 20 s], why: to be fitted}
  mount_time: {value: 0 s, basis: derived, rule: nothing is mounted}
  copy_cpu: {value: 4 ns/B, basis: derived, rule: given to the tests}
  file_cpu: {value: 0.3 ms/file, basis: assumed, range: [0.1 ms/file, 9 ms/file], why: to be fitted}
  attributes: {value: 4, basis: derived, rule: given to the tests}
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"models/backup_tool/ours.yaml": TOOL, "scenarios/nightly.yaml": SCENARIO}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path))
    shelf.forget()
    return tmp_path


def _history(count: int = 16) -> list[FinishedJob]:
    """Jobs as the true constants would have them, with noise."""
    noise = np.random.default_rng(1)
    scenario = sb.load("nightly")
    jobs: list[FinishedJob] = []
    for i in range(count):
        size, files = round(10 ** noise.uniform(7, 9.5)), round(10 ** noise.uniform(1, 4))
        changed = {
            "data.tree.size": f"{size} B",
            "data.tree.files": files,
            "jobs.full.tool.start_time": f"{TRUTH['start_time']} s",
            "jobs.full.tool.file_cpu": f"{TRUTH['file_cpu']} s/file",
        }
        seconds = sb.simulate(scenario.with_(changed)).get("jobs.full.elapsed") * noise.lognormal(0.0, NOISE)
        jobs.append(FinishedJob(id=f"night-{i}", level="full", elapsed_s=seconds, size_bytes=size, files=files))
    return jobs


@pytest.mark.slow
def test_a_fit_finds_the_truth_and_predicts_the_jobs_held_back(site: Path) -> None:
    found = fit_history("nightly", _history())
    for one in found.constants:
        # 95 % by Student's t with six degrees of freedom; what is assumed of the rest adds to the uncertainty
        assert abs(one.value - TRUTH[one.fit.parameter]) < 2.45 * one.uncertainty
        assert one.uncertainty < 0.2 * one.value
    assert sum(row.held_out for row in found.rows) == 8
    held = next(one for one in found.summaries if one.held_out)
    assert held.worst_error < 5 * NOISE
    assert held.inside >= 5, "fewer than 5 of 8 have a probability under 0.5 % where 90 % is true"
    # eight logarithms of a standard deviation of 3 % with two constants: chi square of 6 between 0.87 and 14.4 / 6
    assert 0.35 * NOISE < found.scatter < 1.55 * NOISE
    assert all(pair.identifiable for pair in found.apart.pairs)
    sheet = dict(shelf.load_datasheet("backup_tool/ours").values())
    assert sheet["start_time"].basis == "fitted"
    assert sheet["start_time"].si == next(c.value for c in found.constants if c.fit.parameter == "start_time")
    assert set(sheet["start_time"].fitted_to) == {row.id for row in found.rows if not row.held_out}
    assert "basis: fitted" in (site / "models/backup_tool/ours.yaml").read_text()


def test_the_half_that_is_held_back_depends_on_ids_and_seed_only(site: Path) -> None:
    jobs = _history(6)
    scenario = sb.load(str(site / "scenarios/nightly.yaml"))

    def held(rows: list[FinishedJob], seed: int) -> set[str]:
        return {run.row.id for run in history_runs(scenario, rows, "random", seed)[0] if run.held_out}

    assert held(jobs, 0) == held(jobs[::-1], 0)
    assert len(held(jobs, 0)) == 3
    assert len({frozenset(held(jobs, seed)) for seed in range(5)}) > 1


def test_the_later_half_is_that_of_the_starts(site: Path) -> None:
    scenario = sb.load(str(site / "scenarios/nightly.yaml"))
    jobs = [
        FinishedJob(
            id=f"j-{day}",
            level="full",
            elapsed_s=1.0,
            size_bytes=1e6,
            files=1,
            start=datetime(2026, 1, day, tzinfo=UTC),
        )
        for day in (3, 1, 4, 2)
    ]
    runs, _ = history_runs(scenario, jobs, "later", 0)
    assert {run.row.id for run in runs if run.held_out} == {"j-3", "j-4"}
    with pytest.raises(InputError, match="'j-3' has no start; hold back a random half"):
        history_runs(scenario, [replace(job, start=None) for job in jobs], "later", 0)


def test_jobs_that_say_too_little_are_left_out(site: Path) -> None:
    (job,) = _history(1)
    rows = [
        job,
        FinishedJob(id="a", level="full", elapsed_s=1.0, size_bytes=1e6),
        FinishedJob(id="b", level="full", status="failed", elapsed_s=1.0, size_bytes=1e6, files=1),
        FinishedJob(id="c", level="incremental", elapsed_s=1.0),
    ]
    runs, notes = history_runs(sb.load(str(site / "scenarios/nightly.yaml")), rows, "none", 0)
    assert [run.row.id for run in runs] == ["night-0"]
    assert notes == [
        "1 of 4 rows left out: no files stated",
        "1 of 4 rows left out: failed",
        "1 of 4 rows left out: runs of no job of the scenario",
    ]


def test_too_few_jobs_are_refused(site: Path) -> None:
    assert site.is_dir()
    with pytest.raises(SimbackupError, match="2 jobs cannot determine 2 constants and their scatter"):
        fit_history("nightly", _history(4))


@for_each(
    "old, new, message",
    [
        ("    full: {where", "    ful: {where", "history.jobs.ful: there is no job 'ful'; did you mean 'full'?"),
        ("{level: full}", "{levl: full}", "history.jobs.full.where.levl: 'levl' is not a column of words"),
        ("data.tree.files: files", "data.three.files: files", "there is no part 'data.three'"),
        ("size: size_bytes", "size: size_bytes / files", "is neither a column nor a ratio of two with the same unit"),
        ("size: size_bytes", "size: sise_bytes", "'sise_bytes' is not a column of numbers; did you mean 'size_bytes'?"),
    ],
)
def test_a_wrong_history_is_reported_with_its_place(old: str, new: str, message: str, site: Path) -> None:
    path = site / "scenarios/nightly.yaml"
    path.write_text(SCENARIO.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        sb.load(str(path))
    assert message in str(raised.value)
    assert "nightly.yaml:8:" in str(raised.value)


def test_a_constant_that_the_scenario_does_not_use_is_refused(site: Path) -> None:
    path = site / "scenarios/nightly.yaml"
    path.write_text(
        SCENARIO.replace("backup_tool/ours, parameter: file_cpu", "backup_tool/gnu-tar, parameter: file_cpu")
    )
    with pytest.raises(InputError, match=r"history.fit.file: the scenario does not use 'file_cpu'"):
        fit_history("nightly", _history(8))


@pytest.mark.usefixtures("site")
def test_a_job_that_fails_in_the_simulation_is_no_time_to_fit_to(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"job": "full", "status": "failed", "reason": "its copy area is full", "elapsed": 3.0}
    result = SimpleNamespace(job_rows=[failed], get=lambda _: 3.0)
    monkeypatch.setattr("simbackup.experiments.history_fit.ran", lambda *_, **__: result)
    with pytest.raises(SimbackupError, match=r"the simulated job 'full' is failed: its copy area is full"):
        fit_history("nightly", _history(), write=False)


@pytest.mark.slow
def test_after_forty_jobs_the_interval_of_a_new_run_is_that_of_their_scatter(site: Path) -> None:
    """With a value that stays assumed, for which the fitted ones make up: it does not count a second time."""
    sheet = site / "models/backup_tool/ours.yaml"
    known = "copy_cpu: {value: 4 ns/B, basis: derived, rule: given to the tests}"
    assumed = "copy_cpu: {value: 4 ns/B, basis: assumed, range: [2 ns/B, 8 ns/B], why: nobody looked}"
    assert known in sheet.read_text(encoding="utf-8")
    jobs = _history(80)
    sheet.write_text(sheet.read_text(encoding="utf-8").replace(known, assumed), encoding="utf-8")
    shelf.forget()
    before = next(iter(job_intervals(sb.simulate("nightly")).values()))
    fit_history("nightly", jobs[:40], hold_out="none")
    shelf.forget()
    scenario, held, widths = sb.load("nightly"), 0, list[float]()
    for job in jobs[40:]:
        new = scenario.with_({"data.tree.size": f"{job.size_bytes} B", "data.tree.files": job.files})
        found = job_intervals(sb.simulate(new), effort=LEAN)["full"]
        assert found.tested.startswith("fitted to 40 runs of its own")
        held += found.elapsed.low <= (job.elapsed_s or 0.0) <= found.elapsed.high
        widths.append(math.log(found.elapsed.high / found.elapsed.low))
    assert 0.85 <= held / 40 <= 0.95
    scatter = 2.0 * SCORE * NOISE
    assert np.median(widths) < 1.5 * scatter
    assert math.log(before.elapsed.high / before.elapsed.low) > 5.0 * scatter


# Real histories
TOP = Path(__file__).parents[3]
NOTEBOOK, DATA = (TOP / "notebooks" / name for name in ("09-a-history-of-backups.py", "restic-and-borg"))
LEVELS = {"backup": "full", "incremental": "incremental", "restore": ""}


def sixty(tool: str) -> list[FinishedJob]:
    """Those of the notebook, with the counts of restic for both programs."""
    said, _ = sb.read_history(sorted(DATA.glob("restic/*.json")))
    counts = {job.id: job for job in said}
    jobs, _ = sb.read_history([DATA / "runs.csv"])
    own = [(job, job.id.split("-")) for job in jobs if job.tool == tool]
    like = [
        (job, counts[f"restic-{tree}-{'full' if what == 'full' else 'incremental'}"]) for job, (_, tree, what) in own
    ]
    names = ("size_bytes", "new_bytes", "files", "files_saved")
    return [replace(job, **{name: getattr(one, name) for name in names}) for job, one in like]


def lab(tool: str) -> list[FinishedJob]:
    """The runs of a lab on a busy machine, each point twice; other work disturbed most of them."""
    found, _ = unpacked(TOP / "lab" / "lab-9a819a" / "lab.json")
    return [
        FinishedJob(
            id=f"{tool}-{run['operation']}-{run['point']}-{run['repeat']}", tool=tool, elapsed_s=run["elapsed"],
            operation="restore" if run["operation"] == "restore" else "backup", level=LEVELS[run["operation"]],
            size_bytes=found.contents[run["point"]].bytes, files=found.contents[run["point"]].files,
            new_bytes=run["bytes"], files_saved=run["files"],
        )
        for run in found.lines
        if run["program"] == tool and run["operation"] in LEVELS and run["point"] != "empty" and not run["workers"]
    ]  # fmt: skip


def scattered(folder: Path, tool: str, jobs: Sequence[FinishedJob], seed: int) -> list[tuple[float, float, float]]:
    """Of each job that is held back, logarithms of both ends and of what was measured, over the answer."""
    found = ast.parse(NOTEBOOK.read_text(encoding="utf-8")).body
    texts = {ast.unparse(one.targets[0]): one.value.value for one in found
             if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)}  # fmt: skip
    places = {f"models/backup_tool/{tool}-here": "TOOL", f"models/deduplication/{tool}-here": "CHUNKS"}
    for path, name in {**places, f"scenarios/{tool}": "SCENARIO"}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{path}.yaml").write_text(str(texts[name]).format(tool=tool), encoding="utf-8")
    shelf.forget()
    held = {row.id for row in fit_history(tool, jobs, seed=seed).rows if row.held_out}
    shelf.forget()
    rows: list[tuple[float, float, float]] = []
    for run in history_runs(sb.load(tool), [job for job in jobs if job.id in held], "none", 0)[0]:
        one = job_intervals(sb.simulate(run.scenario), effort=LEAN)[run.job].elapsed
        rows.append((math.log(one.low / one.best), math.log(one.high / one.best), math.log(run.measured / one.best)))
    return rows


@pytest.fixture(scope="module", params=[sixty, lab])
def rows(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[float, float, float]]:
    """The jobs of a history that are held back: two programs, each halved in two ways."""
    folder = tmp_path_factory.mktemp("history")
    disk = folder / "models/ssd/here.yaml"
    disk.parent.mkdir(parents=True)
    words = ["measure", *map(str, sorted(DATA.glob("fio/*.json"))), "--like", "ssd/nvme-gen4-2021", "-o", str(disk)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SIMBACKUP_PATH", str(folder))
        subprocess.run([sys.executable, "-m", "simbackup", *words], check=True, capture_output=True)
        return [
            row
            for seed in (0, 1)
            for tool in ("restic", "borg")
            for row in scattered(folder, tool, request.param(tool), seed)
        ]


def held(rows: list[tuple[float, float, float]]) -> float:
    return sum(low <= measured <= high for low, high, measured in rows) / len(rows)


@pytest.mark.nightly
def test_an_interval_of_a_new_run_holds_and_is_no_wider_than_runs_scatter(
    rows: list[tuple[float, float, float]],
) -> None:
    widths, scatter = [high - low for low, high, _ in rows], float(np.std([measured for *_, measured in rows]))
    assert held(rows) >= 0.85
    assert np.median(widths) <= 1.5 * 2.0 * SCORE * scatter


@pytest.mark.nightly
def test_an_interval_of_a_new_run_holds_no_more_often_than_it_says(
    rows: list[tuple[float, float, float]],
) -> None:
    assert held(rows) <= 0.95
