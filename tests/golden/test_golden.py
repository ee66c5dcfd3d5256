"""Traces and pictures of small scenarios, line by line.

When a change of them is meant, write them anew with `SIMBACKUP_UPDATE_GOLDEN=1 pytest tests/golden`, read the
difference, and commit it with the change.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simbackup import picture
from simbackup.results import chrome_trace
from simbackup.run import simulate
from tests.cases import for_each

HERE = Path(__file__).parent
SCENARIOS = ("two-tapes", "volume-and-snapshot")
UPDATE = os.environ.get("SIMBACKUP_UPDATE_GOLDEN") == "1"
PROGRAM = "import sys, simbackup; print(*simbackup.simulate(sys.argv[1], seed=7).trace.to_lines(), sep='\\n')"


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_trace_is_the_one_on_file(name: str) -> None:
    lines = list(simulate(HERE / f"{name}.yaml", seed=7).trace.to_lines())
    golden = HERE / f"{name}.trace.jsonl"
    if UPDATE:
        golden.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert lines == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.slow
@for_each("name", SCENARIOS)
@for_each("hash_seed", ["0", "4242"])
def test_the_trace_does_not_depend_on_how_python_hashes(name: str, hash_seed: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(HERE / f"{name}.yaml")]
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == (HERE / f"{name}.trace.jsonl").read_text(encoding="utf-8")


def test_the_chrome_trace_is_the_one_on_file() -> None:
    text = chrome_trace.text(simulate(HERE / "two-tapes.yaml", seed=7).chrome_trace()).replace(str(HERE), ".")
    golden = HERE / "two-tapes.chrome-trace.json"
    if UPDATE:
        golden.write_text(text, encoding="utf-8")
    assert text.splitlines() == golden.read_text(encoding="utf-8").splitlines()


def test_the_picture_is_the_one_on_file() -> None:
    text = picture(HERE / "two-tapes.yaml").svg()
    golden = HERE / "two-tapes.svg"
    if UPDATE:
        golden.write_text(text, encoding="utf-8")
    assert text.splitlines() == golden.read_text(encoding="utf-8").splitlines()


def test_another_seed_of_a_scenario_without_chance_changes_nothing() -> None:
    one, other = (simulate(HERE / "two-tapes.yaml", seed=seed) for seed in (1, 2))
    assert list(one.trace.to_lines()) == list(other.trace.to_lines())
