"""Jobs that ran on real machines: after a fit to half of them, what `run` says of the other half."""

from __future__ import annotations

import ast
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import simbackup as sb
from simbackup import shelf
from simbackup.equations.uncertainty import SCORE
from simbackup.experiments.history_fit import fit_history, history_runs
from simbackup.foreign.histories.finished_job import FinishedJob
from simbackup.lab.record import unpacked
from simbackup.uncertainty.effort import LEAN
from simbackup.uncertainty.verdict import job_intervals

TOP = Path(__file__).parents[3]
NOTEBOOK, DATA = (TOP / "notebooks" / name for name in ("09-a-history-of-backups.py", "restic-and-borg"))
LEVELS = {"backup": "full", "incremental": "incremental", "restore": ""}
pytestmark = pytest.mark.nightly


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


def test_an_interval_of_a_new_run_holds_and_is_no_wider_than_runs_scatter(
    rows: list[tuple[float, float, float]],
) -> None:
    widths, scatter = [high - low for low, high, _ in rows], float(np.std([measured for *_, measured in rows]))
    assert held(rows) >= 0.85
    assert np.median(widths) <= 1.5 * 2.0 * SCORE * scatter


def test_an_interval_of_a_new_run_holds_no_more_often_than_it_says(
    rows: list[tuple[float, float, float]],
) -> None:
    assert held(rows) <= 0.95
