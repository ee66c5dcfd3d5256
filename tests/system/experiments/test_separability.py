"""Which constants rows tell apart: small Jacobians by hand, and fits of a site made for it."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from simbackup.cli import app as cli
from simbackup.errors import SimbackupError
from simbackup.experiments import calibrate as calibration
from simbackup.experiments.calibrate import calibrate
from simbackup.experiments.identifiability import NEAR_ONE, Separability, cross_validate, separability, separability_of
from simbackup.experiments.reproduce import reproduce
from simbackup.randomness import generator

RATE, LATENCY = "ssd/ours#read_rate", "backup_engine/ours#request_latency"
SSD = """\
title: A device made up
kind: ssd
parameters:
  capacity: {value: 1 TB, basis: derived, rule: made up}
  read_rate: {value: 100 MB/s, basis: assumed, range: [10 MB/s, 1 GB/s], why: "made up"}
  write_rate: {value: 1 GB/s, basis: derived, rule: made up}
  read_latency: {value: 0 s, basis: derived, rule: made up}
  write_latency: {value: 0 s, basis: derived, rule: made up}
"""
ENGINE = """\
title: An engine made up
kind: backup_engine
parameters:
  transfer_size: {value: 1 MiB, basis: derived, rule: made up}
  io_depth: {value: 4, basis: derived, rule: made up}
  request_latency: {value: 10 ms, basis: assumed, range: [1 ms, 1 s], why: "made up"}
  compress_cpu: {value: 10 ns/B, basis: derived, rule: made up}
  expand_cpu: {value: 1 ns/B, basis: derived, rule: made up}
  buffer_sets: {value: 3, basis: derived, rule: made up}
  memory_limit: {value: 1 GiB, basis: derived, rule: made up}
"""
SITE = """\
title: A backup into nul with one buffer, which waits for the engine and for the device in turn
hosts:
  server: {{owns: [c], cores: 4, memory: 8 GiB, dirty_limit: 50 %, dirty_background: 10 %, copy_rate: 1 GB/s}}
devices:
  c: {{model: ssd/ours}}
  nothing: {{kind: nul}}
data:
  db: {{on: c, size: 1 GiB}}
jobs:
  full: {{method: database_native, data: db, to: nothing, engine: backup_engine/ours, buffers: 1,
    transfer_size: {size}}}
"""
FIT = """\
  {name}: {{datasheet: {sheet}, parameter: {parameter}, rows: [{rows}], plausible: {plausible}, why: Made up.}}
"""
TRUE_RATE, TRUE_LATENCY = 100e6, 0.010
GIB, KIB = 2.0**30, 1024


def seconds(size: float) -> float:
    """A GiB by hand: each buffer waits for the engine, then for the device."""
    return GIB / size * (TRUE_LATENCY + size / TRUE_RATE)


def site(root: Path, sizes: dict[str, int], folder: str = "scenarios/ours") -> Path:
    """A folder of rows, one for each size of a transfer, and both constants fitted to all of them."""
    there = root / folder
    there.mkdir(parents=True)
    lines = ["document: made-up.txt", "measurements:"]
    for name, size in sizes.items():
        (there / f"{name}.yaml").write_text(SITE.format(size=f"{size} B"), encoding="utf-8")
        lines += [f"  {name}:", f"    value: {seconds(size):.4f} s", "    at: nowhere", "    operation: backup"]
        lines += [f"    result: {name}.yaml#jobs.full.elapsed"]
    (there / "measured.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = ", ".join(sizes)
    rate = FIT.format(name="rate", sheet="ssd/ours", parameter="read_rate", rows=rows, plausible="[10 MB/s, 1 GB/s]")
    latency = FIT.format(
        name="latency", sheet="backup_engine/ours", parameter="request_latency", rows=rows, plausible="[1 ms, 100 ms]"
    )
    (there / "calibration.yaml").write_text(f"constants:\n{rate}{latency}", encoding="utf-8")
    return there


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root of the user's own with two datasheets."""
    for name, text in (("ssd/ours", SSD), ("backup_engine/ours", ENGINE)):
        file = tmp_path / "own" / "models" / f"{name}.yaml"
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("SIMBACKUP_PATH", str(tmp_path / "own"))
    return tmp_path / "own"


