"""The 90 % intervals hold about as often as they say, for systems that were fitted and for those that were not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from simbackup.equations.uncertainty import LEVEL
from simbackup.experiments.coverage import IDENTIFIED, NOT_FITTED, PREDICTED, CoverageReport, coverage
from simbackup.uncertainty import validated_cases
from simbackup.uncertainty.model_error import CALIBRATED, EVERY, FILE, PRIOR, Residual, known, model_errors, table
from tests.published.test_readme import RESULTS, intervals

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> CoverageReport:
    return coverage()


def test_the_tables_are_those_of_the_program(found: CoverageReport) -> None:
    assert (TOP / "scenarios" / FILE).read_text(encoding="utf-8") == table(found.terms)
    assert (TOP / "scenarios" / validated_cases.FILE).read_text(encoding="utf-8") == validated_cases.table(found.cases)
    assert intervals(found) in RESULTS.read_text(encoding="utf-8")


def test_intervals_of_predictions_hold_in_eight_to_ten_of_ten_rows(found: CoverageReport) -> None:
    [predicted] = [one for one in found.sets if one.name == PREDICTED]
    assert 0.80 <= predicted.share <= 0.97


def test_intervals_of_documents_hold_in_eight_of_ten_rows(found: CoverageReport) -> None:
    """Most are fitted, and a fit makes up for what the inputs are off, so that the share is at the upper end.

    The interval of a fitted row moves inputs and constant as if they were independent, so it is wide for its error.
    """
    sets = {one.name: one for one in found.sets}
    assert sets[IDENTIFIED].share >= 0.80
    assert sets[NOT_FITTED].rows < 0.5 * sets[IDENTIFIED].rows


@pytest.mark.xfail(reason="intervals of fitted rows are too wide: all hold, where at most 97 % should", strict=True)
def test_intervals_of_documents_are_no_wider_than_they_say(found: CoverageReport) -> None:
    [identified] = [one for one in found.sets if one.name == IDENTIFIED]
    assert identified.share <= 0.97


def test_intervals_of_rows_without_a_fit_hold_as_often_as_ninety_percent_may(found: CoverageReport) -> None:
    """With so few rows even all of them are no proof of intervals that are too wide."""
    for name in (NOT_FITTED, PREDICTED):
        [one] = [one for one in found.sets if one.name == name]
        assert at_most(one.held, one.rows) > 0.05
        assert 1.0 - at_most(one.held - 1, one.rows) > 0.05


def at_most(held: int, rows: int) -> float:
    """The chance that so many rows or fewer hold, if each does with 90 %."""
    return sum(math.comb(rows, k) * LEVEL**k * (1.0 - LEVEL) ** (rows - k) for k in range(held + 1))


def test_what_its_author_only_expects_is_in_no_coverage_and_in_no_error(found: CoverageReport) -> None:
    assert "overlapped" not in {one.row.measurement.id for one in found.rows}
    assert all(case.row != "overlapped" for case in found.cases)


def test_what_nothing_can_move_is_in_no_coverage(found: CoverageReport) -> None:
    assert {one.row.role for one in found.rows} == {"fitted", "seen", "opened", "held-out"}


def test_no_interval_owes_anything_to_its_own_publication(found: CoverageReport) -> None:
    """Its model error is that of a table without its own residuals."""
    [row] = [one for one in found.rows if one.row.measurement.id == "windows-restore-single"]
    assert row.operation == "restore of file_level"
    others = {one.row.measurement.folder for one in found.rows if one.operation == row.operation}
    assert others == {"data-protector-2007"}
    everything = {one.operation: one for one in found.terms}
    term = everything[row.operation].deviation
    assert math.log(row.interval.high / row.row.simulated) < math.hypot(
        math.log((row.row.interval or (0.0, 0.0))[1] / row.row.simulated), 1.645 * term
    )


def error_of(residuals: Sequence[Residual], operation: str) -> float:
    return {one.operation: one.deviation for one in model_errors(residuals)}[operation]


def test_one_publication_moves_a_term_little_and_many_move_it_all_the_way() -> None:
    calm = [Residual(f"p{i}", "copy", 0.1, 0.0, 0.0) for i in range(50)]
    wild = [Residual(f"q{i}", "dump", 0.5, 0.0, 0.0) for i in range(50)]
    assert error_of([*calm, *wild], "copy") == pytest.approx(0.1, rel=0.3)
    assert error_of([*calm, *wild], "dump") == pytest.approx(0.5, rel=0.05)
    average = (50 * 0.1**2 + 0.5**2) / 51
    assert error_of([*calm, wild[0]], "dump") == pytest.approx(
        math.sqrt((PRIOR * average + 0.5**2) / (PRIOR + 1)), rel=1e-9
    )


def test_what_the_inputs_explain_is_no_error_of_the_model() -> None:
    within = Residual("p", "copy", 0.3, math.log(2.0), math.log(2.0))
    assert error_of([within], "copy") == 0.0


def test_calibrated_systems_do_not_make_others_look_better() -> None:
    fitted = Residual("p", CALIBRATED, 0.01, 0.0, 0.0)
    blind = Residual("q", "copy", 0.4, 0.0, 0.0)
    assert error_of([fitted, blind], EVERY) == pytest.approx(0.4)


def test_the_program_ships_with_its_terms() -> None:
    assert {CALIBRATED, EVERY} <= known().keys()
