"""Every measured row is reproduced, or declared off with its reason."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from simbackup.experiments.reproduce import reproduce
from simbackup.results.compare import Row, Summary
from simbackup.run import simulate
from simbackup.scenario import load

FOUND = reproduce(intervals=False)

PRINTED = sorted((Path(__file__).parents[2] / "scenarios" / "published").glob("*/printed.csv"))
"""The figures as each document prints them, typed a second time."""

MOST_CONSTANTS = {
    "000-netbackup-frozen-images": 8,
    "001-networker-small-files": 7,
    "002-sql-server-tuning": 4,
    "003-lvm-snapshots": 3,
    "004-zrm-mysql": 8,
}
"""Constants that a document may have at most, where that is fewer than it has groups of rows."""


def printed() -> dict[str, tuple[object, ...]]:
    """The figures of all documents by the names of their rows."""

    def number(text: str) -> float | None:
        return float(text) if text else None

    found: dict[str, tuple[object, ...]] = {}
    for path in PRINTED:
        with path.open(encoding="utf-8", newline="") as file:
            found |= {
                row["id"]: (
                    row["document"], float(row["value"]), row["unit"], number(row["low"]), number(row["high"]),
                    row["group"], row["kind"],
                )
                for row in csv.DictReader(file)
            }  # fmt: skip
    return found


@pytest.mark.parametrize("row", FOUND.rows, ids=lambda row: row.measurement.id)
def test_the_row_is_within_ten_per_cent_or_rightly_declared_off(row: Row) -> None:
    assert row.good, (
        f"{row.measurement.value} measured, {row.simulated} simulated, declared off: {row.measurement.row.off}"
    )


def test_the_rows_are_those_of_the_documents() -> None:
    rows = {
        m.id: (m.document, m.value, m.unit, m.low, m.high, m.group, m.row.kind)
        for m in (row.measurement for row in FOUND.rows)
    }
    assert rows == printed()


def test_inputs_are_found_out_by_the_program() -> None:
    given = {"nbu-snapshot-create", "nw-image-x4275-index"}  # results, and all that the documents say of these times
    for row in FOUND.rows:
        expected = row.measurement.row.kind == "input" or row.measurement.id in given
        assert (row.role == "input") == expected, row.measurement.id


@pytest.mark.parametrize("summary", FOUND.summaries, ids=lambda s: s.document)
def test_few_constants_are_fitted(summary: Summary) -> None:
    assert summary.constants <= MOST_CONSTANTS.get(summary.document, summary.groups - 1)


def test_a_fitted_row_is_never_called_held_out() -> None:
    roles = {row.measurement.id: row.role for row in FOUND.rows}
    assert roles["lvm-dd-none"] == "seen"  # the memory of the host was chosen after seeing it
    assert roles["lvm-dd-same-disk"] == roles["lvm-dd-second-disk"] == "fitted"
    assert roles["lvm-dd-second-disk-new-file"] == "held-out"


def test_every_constant_has_a_plausible_range_an_uncertainty_or_a_reason() -> None:
    assert len(FOUND.constants) == sum(summary.constants for summary in FOUND.summaries)
    for constant in FOUND.constants:
        assert constant.why
        assert constant.fitted_to or constant.seen
        if constant.basis == "fitted":
            assert constant.uncertainty
            assert constant.uncertainty < constant.value


def test_rows_are_held_out_in_a_third_of_the_groups_of_004() -> None:
    summary = next(s for s in FOUND.summaries if s.document.startswith("004"))
    assert summary.held_out_groups >= summary.groups / 3
    assert summary.held_out_median is not None
    assert summary.held_out_median < 0.10


def test_a_value_that_replaces_a_fitted_one_has_seen_its_rows() -> None:
    changed = load("published/003-lvm-snapshots/same-disk").with_({"devices.cow.commit_backlog": "66 KiB"})
    assert list(simulate(changed).compare()["role"]) == ["seen"]


def test_all_documents_together_reach_what_was_aimed_at() -> None:
    total = FOUND.total
    assert total.rows == len(printed())
    assert total.within >= 0.95 * total.rows
    assert total.constants <= 0.3 * total.rows
    assert total.median is not None
    assert total.median < 0.05
    assert total.held_out_groups >= total.groups / 3
    assert total.held_out_median is not None
    assert total.held_out_median < 0.10
