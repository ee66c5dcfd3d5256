"""The 90 % intervals hold about as often as they say, for systems that were fitted and for those that were not."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist, fmean

import pytest

from simbackup.cli.show_published import markdown
from simbackup.equations.uncertainty import LEVEL, SCORE
from simbackup.experiments.coverage import (
    ALL,
    FACTOR_BY_KIND,
    IDENTIFIED,
    NOT_FITTED,
    NOT_FITTED_TO,
    ONE_FACTOR,
    PREDICTED,
    THIS,
    CoverageReport,
    Kinds,
    coverage,
    covered,
    validated,
)
from simbackup.experiments.reproduce import reproduce
from simbackup.run import simulate
from simbackup.scenario import load
from simbackup.uncertainty import model_error, validated_cases
from simbackup.uncertainty.inputs import changes, inputs
from simbackup.uncertainty.model_error import (
    EVERY,
    FILE,
    FITTED,
    KINDS,
    PUBLICATIONS,
    Residual,
    known,
    model_errors,
    table,
    term_of,
)
from simbackup.uncertainty.verdict import learned_from
from tests.cases import for_each
from tests.published.test_readme import RESULTS, VALIDATION, intervals
from tests.shared import IN_ONE_PROCESS, reproduced

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> CoverageReport:
    return coverage()


@for_each(
    "name",
    ["003", "bacula-spool", "bs2000-lto6", "hpss-t10000", "restic-objects-2018", "sql-server-240gb", "tk70-1990"],
)
def test_intervals_of_a_publication_are_those_of_the_page(name: str) -> None:
    """Of one for each kind of backup here; nightly, of all."""
    assert markdown(reproduce([name])).strip() in RESULTS.read_text(encoding="utf-8")


@IN_ONE_PROCESS
def test_the_cases_of_which_answers_speak_are_those_of_the_program() -> None:
    rows = [*reproduced().rows, *reproduced(VALIDATION).rows]
    written = (TOP / "scenarios" / validated_cases.FILE).read_text(encoding="utf-8")
    assert written == validated_cases.table(list(validated(rows)))


@pytest.mark.nightly
def test_the_tables_are_those_of_the_program(found: CoverageReport) -> None:
    assert (TOP / "scenarios" / FILE).read_text(encoding="utf-8") == table(found.terms)
    assert (TOP / "scenarios" / validated_cases.FILE).read_text(encoding="utf-8") == validated_cases.table(found.cases)
    assert intervals(found) in RESULTS.read_text(encoding="utf-8")


@pytest.mark.nightly
def test_each_row_counts_once_in_its_publication_with_what_it_proves(found: CoverageReport) -> None:
    """Counted from the rows as plain data; where a publication states a range, the interval may also meet that."""
    rows = [one.as_dict() for one in found.rows]
    for name, by_role in found.publications.items():
        own = [row for row in rows if name in {row["publication"], ALL}]
        counts = {role: (one.held, one.rows) for role, one in by_role.items()}
        for role, (held, count) in counts.items():
            some = [row for row in own if role in {row["role"], ALL}]
            assert (held, count) == (sum(row["holds"] for row in some), len(some))
        roles = [count for role, count in counts.items() if role != ALL]
        assert counts[ALL] == (sum(held for held, _ in roles), sum(count for _, count in roles))
    for row, one in zip(rows, found.rows, strict=True):
        if one.row.measurement.low is None and one.row.measurement.high is None:
            assert row["holds"] == (row["low"] <= row["measured"] <= row["high"])


@pytest.mark.nightly
def test_blind_rows_are_those_of_the_ledger(found: CoverageReport) -> None:
    [predicted] = [one for one in found.sets if one.name == PREDICTED]
    blind = found.publications[ALL]["blind"]
    assert (blind.held, blind.rows, blind.width) == (predicted.held, predicted.rows, predicted.width)


@pytest.mark.nightly
def test_intervals_of_predictions_hold_in_eight_to_ten_of_ten_rows(found: CoverageReport) -> None:
    [predicted] = [one for one in found.sets if one.name == PREDICTED]
    assert 0.80 <= predicted.share <= 0.97


@pytest.mark.nightly
def test_less_than_half_of_the_identified_rows_of_documents_are_not_fitted(found: CoverageReport) -> None:
    sets = {one.name: one for one in found.sets}
    assert sets[NOT_FITTED].rows < 0.5 * sets[IDENTIFIED].rows


def test_a_fitted_row_hardly_moves_with_what_its_fit_made_up_for() -> None:
    """The baseline of 002 goes with the size of the database; the latency that was fitted to it makes up for most."""
    scenario = load("published/002-sql-server-tuning/base")
    unknown = inputs({"base": scenario})
    [size] = [n for n, one in enumerate(unknown) if one.name == "data.primary.size"]
    larger = [SCORE if n == size else 0.0 for n in range(len(unknown))]
    alone = changes([replace(one, correlations=()) for one in unknown], larger)["base"]
    joined = changes(unknown, larger)["base"]
    best, moved, kept = (simulate(scenario.with_(values)).get("jobs.backup.elapsed") for values in ({}, alone, joined))
    assert abs(kept - best) < 0.5 * (moved - best)


@pytest.mark.nightly
def test_intervals_hold_as_often_as_ninety_percent_may(found: CoverageReport) -> None:
    """With so few rows even all of them are no proof of intervals that are too wide."""
    every = found.publications[ALL][ALL]
    for one in [every, *(one for one in found.sets if one.name in {IDENTIFIED, NOT_FITTED, PREDICTED})]:
        assert at_most(one.held, one.rows) > 0.05
        assert 1.0 - at_most(one.held - 1, one.rows) > 0.05


def at_most(held: int, rows: int) -> float:
    """The chance that so many rows or fewer hold, if each does with 90 %."""
    return sum(math.comb(rows, k) * LEVEL**k * (1.0 - LEVEL) ** (rows - k) for k in range(held + 1))


@pytest.mark.nightly
def test_what_its_author_only_expects_is_in_no_coverage_and_in_no_error(found: CoverageReport) -> None:
    assert "overlapped" not in {one.row.measurement.id for one in found.rows}
    assert all(case.row != "overlapped" for case in found.cases)


@pytest.mark.nightly
def test_what_nothing_can_move_is_in_no_coverage(found: CoverageReport) -> None:
    assert {one.row.role for one in found.rows} == {"fitted", "seen", "opened", "held-out"}


@pytest.mark.nightly
def test_no_interval_owes_anything_to_its_own_publication(found: CoverageReport) -> None:
    """If a publication had measured ten times as much, its own intervals would be the same, and others would not."""
    own, rows = "data-protector-2007", [one.row for one in found.rows]
    kinds = Kinds({(one.row.measurement.folder, one.row.measurement.id): one.operation for one in found.rows})
    tenfold = [
        replace(row, measurement=replace(row.measurement, value=10.0 * row.measurement.value))
        if row.measurement.folder == own
        else row
        for row in rows
    ]
    moved = {
        one.row.measurement.folder
        for one, other in zip(covered(rows, kinds), covered(tenfold, kinds), strict=True)
        if one.interval != other.interval
    }
    assert own not in moved
    assert len(moved) > 10


def error_of(residuals: Sequence[Residual], operation: str) -> float:
    return {one.operation: one.deviation for one in model_errors(residuals)}[operation]


def rows_of(name: str, operation: str, publications: int, deviation: float) -> list[Residual]:
    """Publications of one row each, whose errors are normal quantiles."""
    places = [NormalDist(0.0, deviation).inv_cdf((n + 0.5) / publications) for n in range(publications)]
    return [Residual(f"{name}{n}", operation, place) for n, place in enumerate(places)]


def test_one_publication_moves_a_term_little_and_many_move_it_all_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_error, "WIDER", 0.0)
    calm, wild = rows_of("p", "copy", 400, 0.1), rows_of("q", "dump", 400, 0.5)
    assert error_of([*calm, *wild], "copy") == pytest.approx(0.1, rel=0.02)
    assert error_of([*calm, *wild], "dump") == pytest.approx(0.5, rel=0.02)
    one = error_of([*calm, Residual("q", "dump", 0.5)], "dump")
    apart = math.log(one / error_of([*calm, Residual("q", "dump", 0.5)], "copy")) / 2.0  # from what both kinds share
    slope = ((0.5 / one) ** 2 - 1.0) / (1.0 + 2.0 * PUBLICATIONS**2)  # of the likelihood
    assert slope == pytest.approx(apart / KINDS**2, rel=1e-3)
    assert error_of([*calm, *rows_of("q", "dump", 9, 0.5)], "dump") > one


def test_a_term_is_as_wide_as_all_that_are_likely_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of errors whose own deviation is known to a factor of exp(v), 90 % lie within the interval that is stated."""
    quantiles = [NormalDist().inv_cdf((n + 0.5) / 2000) for n in range(2000)]
    for variance in (0.02, 0.1, 0.2):
        end = SCORE * math.exp(model_error.WIDER * variance)
        inside = (NormalDist().cdf(end * math.exp(-math.sqrt(variance) * each)) for each in quantiles)
        assert 2.0 * fmean(inside) - 1.0 == pytest.approx(LEVEL, abs=0.005)
    wide = [error_of(rows_of("p", "copy", n, 0.3), "copy") for n in (4, 400)]
    monkeypatch.setattr(model_error, "WIDER", 0.0)
    few, many = (each / error_of(rows_of("p", "copy", n, 0.3), "copy") for each, n in zip(wide, (4, 400), strict=True))
    assert few > 1.1
    assert many < 1.01


