"""What each row proves is written down: a role changes on purpose, with its reason, or not at all.

`roles.csv` has the role of each row, and for each that had another one in version 0.1 that one and the reason. Whoever
changes a role changes its line.
"""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from simbackup import units
from simbackup.errors import SimbackupError
from simbackup.experiments.reproduce import Reproduction, chosen, scenarios_of
from simbackup.results.compare import Row, error_of, figure
from simbackup.results.result import Result
from simbackup.run import simulate
from simbackup.scenario import Scenario, Value
from simbackup.schema.measured import Measurement
from tests.shared import IN_ONE_PROCESS, reproduced

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "RESULTS.md"
STEP = 0.1
"""Relative change of a value that would move a row that can be moved."""


pytestmark = IN_ONE_PROCESS


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return reproduced()


def written() -> list[dict[str, str]]:
    with (HERE / "roles.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_roles_are_those_that_are_written_down(found: Reproduction) -> None:
    roles = {(row.measurement.folder, row.measurement.id): row.role for row in found.rows}
    assert roles == {(line["document"], line["id"]): line["role"] for line in written()}


def test_each_change_of_a_role_has_its_reason() -> None:
    for line in written():
        assert bool(line["before"]) == bool(line["reason"]), line
        assert line["before"] != line["role"], line


def test_a_rate_of_an_operation_whose_time_is_a_row_is_a_duplicate(found: Reproduction) -> None:
    """A rate and an elapsed time of one job are one measurement."""
    times = {row.measurement.addresses for row in found.rows if row.measurement.row.quantity == "elapsed"}
    for row in found.rows:
        [(file, address), *others] = row.measurement.addresses
        if address.endswith(".rate") and not others and ((file, address.replace(".rate", ".elapsed")),) in times:
            assert row.role == "duplicate", row.measurement.id


def stepped(value: Value, step: float) -> str:
    """A value changed by a share of itself, and by one at least where it counts something."""
    si, unit = value.given.si, value.given.unit
    if unit == "count":
        return units.show(max(si + math.copysign(max(round(abs(step) * si), 1), step), 0.0), unit)
    return units.show(si * (1.0 + step), unit)


def moved(
    measurement: Measurement, scenarios: dict[str, Scenario], results: dict[str, Result], *, visibly: bool = False
) -> Iterator[str]:
    """The places of the values that move a row when they change in all of its scenarios.

    Or only those that move it `visibly`, out of what the document allows by its rounding.
    """
    files = dict(measurement.addresses)
    places: dict[str, list[tuple[str, Value]]] = {}
    for file in files:
        for value in scenarios[file].values:
            places.setdefault(str(value.place), []).append((file, value))
    middle = figure(measurement, results)
    for place, values in places.items():
        for step in (-STEP, STEP):
            changed = dict(results)
            for file in files:
                own = {v.address: stepped(v, step) for f, v in values if f == file}
                try:
                    changed[file] = simulate(scenarios[file].with_(own)) if own else results[file]
                except SimbackupError:  # a mirror of one disk is refused, and moves nothing
                    break
            else:
                after = figure(measurement, changed)
                if after != pytest.approx(middle, abs=1e-9) and (not visibly or error_of(measurement, after)):
                    yield place


def still(found: Reproduction) -> list[Row]:
    """The results whose interval has no width in RESULTS.md, which the program's output is compared with elsewhere."""
    lines = [line.split(" | ") for line in RESULTS.read_text(encoding="utf-8").splitlines() if " to " in line]
    spans = {cells[0].removeprefix("| "): cells[-1].removesuffix(" |").partition(",")[0] for cells in lines}
    ends = {name: span.split(" to ") for name, span in spans.items()}
    return [row for row in found.rows if row.is_result and len(set(ends[row.measurement.id])) == 1]


@pytest.mark.slow
@pytest.mark.nightly
def test_nothing_moves_structural_rows_visibly_and_something_moves_all_others(found: Reproduction) -> None:
    structural = [row for row in found.rows if row.role == "structural"]
    assert all(row.error == 0.0 for row in structural)
    scenarios = {m.folder.name: scenarios_of(m) for m in chosen([])}
    for row in [*structural, *(row for row in still(found) if row not in structural)]:
        m = row.measurement
        own = scenarios[m.folder]
        results = {file: simulate(own[file]) for file, _ in m.addresses}
        assert any(moved(m, own, results, visibly=row in structural)) == (row not in structural), m.id