DIFFERENT = {"small": 64 * KIB, "large": 4096 * KIB}
ALIKE = {"first": 1024 * KIB, "second": 1024 * KIB}


def jacobian(*rows: tuple[float, ...], sigmas: tuple[float, ...] | None = None) -> Separability:
    names = [chr(ord("a") + i) for i in range(len(rows[0]))]
    weights = np.array(sigmas or (0.01,) * len(rows))
    return separability_of(names, [f"row{i}" for i in range(len(rows))], np.array(rows), weights)


def test_columns_at_right_angles_are_identifiable() -> None:
    found = jacobian((1.0, 1.0), (1.0, -1.0))
    assert found.pairs[0].correlation == pytest.approx(0.0)
    assert found.pairs[0].identifiable
    assert found.groups == ()
    assert found.inflations == pytest.approx({"a": 1.0, "b": 1.0})


def test_the_correlation_is_that_of_the_inverse_normal_matrix() -> None:
    rows = ((1.0, 0.4), (0.2, 0.9), (0.5, 0.5))
    matrix = np.array(rows)
    covariance = np.linalg.inv(matrix.T @ matrix)
    expected = covariance[0, 1] / math.sqrt(covariance[0, 0] * covariance[1, 1])
    found = jacobian(*rows)
    assert found.pairs[0].correlation == pytest.approx(expected)
    inflation = math.sqrt(covariance[0, 0] * (matrix.T @ matrix)[0, 0])
    assert found.inflations["a"] == pytest.approx(inflation)


def test_constants_that_only_their_product_moves_are_a_pair_and_a_group() -> None:
    found = jacobian((1.0, 1.0), (0.5, 0.5))
    assert found.pairs[0].correlation == pytest.approx(-1.0)
    assert not found.pairs[0].identifiable
    powers = found.groups[0].powers
    assert powers["a"] / powers["b"] == pytest.approx(-1.0)
    assert found.groups[0].singular_value == pytest.approx(0.0, abs=1e-9)


def test_the_powers_are_those_of_the_constants_not_of_the_scaled_columns() -> None:
    powers = jacobian((1.0, 4.0), (0.5, 2.0)).groups[0].powers
    assert powers["a"] / powers["b"] == pytest.approx(-4.0)


def test_a_row_that_is_not_sure_tells_nothing_apart() -> None:
    rows = ((1.0, 1.0), (1.0, -1.0))
    assert not jacobian(*rows, sigmas=(0.001, 1.0)).pairs[0].identifiable
    assert jacobian(*rows, sigmas=(0.01, 0.01)).pairs[0].identifiable


def test_rows_of_different_sizes_tell_latency_from_rate(root: Path) -> None:
    there = str(site(root, DIFFERENT))
    found = calibrate(there, write=False)
    values = {one.constant: one.value for one in found}
    assert values == {RATE: pytest.approx(TRUE_RATE, rel=2e-3), LATENCY: pytest.approx(TRUE_LATENCY, rel=2e-3)}
    apart = separability(there, found)
    assert [(pair.constants, pair.identifiable) for pair in apart.pairs] == [((RATE, LATENCY), True)]
    assert apart.groups == apart.single == ()


def test_rows_of_one_size_do_not(root: Path) -> None:
    there = str(site(root, ALIKE))
    apart = separability(there, calibrate(there, write=False))
    assert [(pair.constants, pair.identifiable) for pair in apart.pairs] == [((RATE, LATENCY), False)]
    assert apart.pairs[0].correlation > NEAR_ONE  # a faster device makes up for a slower engine
    assert set(apart.groups[0].powers) == {RATE, LATENCY}