def test_the_rows_of_a_publication_count_as_one() -> None:
    one, many = Residual("q", "copy", 0.6), [Residual("q", "copy", 0.6)] * 50
    others = rows_of("p", "copy", 20, 0.2)
    assert error_of([*others, *many], "copy") == pytest.approx(error_of([*others, one], "copy"), rel=1e-6)


def test_a_row_that_is_off_by_a_hundred_counts_as_one_that_is_off_by_ten() -> None:
    others = rows_of("p", "copy", 20, 0.2)
    far, farther = (Residual("q", "copy", math.log(factor)) for factor in (10.0, 100.0))
    assert error_of([*others, far], "copy") == pytest.approx(error_of([*others, farther], "copy"))


def test_what_the_inputs_explain_is_no_error_of_the_model() -> None:
    """The variance of what is measured is that of the inputs and that of the model together."""
    cases = tuple(NormalDist(0.0, 0.3).inv_cdf((n + 0.5) / 200) for n in range(200))
    found = [one._replace(cases=cases) for one in rows_of("p", "copy", 200, math.hypot(0.3, 0.4))]
    assert error_of(found, "copy") == pytest.approx(0.4, rel=0.02)
    assert error_of([one._replace(error=0.5 * one.error) for one in found], "copy") < 0.1


def test_an_unknown_kind_is_as_unsure_as_the_kinds_that_are_known() -> None:
    known_rows = [*rows_of("p", "copy", 100, 0.1), *rows_of("q", "dump", 100, 0.7)]
    assert error_of(known_rows, EVERY) == pytest.approx(0.5, rel=0.03)
    never = term_of("rebuild", {one.operation: one for one in model_errors(known_rows)})
    assert never.deviation == error_of(known_rows, EVERY)
    assert never.in_words() == "nothing of its kind (rebuild) was ever tested"


