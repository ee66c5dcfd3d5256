"""Many small runs of a study: what a point costs beyond its simulation, and how much faster two processes are."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import simbackup as sb
from benchmarks.rows import Row, compared, options, show

POINTS, FEW = 1_000, 40
SITE = """\
title: One disk that is copied to another
hosts: {server: {model: host/linux-modern-server, owns: [source, target]}}
devices: {source: {model: ssd/sata-ssd-2015}, target: {model: ssd/sata-ssd-2015}}
data: {files: {on: source, size: 100 GB}}
jobs: {save: {method: image, data: files, to: target, tool: backup_tool/raw-blocks}}
"""
SIZE, FIGURE = "data.files.size", "jobs.save.elapsed"


def main() -> None:
    """Print the overhead of a point in CPU time, and the wall time of two processes against one."""
    asked = options("Many small runs of a study").parse_args()
    points, runs = (FEW, 1) if asked.quick else (POINTS, asked.runs)
    sizes = [f"{100_000 + n} MB" for n in range(points)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "site.yaml"
        file.write_text(SITE, encoding="utf-8")
        study: dict[str, object] = {
            "title": "Sizes", "scenarios": {"one": str(file)}, "vary": {SIZE: sizes}, "show": [FIGURE],
        }  # fmt: skip
        base = sb.load(file)
        sb.study(study | {"vary": {SIZE: sizes[:2]}}, workers=1, intervals="none")  # imports what is imported late
        of_study, alone = compared(
            [lambda: _cpu_of_study(study) / points, lambda: _cpu_alone(base, sizes) / points], runs
        )  # fmt: skip
        row = Row(
            "points", str(points), "study, one process", "load and simulate", alone / of_study, of_study, "run", runs
        )
        show(row, as_json=asked.json)
        one, two = compared([lambda: _wall(study, 1) / points, lambda: _wall(study, 2) / points], runs)
        row = Row("points", str(points), "two processes, wall time", "one process", one / two, two, "run", runs)
        show(row, as_json=asked.json)
    if not asked.json:
        print(f"beyond its simulation, a point takes {(of_study - alone) / 1e3:.2f} ms of CPU time")


def _cpu_of_study(study: Mapping[str, object]) -> float:
    began = time.process_time()
    sb.study(study, workers=1, intervals="none")
    return (time.process_time() - began) * 1e6


def _cpu_alone(base: sb.Scenario, sizes: list[str]) -> float:
    began = time.process_time()
    for size in sizes:
        sb.simulate(base.with_({SIZE: size})).get(FIGURE)
    return (time.process_time() - began) * 1e6


def _wall(study: Mapping[str, object], workers: int) -> float:
    began = time.perf_counter()
    sb.study(study, workers=workers, intervals="none")
    return (time.perf_counter() - began) * 1e6


if __name__ == "__main__":
    main()
