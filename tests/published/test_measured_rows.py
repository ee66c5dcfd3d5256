"""Every measured row is reproduced, or declared off with its reason."""

from __future__ import annotations

import pytest

from simbackup.experiments.reproduce import reproduce
from simbackup.results.compare import Row

FOUND = reproduce(intervals=False)

PRINTED = {
    "lvm-dd-none": (16.088, "s", None, None, "lvm-dd-none"),
    "lvm-dd-same-disk": (365.185, "s", None, None, "lvm-dd-same-disk"),
    "lvm-dd-second-disk": (317.604, "s", None, None, "lvm-dd-second-disk"),
    "lvm-dd-second-disk-new-file": (204.804, "s", None, None, "lvm-dd-second-disk-new-file"),
    "ontap-simulator-rate": (300.0, "KB/s", 250.0, 350.0, "ontap-simulator-rate"),
}
"""The figures as the documents print them, typed a second time."""

MOST_CONSTANTS = {"003-lvm-snapshots": 3}


@pytest.mark.parametrize("row", FOUND.rows, ids=lambda row: row.measurement.id)
def test_the_row_is_within_ten_per_cent_or_rightly_declared_off(row: Row) -> None:
    assert row.good, (
        f"{row.measurement.value} measured, {row.simulated} simulated, declared off: {row.measurement.row.off}"
    )


def test_the_rows_are_those_of_the_documents() -> None:
    rows = {m.id: (m.value, m.unit, m.low, m.high, m.group) for m in (row.measurement for row in FOUND.rows)}
    assert rows == PRINTED


@pytest.mark.parametrize("summary", FOUND.summaries, ids=lambda s: s.document)
def test_few_constants_are_fitted(summary: object) -> None:
    assert summary.constants <= MOST_CONSTANTS[summary.document]  # type: ignore[attr-defined]


def test_a_fitted_row_is_never_called_held_out() -> None:
    roles = {row.measurement.id: row.role for row in FOUND.rows}
    assert roles["lvm-dd-none"] == "fitted"  # the memory of the host was chosen after seeing it
    assert roles["lvm-dd-same-disk"] == roles["lvm-dd-second-disk"] == "fitted"
    assert roles["lvm-dd-second-disk-new-file"] == "held-out"


def test_every_constant_has_a_plausible_range_an_uncertainty_or_a_reason() -> None:
    assert len(FOUND.constants) == 2
    for constant in FOUND.constants:
        assert constant.why
        assert constant.fitted_to or constant.seen
        if constant.basis == "fitted":
            assert constant.uncertainty
            assert constant.uncertainty < constant.value