def test_a_job_says_what_none_of_the_measured_ones_had() -> None:
    rows = [one._replace(parts=frozenset({"tool"})) for one in rows_of("p", "copy", 2, 0.1)]
    terms = {one.operation: one for one in model_errors(rows)}
    assert term_of("copy", terms, frozenset({"tool"})).lacking == ()
    unlike = term_of("copy", terms, frozenset({"tool", "share"}))
    assert unlike.in_words().endswith("half of them simulated within 7 %, none of them with 'share'")
    assert learned_from(unlike) == "unlike"


def test_fitted_rows_do_not_make_others_look_better() -> None:
    blind = rows_of("q", "copy", 10, 0.4)
    assert error_of([Residual("p", FITTED, 0.01), *blind], "copy") == error_of(blind, "copy")


@pytest.mark.nightly
def test_answers_score_better_than_simple_factors(found: CoverageReport) -> None:
    own = {one.method: one for one in found.scores if one.name == NOT_FITTED_TO}
    for simple in (ONE_FACTOR, FACTOR_BY_KIND):
        assert own[THIS].interval_score < 0.85 * own[simple].interval_score
        assert own[THIS].crps < 0.95 * own[simple].crps
        assert own[simple].worse > SCORE * own[simple].unsure


@pytest.mark.nightly
def test_no_kind_is_better_served_by_a_simple_factor_than_chance_may_have_it(found: CoverageReport) -> None:
    """One publication alone shows nothing, as its rows share their causes: its standard error is infinite."""
    worst = {(one.name, one.method): one.worse / one.unsure for one in found.scores if one.method != THIS}
    assert min(worst.values()) > -2.0


def test_the_program_ships_with_its_terms() -> None:
    assert {FITTED, EVERY} <= known().keys()