@pytest.mark.slow
def test_the_command_tells_it(root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    there = str(site(root, ALIKE))
    monkeypatch.setattr(sys, "argv", ["simbackup", "calibrate", there, "--dry-run"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    assert f"{RATE} and {LATENCY} are not identifiable separately from first, second" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["simbackup", "calibrate", there, "--dry-run", "--json"])
    with pytest.raises(SystemExit):
        cli.main()
    reported = json.loads(capsys.readouterr().out)
    assert [pair["identifiable"] for pair in reported["pairs"]] == [False]
    assert set(reported["groups"][0]["powers"]) == {RATE, LATENCY}
    assert reported["thresholds"]["correlation"] == NEAR_ONE
    assert {one["parameter"] for one in reported["constants"]} == {"read_rate", "request_latency"}


@pytest.mark.slow
def test_a_constant_of_one_row_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIMBACKUP_PATH", raising=False)
    apart = separability("002", calibrate("002", write=False))
    assert [row for _, row in apart.single] == ["sql-base"]
    assert all(pair.identifiable for pair in apart.pairs)


@pytest.mark.slow
def test_a_fit_goes_into_the_own_root_and_is_used_at_once(root: Path) -> None:
    there = site(root, DIFFERENT)
    before = {row.measurement.id: row.role for row in reproduce([str(there)], intervals=False).rows}
    assert set(before.values()) == {"held-out"}
    calibrate(str(there))
    assert "basis: fitted, fitted_to: [small, large]" in (root / "models/ssd/ours.yaml").read_text(encoding="utf-8")
    rows = reproduce([str(there)], workers=1, intervals=False).rows
    assert [row.role for row in rows] == ["fitted", "fitted"]
    assert all(abs(row.error) < 1e-3 for row in rows)
    assert all(row.as_dict()["scenario"].endswith(f"ours/{row.measurement.id}") for row in rows)
    assert {one.row for one in cross_validate([str(there)]).left_out} == {"small", "large"}


def test_workers_find_a_folder_of_ones_own(root: Path) -> None:
    there = str(site(root, DIFFERENT))
    one, two = (reproduce([there], workers=workers).rows for workers in (1, 2))
    assert [(row.simulated, row.interval) for row in one] == [(row.simulated, row.interval) for row in two]


def test_a_datasheet_of_the_program_is_copied_not_changed(root: Path) -> None:
    shipped = Path(calibration.__file__).parents[2] / "models/network/fast-ethernet.yaml"
    before = shipped.read_text(encoding="utf-8")
    there = site(root, {"only": 1024 * KIB})
    text = (there / "only.yaml").read_text(encoding="utf-8")
    text = text.replace("devices:\n", "links:\n  lan: {model: network/fast-ethernet, joins: [server, far]}\ndevices:\n")
    text = text.replace("  server:", "  far: {owns: [d], cores: 1, memory: 8 GiB, dirty_limit: 50 %,"
                        " dirty_background: 10 %, copy_rate: 1 GB/s}\n  server:")  # fmt: skip
    text = text.replace("  nothing: {kind: nul}", "  d: {model: ssd/ours}").replace("to: nothing", "to: d")
    (there / "only.yaml").write_text(text, encoding="utf-8")
    constant = FIT.format(
        name="rate", sheet="network/fast-ethernet", parameter="rate", rows="only", plausible="[1 MB/s, 1 GB/s]"
    )
    (there / "calibration.yaml").write_text(f"constants:\n{constant}", encoding="utf-8")
    calibrate(str(there))
    assert shipped.read_text(encoding="utf-8") == before
    assert "fitted_to: [only]" in (root / "models/network/fast-ethernet.yaml").read_text(encoding="utf-8")


def test_rows_outside_all_roots_do_not_change_the_program(root: Path, tmp_path: Path) -> None:
    there = site(tmp_path, {"only": 1024 * KIB}, "elsewhere")
    calibrate(str(there))  # the datasheets lie in the own root, where they are written
    assert "fitted_to: [only]" in (root / "models/ssd/ours.yaml").read_text(encoding="utf-8")
    constant = FIT.format(
        name="cpu", sheet="backup_engine/sql-server-2008", parameter="request_latency", rows="only",
        plausible="[1 ms, 100 ms]",
    )  # fmt: skip
    (there / "calibration.yaml").write_text(f"constants:\n{constant}", encoding="utf-8")
    text = (there / "only.yaml").read_text(encoding="utf-8")
    (there / "only.yaml").write_text(
        text.replace("backup_engine/ours", "backup_engine/sql-server-2008"), encoding="utf-8"
    )
    with pytest.raises(SimbackupError, match="is a datasheet of the program, but the rows are not"):
        calibrate(str(there))


def test_a_folder_without_rows_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SimbackupError, match=r"write its rows into .*measured\.yaml"):
        calibrate(str(tmp_path))


@pytest.mark.slow
def test_all_runs_of_a_fit_draw_alike(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that draw, a quarter of their value and more: with one seed a fit still finds its minimum, and it is another
    with another seed."""
    there = str(site(root, DIFFERENT))
    plain, seeds = calibration.figure, set[int]()

    def drawn(measurement: object, results: dict[str, object]) -> float:
        seeds.update(result.record.seed for result in results.values())  # type: ignore[attr-defined]
        factors = [
            generator(result.record.seed, f"{measurement.id}").lognormal(0.0, 0.2)  # type: ignore[attr-defined]
            for result in results.values()
        ]
        return plain(measurement, results) * factors[0]  # type: ignore[arg-type]

    monkeypatch.setattr(calibration, "figure", drawn)
    one, again, other = (calibrate(there, write=False, seed=seed) for seed in (7, 7, 8))
    separability(there, one, seed=7)
    cross_validate([there], seed=7)
    assert seeds == {7, 8}
    assert [fit.value for fit in one] == [fit.value for fit in again]
    assert [fit.value for fit in one] != [fit.value for fit in other]


LIST = """\
title: A program made up
kind: program
parameters:
  operations:
    save:
      phases:
        all:
          worker:
            items: {value: files, basis: derived, rule: made up}
            steps:
              entry: {at: cpu, item: {value: 5 ms, basis: assumed, range: [0.1 ms, 1 s], why: "made up"}}
"""
TREE = """\
title: A program with files
hosts:
  server: {owns: [c], cores: 4, memory: 8 GiB, dirty_limit: 50 %, dirty_background: 10 %, copy_rate: 1 GB/s}
devices:
  c: {model: ssd/ours}
data:
  tree: {on: c, size: 1 GB, files: 1000}
jobs:
  full: {method: program, program: program/ours, operation: save, data: tree}
"""


def test_a_constant_inside_a_list_is_fitted_and_written_where_it_stands(root: Path) -> None:
    sheet = root / "models" / "program" / "ours.yaml"
    sheet.parent.mkdir()
    sheet.write_text(LIST, encoding="utf-8")
    there = root / "scenarios" / "ours"
    there.mkdir(parents=True)
    (there / "tree.yaml").write_text(TREE, encoding="utf-8")
    rows = "document: made-up.txt\nmeasurements:\n  tree: {value: 20.0 s, at: nowhere, operation: backup, result: "
    (there / "measured.yaml").write_text(f"{rows}tree.yaml#jobs.full.elapsed}}\n", encoding="utf-8")
    where = "operations.save.phases.all.worker.steps.entry.item"
    fit = FIT.format(name="entry", sheet="program/ours", parameter=where, rows="tree", plausible="[0.1 ms, 1 s]")
    (there / "calibration.yaml").write_text(f"constants:\n{fit}", encoding="utf-8")
    [found] = calibrate(str(there))
    assert found.value == pytest.approx(0.020, rel=0.01)  # twenty seconds for a thousand files
    written = sheet.read_text(encoding="utf-8")
    assert written.startswith(LIST.partition("{value: 5 ms")[0])
    assert f"entry: {{at: cpu, item: {{value: {found.text}, basis: fitted, fitted_to: [tree]," in written
    [again] = calibrate(str(there), write=False)
    assert again.value == found.value
