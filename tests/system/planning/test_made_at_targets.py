"""Synthetic full backups and merges in plans: what the pool reads and writes in a night."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites.plan import site

from simbackup.planning.ledger import Ledger
from simbackup.planning.nights import Nights, kind_of
from simbackup.planning.plan import plan
from simbackup.planning.playing import Player
from simbackup.planning.scenarios import night_scenario
from simbackup.planning.site import PlannedSite, load_site
from simbackup.run import simulate
from simbackup.scenario import load
from tests.cases import examples

SATURDAY = date(2027, 3, 13)
FOR_EVER = {"schedule": {"incremental": "daily"}, "merges": True, "retention": {"last": 20}}
SYNTHETIC = {"schedule": {"synthetic_full": "saturday", "incremental": "daily"}, "retention": {"age": "3 weeks"}}
WHOLE = 3e12
"""Bytes of all systems."""


def of(rules: dict[str, Any], daily: float, **target: Any) -> PlannedSite:
    change = {"daily": daily, "run": "256 KiB"}
    systems = {f"s{i}": {"size": f"{i} TB", "change": change, "policy": "nightly"} for i in (1, 2)}
    targets = {"pool": site()["targets"]["pool"] | target}
    policies = {"nightly": {"to": "pool", "at": "20:00", **rules}}
    return load_site(site(systems=systems, targets=targets, zone="UTC", policies=policies))


def moved(loaded: PlannedSite) -> float:
    """Bytes that the pool reads and writes on a Saturday."""
    days = tuple(Ledger(loaded).days(SATURDAY))
    nights = Nights(loaded, days, Player(loaded))
    result = simulate(load(night_scenario(loaded.file, nights.night(kind_of(days[-1:]), len(days) - 1))))
    return float(next(row["bytes"] for row in result.device_rows if row["device"] == "devices.pool"))


@examples(5)
@given(st.floats(0.002, 0.1))
def test_incremental_for_ever_reads_and_writes_the_change(daily: float) -> None:
    """Written as it comes; then a change of the same size is read, and written where it belongs."""
    assert moved(of(FOR_EVER, daily)) == pytest.approx(3 * WHOLE * daily, rel=1e-3)


@examples(5)
@given(st.floats(0.002, 0.1))
def test_a_synthetic_full_backup_reads_and_writes_the_change_where_blocks_are_cloned(daily: float) -> None:
    assert moved(of(SYNTHETIC, daily, clones=True)) == pytest.approx(3 * WHOLE * daily, rel=1e-3)


def test_a_synthetic_full_backup_reads_and_writes_all_elsewhere() -> None:
    assert moved(of(SYNTHETIC, 0.02)) == pytest.approx(WHOLE * (0.02 + 2), rel=1e-3)


def test_what_a_target_makes_is_a_row_of_the_plan() -> None:
    found = plan(of(FOR_EVER, 0.02), "4 weeks")
    made = [verdict for verdict in found.verdicts if verdict.copy == "merge"]
    assert {verdict.night for verdict in made} == {day.day for day in found.days[20:]}
    assert all(verdict.bytes == pytest.approx(0.02 * (1e12 if verdict.system == "s1" else 2e12)) for verdict in made)
